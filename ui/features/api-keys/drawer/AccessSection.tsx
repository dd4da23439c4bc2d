import Box from "@mui/material/Box";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { TOKEN_LIMITS } from "../../../../src/domain/api-keys/api-key-rules.ts";
import { usableGroups, usableModels } from "../../../api/api-keys/api-key.ts";
import type { ToneName } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { Field } from "../../../components/layout.tsx";
import type { ApiKeyForm, TokenFaults } from "./api-key-form.ts";

type AccessSectionProps = Readonly<{
  form: ApiKeyForm;
  faults: TokenFaults;
  change: (fields: Partial<ApiKeyForm>) => void;
}>;

/** The groups, models and IP addresses of a key. */
export const AccessSection = ({ form, faults, change }: AccessSectionProps) => {
  const { t } = useTranslation();
  const id = useId();
  const groups = useQuery(usableGroups);
  const models = useQuery(usableModels).data ?? [];
  const names = Object.keys(groups.data ?? {});
  if (form.group !== "" && !names.includes(form.group)) names.unshift(form.group);
  return (
    <Section title={t("apiKeys.form.access")}>
      <Field label={t("apiKeys.form.group")} hint={t("apiKeys.form.groupHint")}>
        <Select
          fullWidth
          displayEmpty
          value={form.group}
          onChange={(event) => change({ group: event.target.value })}
          renderValue={(group) => group || t("apiKeys.ownGroup")}
          inputProps={{ "aria-label": t("apiKeys.form.group") }}
        >
          <MenuItem value="">{t("apiKeys.ownGroup")}</MenuItem>
          {names.map((group) => {
            const described = groups.data?.[group];
            return (
              <MenuItem key={group} value={group}>
                <Box sx={{ flex: 1, minWidth: 0 }}>
                  {group}
                  {described && described.desc !== group && (
                    <Box component="span" sx={{ ml: 2, color: "text.tertiary" }}>
                      {described.desc}
                    </Box>
                  )}
                </Box>
                {described && (
                  <Box className="num" sx={{ ml: 4 }}>
                    <RatioTag ratio={described.ratio} />
                  </Box>
                )}
              </MenuItem>
            );
          })}
          {names.length === 0 && (
            <MenuItem value="-" disabled>
              {t("apiKeys.form.groupNone")}
            </MenuItem>
          )}
        </Select>
      </Field>
      <Field label={t("apiKeys.form.models")} htmlFor={`${id}models`} hint={t("apiKeys.form.modelsHint")}>
        <NameListInput
          id={`${id}models`}
          value={form.models}
          onChange={(chosen) => change({ models: chosen })}
          options={models}
          strict
          placeholder={t("apiKeys.form.modelsPlaceholder")}
        />
      </Field>
      <Field
        label={t("apiKeys.form.allowIps")}
        htmlFor={`${id}ips`}
        error={faults.allowIps && t(`apiKeys.form.errors.${faults.allowIps}`, TOKEN_LIMITS)}
        hint={t("apiKeys.form.allowIpsHint")}
      >
        <OutlinedInput
          id={`${id}ips`}
          fullWidth
          multiline
          minRows={2}
          maxRows={8}
          value={form.allowIps}
          error={faults.allowIps !== undefined}
          inputProps={{ className: "mono", spellCheck: false }}
          onChange={(event) => change({ allowIps: event.target.value })}
        />
      </Field>
    </Section>
  );
};

/** Color of a group's ratio: above 5 red, above 3 orange, above 1 blue, else green. */
export function ratioTone(ratio: number): ToneName {
  if (ratio > 5) return "bad";
  if (ratio > 3) return "warn";
  return ratio > 1 ? "info" : "ok";
}

/** A group's price ratio, in its color. */
const RatioTag = ({ ratio }: { ratio: number }) => <Tag tone={ratioTone(ratio)}>× {ratio}</Tag>;
