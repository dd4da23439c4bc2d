import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { Fragment, type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { JsonField } from "../../../components/JsonField.tsx";
import { Field } from "../../../components/layout.tsx";
import { Section } from "../../../components/SideDrawer.tsx";
import { SettingKeys } from "./SettingKeys.tsx";
import type { SectionProps } from "./section-props.ts";

const JSON_FIELDS = ["modelMapping", "paramOverride", "setting", "statusCodeMapping"] as const;
const TEXT_FIELDS = ["modelPrefix", "organization", "maxInputTokens", "warnBelow"] as const;

const EXAMPLES: Record<(typeof JSON_FIELDS)[number], string> = {
  modelMapping: '{"gpt-4o": "gpt-4o-2024-11-20"}',
  paramOverride: '{"temperature": 0.7}',
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
          <Autocomplete
            freeSolo
            options={form.models}
            inputValue={form.testModel}
            onInputChange={(_, testModel) => change({ testModel })}
            renderInput={({ slotProps }) => (
              <OutlinedInput
                ref={slotProps.input.ref}
                fullWidth
                inputProps={{ ...slotProps.htmlInput, id: `${id}test` }}
                endAdornment={slotProps.input.endAdornment}
              />
            )}
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
          {field === "setting" && <SettingKeys json={form.setting} onChange={(json) => change({ setting: json })} />}
        </Fragment>
      ))}
    </Section>
  );
};
