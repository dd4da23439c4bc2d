import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY, enabledModels, groupNames } from "../../../api/channels/channel-lists.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { checkJsonObject } from "../../../components/inputs/json-text.ts";
import { readInline } from "../cells/InlineNumber.tsx";
import { common, type TagRow } from "./tag-rows.ts";
import { editTag } from "./use-tag-actions.ts";

const NUMBERS = ["priority", "weight"] as const;
const JSON_FIELDS = ["mapping", "paramOverride", "headerOverride"] as const;
type NumberField = (typeof NUMBERS)[number];
const NO_NAMES: readonly string[] = [];

type Form = {
  name: string;
  models: readonly string[];
  groups: readonly string[];
  mapping: string;
  paramOverride: string;
  headerOverride: string;
} & Record<NumberField, string>;

const formOf = (row: TagRow): Form => ({
  name: row.tag,
  models: NO_NAMES,
  groups: NO_NAMES,
  mapping: "",
  paramOverride: "",
  headerOverride: "",
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
  ...(form.paramOverride.trim() !== "" && { param_override: form.paramOverride.trim() }),
  ...(form.headerOverride.trim() !== "" && { header_override: form.headerOverride.trim() }),
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
  const knownModels = useQuery(enabledModels).data ?? NO_NAMES;
  const knownGroups = useQuery(groupNames).data ?? NO_NAMES;
  const isWrong = (form: Form, field: NumberField) => {
    const text = changedNumber(row, form, field);
    return text !== undefined && readInline(text, field, true) === null;
  };
  const isComplete = (form: Form) =>
    !NUMBERS.some((field) => isWrong(form, field)) &&
    JSON_FIELDS.every((field) => form[field].trim() === "" || checkJsonObject(form[field]) === null);
  const count = row.channels.length;
  return (
    <ResourceForm<Form>
      title={t("channels.tags.editTitle", { tag: row.tag })}
      subtitle={t("channels.tags.count", { count })}
      action={t("channels.tags.save", { count })}
      isNew={false}
      text={(name) => `channels.form.${name}`}
      initial={formOf(row)}
      isChanged={(form) => Object.keys(changeOf(row, form)).length > 0}
      isComplete={isComplete}
      save={async (form) => t("channels.tags.saved", { count: await editTag(row.tag, changeOf(row, form)) })}
      reload={[{ queryKey: CHANNELS_KEY }]}
      sections={(form) => [
        {
          title: t("channels.tags.fields"),
          hint: t("channels.tags.fieldsHint"),
          fields: [
            { kind: "text", field: "name", label: t("channels.form.tag") },
            {
              kind: "names",
              field: "models",
              label: t("channels.form.modelNames"),
              hint: t("channels.tags.replaces"),
              options: knownModels,
              placeholder: t("channels.tags.unchanged"),
            },
            {
              kind: "names",
              field: "groups",
              hint: t("channels.tags.replaces"),
              options: knownGroups,
              isStrict: true,
              placeholder: t("channels.tags.unchanged"),
            },
            NUMBERS.map((field) => ({
              kind: "integer",
              field,
              error: isWrong(form, field) && t(`channels.${field}Range`),
              placeholder: t("channels.tags.differs"),
            })),
            {
              kind: "json",
              field: "mapping",
              label: t("channels.form.modelMapping"),
              hint: t("channels.tags.mappingHint"),
              example: '{"gpt-4o": "gpt-4o-2024-11-20"}',
            },
            { kind: "json", field: "paramOverride", hint: true, example: '{"temperature": 0.7}' },
            { kind: "json", field: "headerOverride", hint: true, example: '{"X-Title": "My site"}' },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

const textOf = (value: number | null): string => (value === null ? "" : String(value));
