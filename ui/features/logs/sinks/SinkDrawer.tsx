import Button from "@mui/material/Button";
import InputAdornment from "@mui/material/InputAdornment";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SinkTypeName } from "../../../../src/domain/logs/sinks/types/index.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field } from "../../../components/layout.tsx";
import { namesOf } from "../../../lib/json.ts";
import { makeWebhookSecret } from "../../alerts/destination-form.ts";
import { addSink, changeSink, type Sink, sinkList } from "./sink-calls.ts";

type FieldTraits = Readonly<{
  isSecret?: true;
  isOptional?: true;
  /** An example, or the values to choose from. */
  example?: string;
}>;

/** The fields of each type, in the order of the form. */
const SINK_FIELDS = {
  webhook: { url: { example: "https://example.com/usage" }, secret: { isSecret: true } },
  kafka: {
    brokers: { example: "broker-1:9092, broker-2:9092" },
    topic: { example: "usage" },
    security: { isOptional: true, example: "plaintext | tls" },
    mechanism: { isOptional: true, example: "plain | scram-sha-256 | scram-sha-512" },
    user: { isOptional: true },
    password: { isSecret: true, isOptional: true },
  },
  s3: {
    url: { example: "https://s3.us-east-1.amazonaws.com" },
    region: { example: "us-east-1" },
    bucket: {},
    prefix: { isOptional: true, example: "sluice/usage" },
    access_key_id: {},
    secret_access_key: { isSecret: true },
  },
  clickhouse: {
    url: { example: "https://clickhouse.example.com:8443" },
    database: { isOptional: true, example: "default" },
    table: { example: "usage" },
    user: { isOptional: true },
    password: { isSecret: true, isOptional: true },
  },
  bigquery: {
    service_account: { isSecret: true, example: '{"type": "service_account", …}' },
    dataset: {},
    table: {},
    url: { isOptional: true, example: "https://bigquery.googleapis.com" },
  },
  splunk: {
    url: { example: "https://splunk.example.com:8088" },
    token: { isSecret: true },
    index: { isOptional: true, example: "main" },
  },
} as const satisfies Readonly<Record<SinkTypeName, Readonly<Record<string, FieldTraits>>>>;

type SinkFieldName = { [Type in SinkTypeName]: keyof (typeof SINK_FIELDS)[Type] }[SinkTypeName];

/** The types, in the order of the form. */
export const SINK_TYPES: readonly SinkTypeName[] = ["webhook", "kafka", "s3", "clickhouse", "bigquery", "splunk"];

/** The fields of a type with what they are like. */
export function fieldsOf(type: SinkTypeName): readonly (readonly [SinkFieldName, FieldTraits])[] {
  const fields: Partial<Record<SinkFieldName, FieldTraits>> = SINK_FIELDS[type];
  return namesOf(fields).flatMap((name) => (fields[name] ? [[name, fields[name]] as const] : []));
}

/** The drawer's fields; a secret that is stored is empty. */
type SinkForm = Partial<Record<SinkFieldName, string>> & {
  type: SinkTypeName;
  name: string;
  enabled: boolean;
  fromStart: boolean;
};

/** Initial values; null: a new destination. */
export const formOfSink = (sink: Sink | null): SinkForm => ({
  ...sink?.config,
  type: sink?.type ?? "webhook",
  name: sink?.name ?? "",
  enabled: sink?.enabled ?? true,
  fromStart: false,
});

/** The body of POST and PUT: only the fields of the type. */
export const bodyOfSink = ({ name, enabled, type, ...config }: SinkForm) => ({
  name: name.trim(),
  enabled,
  config: Object.fromEntries(fieldsOf(type).map(([field]) => [field, (config[field] ?? "").trim()])),
});

