import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import OutlinedInput from "@mui/material/OutlinedInput";
import { Fragment, type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { JsonField } from "../../../components/inputs/JsonField.tsx";
import { SuggestedInput } from "../../../components/inputs/NameListInput.tsx";
import { Field } from "../../../components/layout.tsx";
import { namesOf } from "../../../lib/json.ts";
import type { SectionProps } from "./form/channel-form.ts";
import { OverridePreviewDrawer } from "./overrides/OverridePreviewDrawer.tsx";
import type { OverrideTexts } from "./overrides/override-calls.ts";

const JSON_FIELDS = ["modelMapping", "paramOverride", "headerOverride", "setting", "statusCodeMapping"] as const;
const TEXT_FIELDS = ["modelPrefix", "organization", "maxInputTokens", "warnBelow"] as const;

const EXAMPLES: Record<(typeof JSON_FIELDS)[number], string> = {
  modelMapping: '{"gpt-4o": "gpt-4o-2024-11-20"}',
  paramOverride: '{"temperature": 0.7}',
  headerOverride: '{"X-Title": "My site", "X-User": "{username}", "X-Session": "{client_header:X-Session}"}',
  setting: '{"proxy": "http://user:password@proxy.example:8080", "broken_stream": "drain", "drain_cap_seconds": 60}',
  statusCodeMapping: '{"400": 500}',
};

/** What most channels never need. */
export const AdvancedSection = ({ form, faults, change }: SectionProps) => {
  const { t } = useTranslation();
  const id = useId();
  const fault = (field: keyof typeof faults) => {
    const found = faults[field];
    return found && t(`channels.form.errors.${found}`);
  };
  const text = (field: (typeof TEXT_FIELDS)[number]): ReactNode => (
    <Field
      key={field}
      label={t(`channels.form.${field}`)}
      htmlFor={id + field}
      error={fault(field)}
      hint={t(`channels.form.${field}Hint`)}
    >
      <OutlinedInput
        id={id + field}
        fullWidth
        value={form[field]}
        error={faults[field] !== undefined}
        onChange={(event) => change({ [field]: event.target.value })}
      />
    </Field>
  );
  return (
    <Section title={t("channels.form.advanced")}>
      <Box sx={{ display: "grid", gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" }, columnGap: 3, rowGap: 4 }}>
        <Field label={t("channels.form.testModel")} htmlFor={`${id}test`} hint={t("channels.form.testModelHint")}>
          <SuggestedInput
            id={`${id}test`}
            options={form.models}
            value={form.testModel}
            onChange={(testModel) => change({ testModel })}
          />
        </Field>
        {TEXT_FIELDS.map(text)}
      </Box>
      {JSON_FIELDS.map((field) => (
        <Fragment key={field}>
          <JsonField
            id={id + field}
            label={t(`channels.form.${field}`)}
            hint={t(`channels.form.${field}Hint`)}
            value={form[field]}
            example={EXAMPLES[field]}
            error={fault(field)}
            onChange={(json) => change({ [field]: json })}
          />
          {field === "paramOverride" && <PreviewButton {...form} />}
          {field === "setting" && <SettingKeys json={form.setting} onChange={(json) => change({ setting: json })} />}
        </Fragment>
      ))}
    </Section>
  );
};

/** Opens the overrides of the form, saved or not, on a request. */
const PreviewButton = (overrides: OverrideTexts) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Box sx={{ mt: -2 }}>
      <Button
        size="small"
        disabled={overrides.paramOverride.trim() === "" && overrides.headerOverride.trim() === ""}
        onClick={() => setOpen(true)}
      >
        {t("channels.overrides.preview")}
      </Button>
      {isOpen && <OverridePreviewDrawer overrides={overrides} onClose={() => setOpen(false)} />}
    </Box>
  );
};

/** Keys that a channel's settings may contain; a click inserts one with a sample value. */
const SettingKeys = ({ json, onChange }: { json: string; onChange: (json: string) => void }) => {
  const { t } = useTranslation();
  return (
    <Box component="dl" sx={{ m: 0, mt: -2, display: "grid", gridTemplateColumns: "auto 1fr", gap: 1, columnGap: 3 }}>
      {SETTING_KEYS.map((key) => {
        const next = addSetting(json, key);
        return (
          <Box key={key} sx={{ display: "contents", fontSize: 12 }}>
            <Box component="dt">
              <ButtonBase
                disabled={next === null}
                className="mono"
                title={t("channels.form.settingAdd", { key })}
                onClick={() => next !== null && onChange(next)}
                sx={{ color: next === null ? "text.tertiary" : "primary.main", borderRadius: "4px", px: 1, mx: -1 }}
              >
                {key}
              </ButtonBase>
            </Box>
            <Box component="dd" sx={{ m: 0, color: "text.secondary" }}>
              {t(`channels.form.settingKeys.${key}`)}
            </Box>
          </Box>
        );
      })}
    </Box>
  );
};

/** Keys that a channel's settings may contain, each with a sample value. */
const BEGINNINGS = {
  proxy: "socks5://user:password@proxy.example:1080",
  user_agent: "MyCompany/1.0",
  force_format: true,
  thinking_to_content: true,
  pass_through_body_enabled: true,
  system_prompt: "",
  system_prompt_override: true,
  stream_support: "NON_STREAM_ONLY",
  message_threads: true,
  mcp_tools: true,
  automatic_cache_marks: "never",
  broken_stream: "drain",
  drain_cap_seconds: 60,
  first_byte_timeout_seconds: 30,
  multi_key_mode: "random",
  cost_ratio: 0.7,
  cost_prices: { "gpt-*": { input: 1.25, output: 10, cache_read: 0.125 } },
} as const;

type SettingKey = keyof typeof BEGINNINGS;
const SETTING_KEYS = namesOf(BEGINNINGS);

/** Adds a key to the settings; null if the key exists, or if the text is not a JSON object. */
export function addSetting(json: string, key: SettingKey): string | null {
  try {
    const present: unknown = json.trim() === "" ? {} : JSON.parse(json);
    if (typeof present !== "object" || present === null || Array.isArray(present) || key in present) return null;
    return JSON.stringify({ ...present, [key]: BEGINNINGS[key] }, null, 2);
  } catch {
    return null;
  }
}
