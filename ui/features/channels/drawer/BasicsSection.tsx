import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { Field } from "../../../components/layout.tsx";
import { Section } from "../../../components/SideDrawer.tsx";
import type { SectionProps } from "./section-props.ts";
import { TypeSelect } from "./TypeSelect.tsx";

/** Types with something to know about them. */
const HINTED_TYPES: ReadonlySet<number> = new Set([2, 3, 5, 8, 15, 18, 21, 22, 23, 33, 36, 37, 39, 40, 41]);
/** Types that need one parameter more. */
const TYPES_WITH_OTHER: ReadonlySet<number> = new Set([3, 18, 21, 39, 41]);
const CUSTOM_TYPE = 8;

/** Kind, name and address of the upstream. */
export const BasicsSection = ({ form, faults, change, types }: SectionProps & { types: readonly ChannelType[] }) => {
  const { t } = useTranslation();
  const id = useId();
  const type = types.find((known) => known.id === form.type);
  return (
    <Section
      title={t("channels.form.basics")}
      hint={HINTED_TYPES.has(form.type) ? t(`channels.form.hints.${form.type}`) : undefined}
    >
      <Box sx={{ display: "grid", gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" }, gap: 3 }}>
        <Field label={t("channels.form.type")} htmlFor={`${id}type`}>
          <TypeSelect
            id={`${id}type`}
            types={types}
            value={form.type}
            unknownName={t("channels.form.typeUnknown", { type: form.type })}
            onChange={(chosen) => change({ type: chosen })}
          />
        </Field>
        <Field
          label={t("channels.form.name")}
          htmlFor={`${id}name`}
          error={faults.name && t(`channels.form.errors.${faults.name}`)}
        >
          <OutlinedInput
            id={`${id}name`}
            fullWidth
            value={form.name}
            error={faults.name !== undefined}
            placeholder={t("channels.form.namePlaceholder")}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
      </Box>
      <Field
        label={t("channels.form.baseUrl")}
        htmlFor={`${id}url`}
        optional={type?.defaultBaseUrl ? t("channels.form.optional") : undefined}
        error={faults.baseUrl && t(`channels.form.errors.${faults.baseUrl}`)}
        hint={form.type === CUSTOM_TYPE ? t("channels.form.baseUrlFullHint") : t("channels.form.baseUrlHint")}
      >
        <OutlinedInput
          id={`${id}url`}
          fullWidth
          value={form.baseUrl}
          error={faults.baseUrl !== undefined}
          placeholder={type?.defaultBaseUrl ?? "https://"}
          inputProps={{ className: "mono", spellCheck: false, inputMode: "url" }}
          onChange={(event) => change({ baseUrl: event.target.value })}
        />
      </Field>
      {(TYPES_WITH_OTHER.has(form.type) || form.other !== "") && (
        <Field
          label={
            TYPES_WITH_OTHER.has(form.type) ? t(`channels.form.other.${form.type}`) : t("channels.form.other.label")
          }
          htmlFor={`${id}other`}
          error={faults.other && t(`channels.form.errors.${faults.other}`)}
          hint={TYPES_WITH_OTHER.has(form.type) ? t(`channels.form.other.${form.type}hint`) : undefined}
        >
          <OutlinedInput
            id={`${id}other`}
            fullWidth
            multiline={form.type === 41}
            value={form.other}
            error={faults.other !== undefined}
            onChange={(event) => change({ other: event.target.value })}
          />
        </Field>
      )}
    </Section>
  );
};