/** The fields that are missing. `stored` names the stored secrets. */
export function checkSinkForm(
  form: SinkForm,
  stored: readonly string[],
): Partial<Record<SinkFieldName | "name", "required">> {
  const missing = fieldsOf(form.type).filter(
    ([name, { isOptional }]) => !isOptional && !stored.includes(name) && !form[name]?.trim(),
  );
  return {
    ...(form.name.trim() === "" && { name: "required" as const }),
    ...Object.fromEntries(missing.map(([name]) => [name, "required"])),
  };
}

type SinkDrawerProps = Readonly<{
  /** Null: a new one. */
  sink: Sink | null;
  onClose: () => void;
}>;

const LONGEST_NAME = 60;

/** Adds a destination of usage records, or edits one; secrets are replaced, never shown. */
export const SinkDrawer = ({ sink, onClose }: SinkDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const stored = sink?.secrets_set ?? [];
  const send = async (values: SinkForm) => {
    const request = bodyOfSink(values);
    if (sink) await changeSink(sink.id, request);
    else await addSink({ ...request, type: values.type, from_start: values.fromStart });
    notifyDone(t("sinks.saved", { name: request.name }));
    void client.invalidateQueries(sinkList);
    onClose();
  };
  const state = useCheckedForm({
    initial: formOfSink(sink),
    check: (values: SinkForm) => checkSinkForm(values, stored),
    send,
  });
  const { form, change, faults } = state;
  return (
    <FormDrawer
      state={state}
      title={sink ? t("sinks.form.editTitle", { name: sink.name }) : t("sinks.form.addTitle")}
      action={t(sink ? "sinks.form.save" : "sinks.form.add")}
      isNew={sink === null}
      onClose={onClose}
    >
      <Section title={t("sinks.form.general")}>
        <LabelledInput
          label={t("sinks.columns.name")}
          error={faults.name && t("sinks.form.required")}
          name="sink-name"
          maxCharacters={LONGEST_NAME}
          value={form.name}
          onChange={(name) => change({ name })}
        />
        <SwitchRow
          label={t("sinks.form.enabled")}
          hint={t("sinks.form.enabledHint")}
          isOn={form.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        {sink === null && (
          <SwitchRow
            label={t("sinks.form.fromStart")}
            hint={t("sinks.form.fromStartHint")}
            isOn={form.fromStart}
            onChange={(fromStart) => change({ fromStart })}
          />
        )}
      </Section>
      <Section title={t("sinks.form.connection")}>
        {sink === null && (
          <Field label={t("sinks.columns.type")}>
            <Select
              fullWidth
              value={form.type}
              onChange={({ target }) => change({ type: target.value })}
              inputProps={{ "aria-label": t("sinks.columns.type") }}
            >
              {SINK_TYPES.map((type) => (
                <MenuItem key={type} value={type}>
                  {t(`sinks.types.${type}`)}
                </MenuItem>
              ))}
            </Select>
          </Field>
        )}
        {fieldsOf(form.type).map(([name, { isSecret, isOptional, example }]) => {
          const value = form[name] ?? "";
          const setValue = (text: string) => change({ [name]: text });
          const isGenerated = name === "secret";
          return (
            <LabelledInput
              key={`${form.type}.${name}`}
              label={t(`sinks.fields.${name}`)}
              hint={stored.includes(name) && t("sinks.form.stored")}
              error={faults[name] && t("sinks.form.required")}
              optional={isOptional && t("sinks.form.optional")}
              name={`sink-${name}`}
              autoComplete="off"
              value={value}
              onChange={setValue}
              {...(example !== undefined && { placeholder: example })}
              {...(isSecret && !isGenerated && { type: "password", autoComplete: "new-password" })}
              {...(isGenerated && {
                endAdornment: (
                  <InputAdornment position="end" sx={{ mr: 1 }}>
                    {value !== "" && <CopyButton text={value} label={t("sinks.form.copySecret")} />}
                    <Button size="small" variant="text" onClick={() => setValue(makeWebhookSecret())}>
                      {t("sinks.form.generate")}
                    </Button>
                  </InputAdornment>
                ),
              })}
            />
          );
        })}
      </Section>
    </FormDrawer>
  );
};
