import Link from "@mui/material/Link";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import Slider from "@mui/material/Slider";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { usableGroups, usableModels } from "../../api/api-keys/api-key.ts";
import { NameListInput } from "../../components/inputs/NameListInput.tsx";
import { Col, Field } from "../../components/layout.tsx";
import type { ChatSettings } from "./chat/chat.ts";

const MOST_LANES = 2;

type Props = Readonly<{ settings: ChatSettings; onChange: (changes: Partial<ChatSettings>) => void }>;

/** Group, models (a second one to compare), temperature, length and system prompt. */
export const SettingsPanel = ({ settings, onChange }: Props) => {
  const { t } = useTranslation();
  const groups = Object.entries(useQuery(usableGroups).data ?? {});
  const models = useQuery(usableModels).data ?? [];
  const { group, temperature, maxTokens, system } = settings;
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
      <Field label={t("playground.models")} htmlFor="playground-models" hint={t("playground.modelsHint")}>
        <NameListInput
          id="playground-models"
          value={settings.models}
          onChange={(names) => onChange({ models: names.slice(-MOST_LANES) })}
          options={models}
          placeholder={t("playground.modelsPlaceholder")}
        />
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
      <Field label={t("playground.temperature", { value: temperature })}>
        <Slider
          value={temperature}
          min={0.1}
          max={1}
          step={0.1}
          onChange={(_, value) => onChange({ temperature: Number(value) })}
          aria-label={t("playground.temperature", { value: temperature })}
        />
        {temperature > 0 && (
          <Link component="button" type="button" onClick={() => onChange({ temperature: 0 })} sx={{ fontSize: 12 }}>
            {t("playground.temperatureReset")}
          </Link>
        )}
      </Field>
      <Field label={t("playground.maxTokens")} htmlFor="playground-max" hint={t("playground.maxTokensHint")}>
        <OutlinedInput
          id="playground-max"
          fullWidth
          value={maxTokens}
          inputProps={{ inputMode: "numeric" }}
          onChange={(event) => onChange({ maxTokens: Number.parseInt(event.target.value, 10) || 0 })}
        />
      </Field>
    </Col>
  );
};
