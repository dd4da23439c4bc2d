import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { usableGroups } from "../../../api/api-keys/api-key.ts";
import { JsonField } from "../../../components/inputs/JsonField.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import type { ChatSettings } from "../chat/chat.ts";
import { readTools } from "../chat/chat-body.ts";
import type { LaneModel } from "../chat/parameters.ts";
import { ParameterFields } from "./ParameterFields.tsx";
import { ToolsDialog } from "./ToolsDialog.tsx";

const SCHEMA_EXAMPLE =
  '{"type":"object","properties":{"city":{"type":"string"},"celsius":{"type":"number"}},"required":["city","celsius"],"additionalProperties":false}';

type Props = Readonly<{
  settings: ChatSettings;
  models: readonly LaneModel[];
  onChange: (changes: Partial<ChatSettings>) => void;
}>;

/** Group, system prompt, the models' parameters, functions, the schema of answers, and web search. */
export const SettingsPanel = ({ settings, models, onChange }: Props) => {
  const { t } = useTranslation();
  const groups = Object.entries(useQuery(usableGroups).data ?? {});
  const { group, system, parameters, tools, schema, webSearch, speaks } = settings;
  const [isToolsOpen, setToolsOpen] = useState(false);
  const functions = readTools(tools) ?? [];
  const canSearch = models.length === 0 || models.some(({ web_search }) => web_search);
  const canSpeak = models.some(({ output_modalities: kinds }) => kinds?.includes("audio"));
  return (
    <Col gap={4}>
      <Field label={t("playground.group")}>
        <Select
          fullWidth
          displayEmpty
          value={groups.some(([name]) => name === group) ? group : ""}
          onChange={(event) => onChange({ group: event.target.value })}
          SelectDisplayProps={{ "aria-label": t("playground.group") }}
        >
          <MenuItem value="">{t("playground.ownGroup")}</MenuItem>
          {groups.map(([name, { desc, ratio }]) => (
            <MenuItem key={name} value={name}>
              {desc} × {ratio}
            </MenuItem>
          ))}
        </Select>
      </Field>
      <Field label={t("playground.system")} htmlFor="playground-system">
        <OutlinedInput
          id="playground-system"
          fullWidth
          multiline
          minRows={3}
          maxRows={12}
          value={system}
          onChange={(event) => onChange({ system: event.target.value })}
        />
      </Field>
      <ParameterFields parameters={parameters} models={models} onChange={(next) => onChange({ parameters: next })} />
      {(canSearch || webSearch) && (
        <SwitchRow
          label={t("playground.webSearch")}
          hint={t("playground.webSearchHint")}
          isOn={webSearch}
          onChange={(isOn) => onChange({ webSearch: isOn })}
        />
      )}
      {(canSpeak || speaks) && (
        <SwitchRow
          label={t("playground.speaks")}
          hint={t("playground.speaksHint")}
          isOn={speaks}
          onChange={(isOn) => onChange({ speaks: isOn })}
        />
      )}
      <Field label={t("playground.tools.title")} hint={functions.map(({ function: { name } }) => name).join(", ")}>
        <Button fullWidth onClick={() => setToolsOpen(true)}>
          {t("playground.tools.edit")}
        </Button>
      </Field>
      <JsonField
        id="playground-schema"
        label={t("playground.schema")}
        hint={t("playground.schemaHint")}
        value={schema}
        example={SCHEMA_EXAMPLE}
        onChange={(text) => onChange({ schema: text })}
      />
      {isToolsOpen && <ToolsDialog settings={settings} onSave={onChange} onClose={() => setToolsOpen(false)} />}
    </Col>
  );
};
