import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY, enabledModels, groupNames } from "../../../api/channels/channel-lists.ts";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { JsonField } from "../../../components/inputs/JsonField.tsx";
import { checkJsonObject } from "../../../components/inputs/json-text.ts";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { readInline } from "../cells/InlineNumber.tsx";
import { common, type TagRow } from "./tag-rows.ts";
import { editTag } from "./use-tag-actions.ts";

const NUMBERS = ["priority", "weight"] as const;
type NumberField = (typeof NUMBERS)[number];
const NO_NAMES: readonly string[] = [];

type Form = {
  name: string;
  models: readonly string[];
  groups: readonly string[];
  mapping: string;
} & Record<NumberField, string>;

const formOf = (row: TagRow): Form => ({
  name: row.tag,
  models: NO_NAMES,
  groups: NO_NAMES,
  mapping: "",
  priority: textOf(common(row, "priority")),
  weight: textOf(common(row, "weight")),
});

/** The typed number; undefined if unchanged or empty. */
const changedNumber = (row: TagRow, form: Form, field: NumberField): string | undefined =>
  form[field].trim() === "" || form[field] === textOf(common(row, field)) ? undefined : form[field];

/** The request body: only filled-in fields. */
const changeOf = (row: TagRow, form: Form) => ({
  ...(form.name.trim() !== "" && form.name.trim() !== row.tag && { new_tag: form.name.trim() }),
  ...(form.models.length > 0 && { models: form.models.join(",") }),
  ...(form.groups.length > 0 && { groups: form.groups.join(",") }),
  ...(form.mapping.trim() !== "" && { model_mapping: form.mapping.trim() }),
  ...Object.fromEntries(
    NUMBERS.flatMap((field) => {
      const number = readInline(changedNumber(row, form, field) ?? "", field, true);
      return number === null ? [] : [[field, number]];
    }),
  ),
});

/** Sets fields on every channel of a tag; empty fields stay unchanged. */
export const TagDrawer = ({ row, onClose }: { row: TagRow; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const knownModels = useQuery(enabledModels).data ?? NO_NAMES;
  const knownGroups = useQuery(groupNames).data ?? NO_NAMES;
  const { form, change, isSaving, submit } = useCheckedForm({
    initial: formOf(row),
    send: async (form) => {
      notifyDone(t("channels.tags.saved", { count: await editTag(row.tag, changeOf(row, form)) }));
      void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      onClose();
    },
  });
  const changed = changeOf(row, form);
  const isWrong = (field: NumberField) => {
    const text = changedNumber(row, form, field);
    return text !== undefined && readInline(text, field, true) === null;
  };
  const isFaulty = NUMBERS.some(isWrong) || (form.mapping.trim() !== "" && checkJsonObject(form.mapping) !== null);
  const count = row.channels.length;
  return (
    <SideDrawer
      title={t("channels.tags.editTitle", { tag: row.tag })}
      subtitle={t("channels.tags.count", { count })}
      isDirty={Object.keys(changed).length > 0 && !isSaving}
      onClose={onClose}
      footer={(close) => (
        <Row gap={2} sx={{ flex: 1, justifyContent: "flex-end" }}>
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button
            variant="contained"
            color="primary"
            loading={isSaving}
            disabled={isFaulty || Object.keys(changed).length === 0}
            onClick={submit}
          >
            {t("channels.tags.save", { count })}
          </Button>
        </Row>
      )}
    >
      <Section title={t("channels.tags.fields")} hint={t("channels.tags.fieldsHint")}>
        <Field label={t("channels.form.tag")} htmlFor={`${id}name`}>
          <OutlinedInput
            id={`${id}name`}
            fullWidth
            value={form.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        <Field label={t("channels.form.modelNames")} htmlFor={`${id}models`} hint={t("channels.tags.replaces")}>
          <NameListInput
            id={`${id}models`}
            value={form.models}
            onChange={(models) => change({ models })}
            options={knownModels}
            placeholder={t("channels.tags.unchanged")}
          />
        </Field>
        <Field label={t("channels.form.groups")} htmlFor={`${id}groups`} hint={t("channels.tags.replaces")}>
          <NameListInput
            id={`${id}groups`}
            value={form.groups}
            onChange={(groups) => change({ groups })}
            options={knownGroups}
            strict
            placeholder={t("channels.tags.unchanged")}
          />
        </Field>
        <Row gap={3} sx={{ alignItems: "flex-start" }}>
          {NUMBERS.map((field) => (
            <Field
              key={field}
              label={t(`channels.form.${field}`)}
              htmlFor={id + field}
              error={isWrong(field) && t(`channels.${field}Range`)}
            >
              <OutlinedInput
                id={id + field}
                fullWidth
                value={form[field]}
                error={isWrong(field)}
                placeholder={t("channels.tags.differs")}
                inputProps={{ inputMode: "numeric", style: { textAlign: "right" } }}
                onChange={(event) => change({ [field]: event.target.value })}
              />
            </Field>
          ))}
        </Row>
        <JsonField
          id={`${id}mapping`}
          label={t("channels.form.modelMapping")}
          hint={t("channels.tags.mappingHint")}
          value={form.mapping}
          example='{"gpt-4o": "gpt-4o-2024-11-20"}'
          onChange={(mapping) => change({ mapping })}
        />
      </Section>
    </SideDrawer>
  );
};

const textOf = (value: number | null): string => (value === null ? "" : String(value));
