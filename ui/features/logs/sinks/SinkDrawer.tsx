import { useTranslation } from "react-i18next";
import type { SinkTypeName } from "../../../../src/domain/logs/sinks/types/index.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { SecretTools } from "../../../components/form/SecretTools.tsx";
import { namesOf } from "../../../lib/json.ts";
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
  const stored = sink?.secrets_set ?? [];
  const save = async (form: SinkForm) => {
    const request = bodyOfSink(form);
    if (sink) await changeSink(sink.id, request);
    else await addSink({ ...request, type: form.type, from_start: form.fromStart });
    return t("sinks.saved", { name: request.name });
  };
  return (
    <ResourceForm
      title={sink ? t("sinks.form.editTitle", { name: sink.name }) : t("sinks.form.addTitle")}
      action={t(sink ? "sinks.form.save" : "sinks.form.add")}
      isNew={sink === null}
      resource={sink && { section: "sinks", id: sink.id }}
      text={(name) => `sinks.form.${name}`}
      initial={formOfSink(sink)}
      check={(form) => checkSinkForm(form, stored)}
      fault={(fault) => t(`sinks.form.${fault}`)}
      save={save}
      reload={[sinkList]}
      sections={(form, change) => [
        {
          title: t("sinks.form.general"),
          fields: [
            { kind: "text", field: "name", label: t("sinks.columns.name"), maxCharacters: LONGEST_NAME },
            { kind: "switch", field: "enabled", hint: true },
            sink === null && { kind: "switch", field: "fromStart", hint: true },
          ],
        },
        {
          title: t("sinks.form.connection"),
          fields: [
            sink === null && {
              kind: "select",
              field: "type",
              label: t("sinks.columns.type"),
              options: optionsOf(SINK_TYPES, (type) => t(`sinks.types.${type}`)),
            },
            ...fieldsOf(form.type).map(([name, { isSecret, isOptional, example }]) => ({
              kind: isSecret && name !== "secret" ? ("secret" as const) : ("text" as const),
              field: name,
              label: t(`sinks.fields.${name}`),
              placeholder: example,
              hint: stored.includes(name) && t("sinks.form.stored"),
              optional: isOptional && t("sinks.form.optional"),
              end: name === "secret" && (
                <SecretTools
                  secret={form.secret ?? ""}
                  copy={t("sinks.form.copySecret")}
                  generate={t("sinks.form.generate")}
                  onGenerate={(secret) => change({ secret })}
                />
              ),
            })),
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
