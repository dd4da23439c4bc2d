import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { JsonField } from "../../../components/JsonField.tsx";
import { checkJsonObject } from "../../../components/json-text.ts";
import { Field, Row } from "../../../components/layout.tsx";
import { NameListInput } from "../../../components/NameListInput.tsx";
import { notifyDone, notifyError } from "../../../components/notify.tsx";
import { Section, SideDrawer } from "../../../components/SideDrawer.tsx";
import { readInline } from "../cells/InlineNumber.tsx";
import { CHANNELS_KEY, enabledModels, groupNames } from "../channel-queries.ts";
import { common, type TagRow } from "./tag-rows.ts";
import { editTag } from "./use-tag-actions.ts";

const NUMBERS = ["priority", "weight"] as const;
const NO_NAMES: readonly string[] = [];

/** Sets fields on every channel of a tag; what stays empty is left as it is on each. */
export const TagDrawer = ({ row, onClose }: { row: TagRow; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const knownModels = useQuery(enabledModels).data ?? NO_NAMES;
  const knownGroups = useQuery(groupNames).data ?? NO_NAMES;
  const [name, setName] = useState(row.tag);
  const [models, setModels] = useState(NO_NAMES);
  const [groups, setGroups] = useState(NO_NAMES);
  const [mapping, setMapping] = useState("");
  const [numbers, setNumbers] = useState(() => ({
    priority: textOf(common(row, "priority")),
    weight: textOf(common(row, "weight")),
  }));
  const [isSaving, setSaving] = useState(false);

  const changedNumber = (field: (typeof NUMBERS)[number]) =>
    numbers[field].trim() === "" || numbers[field] === textOf(common(row, field)) ? undefined : numbers[field];
  const isWrong = (field: (typeof NUMBERS)[number]) => {
    const text = changedNumber(field);
    return text !== undefined && readInline(text, field, true) === null;
  };
  const change = {
    ...(name.trim() !== "" && name.trim() !== row.tag && { new_tag: name.trim() }),
    ...(models.length > 0 && { models: models.join(",") }),
    ...(groups.length > 0 && { groups: groups.join(",") }),
    ...(mapping.trim() !== "" && { model_mapping: mapping.trim() }),
    ...Object.fromEntries(
      NUMBERS.flatMap((field) => {
        const number = readInline(changedNumber(field) ?? "", field, true);
        return number === null ? [] : [[field, number]];
      }),
    ),
  };
  const isFaulty = NUMBERS.some(isWrong) || (mapping.trim() !== "" && checkJsonObject(mapping) !== null);
  const count = row.channels.length;
  const save = async () => {
    setSaving(true);
    try {
      notifyDone(t("channels.tags.saved", { count: await editTag(row.tag, change) }));
      void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      onClose();
    } catch (error) {
      notifyError(error);
      setSaving(false);
    }
  };
  return (
    <SideDrawer
      title={t("channels.tags.editTitle", { tag: row.tag })}
      subtitle={t("channels.tags.count", { count })}
      isDirty={Object.keys(change).length > 0 && !isSaving}
      onClose={onClose}
      footer={(close) => (
        <Row gap={2} sx={{ flex: 1, justifyContent: "flex-end" }}>
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button
            variant="contained"
            color="primary"
            loading={isSaving}
            disabled={isFaulty || Object.keys(change).length === 0}
            onClick={save}
          >
            {t("channels.tags.save", { count })}
          </Button>
        </Row>
      )}
    >
      <Section title={t("channels.tags.fields")} hint={t("channels.tags.fieldsHint")}>
        <Field label={t("channels.form.tag")} htmlFor={`${id}name`}>
          <OutlinedInput id={`${id}name`} fullWidth value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={t("channels.form.modelNames")} htmlFor={`${id}models`} hint={t("channels.tags.replaces")}>
          <NameListInput
            id={`${id}models`}
            value={models}
            onChange={setModels}
            options={knownModels}
            placeholder={t("channels.tags.unchanged")}
          />
        </Field>
        <Field label={t("channels.form.groups")} htmlFor={`${id}groups`} hint={t("channels.tags.replaces")}>
          <NameListInput
            id={`${id}groups`}
            value={groups}
            onChange={setGroups}
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
                value={numbers[field]}
                error={isWrong(field)}
                placeholder={t("channels.tags.differs")}
                inputProps={{ inputMode: "numeric", style: { textAlign: "right" } }}
                onChange={(event) => setNumbers({ ...numbers, [field]: event.target.value })}
              />
            </Field>
          ))}
        </Row>
        <JsonField
          id={`${id}mapping`}
          label={t("channels.form.modelMapping")}
          hint={t("channels.tags.mappingHint")}
          value={mapping}
          example='{"gpt-4o": "gpt-4o-2024-11-20"}'
          onChange={setMapping}
        />
      </Section>
    </SideDrawer>
  );
};

const textOf = (value: number | null): string => (value === null ? "" : String(value));
