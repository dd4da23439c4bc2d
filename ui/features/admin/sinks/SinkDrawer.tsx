import Button from "@mui/material/Button";
import InputAdornment from "@mui/material/InputAdornment";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field } from "../../../components/layout.tsx";
import { makeWebhookSecret } from "../alerts/destination-form.ts";
import { addSink, changeSink, type Sink, sinkList } from "./sink-calls.ts";
import { bodyOfSink, checkSinkForm, fieldsOf, formOfSink, SINK_TYPES, type SinkForm } from "./sink-form.ts";

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
