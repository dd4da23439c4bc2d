import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import Switch from "@mui/material/Switch";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import type { SectionProps } from "./form/channel-form.ts";

/** Groups, priority, weight and behavior on failure. */
export const RoutingSection = ({ form, faults, change }: SectionProps) => {
  const { t } = useTranslation();
  const id = useId();
  const groups = useQuery(groupNames).data ?? [];
  const fault = (field: "priority" | "weight") => {
    const found = faults[field];
    return found && t(`channels.form.errors.${found}`);
  };
  return (
    <Section title={t("channels.form.routing")}>
      <Field label={t("channels.form.groups")} htmlFor={`${id}groups`} hint={t("channels.form.groupsHint")}>
        <NameListInput
          id={`${id}groups`}
          value={form.groups}
          onChange={(names) => change({ groups: names })}
          options={groups}
          strict
          placeholder={t("channels.form.groups")}
        />
      </Field>
      <Box sx={{ display: "grid", gridTemplateColumns: { xs: "1fr 1fr", sm: "1fr 1fr 1fr" }, gap: 3 }}>
        <Field
          label={t("channels.form.priority")}
          htmlFor={`${id}priority`}
          error={fault("priority")}
          hint={t("channels.form.priorityHint")}
        >
          <OutlinedInput
            id={`${id}priority`}
            fullWidth
            value={form.priority}
            error={faults.priority !== undefined}
            inputProps={{ inputMode: "numeric", style: { textAlign: "right" } }}
            onChange={(event) => change({ priority: event.target.value })}
          />
        </Field>
        <Field
          label={t("channels.form.weight")}
          htmlFor={`${id}weight`}
          error={fault("weight")}
          hint={t("channels.form.weightHint")}
        >
          <OutlinedInput
            id={`${id}weight`}
            fullWidth
            value={form.weight}
            error={faults.weight !== undefined}
            inputProps={{ inputMode: "numeric", style: { textAlign: "right" } }}
            onChange={(event) => change({ weight: event.target.value })}
          />
        </Field>
        <Field label={t("channels.form.tag")} htmlFor={`${id}tag`} optional={t("channels.form.optional")}>
          <OutlinedInput
            id={`${id}tag`}
            fullWidth
            value={form.tag}
            onChange={(event) => change({ tag: event.target.value })}
          />
        </Field>
      </Box>
      <Row gap={3} sx={{ alignItems: "flex-start" }}>
        <Switch
          checked={form.autoBan}
          onChange={(event) => change({ autoBan: event.target.checked })}
          slotProps={{ input: { id: `${id}ban`, "aria-describedby": `${id}ban-hint` } }}
        />
        <Box>
          <label htmlFor={`${id}ban`} style={{ fontSize: 13 }}>
            {t("channels.form.autoBan")}
          </label>
          <Box id={`${id}ban-hint`} sx={{ fontSize: 12, color: "text.tertiary" }}>
            {t("channels.form.autoBanHint")}
          </Box>
        </Box>
      </Row>
    </Section>
  );
};
