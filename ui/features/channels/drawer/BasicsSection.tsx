import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { Field } from "../../../components/layout.tsx";
import { BaseUrlInput } from "./form/BaseUrlInput.tsx";
import { CallUrl } from "./form/CallUrl.tsx";
import type { SectionProps } from "./form/channel-form.ts";
import { RegionInput } from "./form/RegionInput.tsx";
import { TypeSelect, useTypeWords } from "./TypeSelect.tsx";

const CUSTOM_TYPE = 8;

type BasicsSectionProps = SectionProps & { types: readonly ChannelType[]; storedId: number | undefined };

/** Type, name and base URL of the upstream. */
export const BasicsSection = ({ form, faults, change, types, storedId }: BasicsSectionProps) => {
  const { t } = useTranslation();
  const id = useId();
  const type = types.find((known) => known.id === form.type);
  const words = useTypeWords(form.type);
  const baseUrlHint =
    form.type === CUSTOM_TYPE ? t("channels.form.baseUrlFullHint") : (words.baseUrl ?? t("channels.form.baseUrlHint"));
  const choose = (chosen: number) => {
    const known = types.find(({ id: other }) => other === chosen)?.models ?? [];
    // A new channel gets the defaults of its type; edited fields stay.
    const isUntouched = form.models.length === 0 || form.models.join() === type?.models.join();
    change({ type: chosen, ...(storedId === undefined && isUntouched && { models: [...known] }) });
  };
  return (
    <Section title={t("channels.form.basics")} hint={words.hint}>
      <Box sx={{ display: "grid", gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" }, gap: 3 }}>
        <Field label={t("channels.form.type")} htmlFor={`${id}type`}>
          <TypeSelect
            id={`${id}type`}
            types={types.filter(({ id: other, endedOn }) => endedOn === null || other === form.type)}
            value={form.type}
            unknownName={t("channels.form.typeUnknown", { type: form.type })}
            onChange={choose}
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
      {type && type.endedOn !== null && (
        <Alert severity="warning">{t("channels.form.ended", { name: type.name, date: type.endedOn })}</Alert>
      )}
      <Field
        label={t("channels.form.baseUrl")}
        htmlFor={`${id}url`}
        optional={type?.defaultBaseUrl ? t("channels.form.optional") : undefined}
        error={faults.baseUrl && t(`channels.form.errors.${faults.baseUrl}`)}
        hint={
          <>
            {baseUrlHint}
            <CallUrl
              form={{
                type: form.type,
                base_url: form.baseUrl,
                other: form.other,
                model: form.models[0] ?? "",
                key: form.key,
                id: storedId,
              }}
            />
          </>
        }
      >
        <BaseUrlInput
          id={`${id}url`}
          value={form.baseUrl}
          isWrong={faults.baseUrl !== undefined}
          placeholder={type?.defaultBaseUrl ?? "https://"}
          hosts={type?.hosts ?? []}
          onChange={(baseUrl) => change({ baseUrl })}
        />
      </Field>
      {(words.other || form.other !== "") && (
        <Field
          label={words.other?.label ?? t("channels.form.other.label")}
          htmlFor={`${id}other`}
          error={faults.other && t(`channels.form.errors.${faults.other}`)}
          hint={words.other?.hint}
        >
          {type?.regions?.place === "other" ? (
            <RegionInput
              id={`${id}other`}
              multiline
              value={form.other}
              placeholder={words.other?.example}
              isWrong={faults.other !== undefined}
              regions={type.regions.names}
              onChange={(other) => change({ other })}
            />
          ) : (
            <OutlinedInput
              id={`${id}other`}
              fullWidth
              value={form.other}
              placeholder={words.other?.example}
              error={faults.other !== undefined}
              onChange={(event) => change({ other: event.target.value })}
            />
          )}
        </Field>
      )}
    </Section>
  );
};
