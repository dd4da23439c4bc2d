import Box from "@mui/material/Box";
import Checkbox from "@mui/material/Checkbox";
import FormControlLabel from "@mui/material/FormControlLabel";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import {
  type AlertEvent,
  eventsOf,
  eventTraits,
  thresholdError,
  WINDOW_MINUTES,
  windowError,
} from "../../../src/domain/alerts/event-rules.ts";
import type { RuleInput } from "../../../src/domain/alerts/rules.ts";
import { FormDrawer } from "../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../components/feedback/notify.tsx";
import { Section } from "../../components/feedback/SideDrawer.tsx";
import { LabelledInput } from "../../components/inputs/LabelledInput.tsx";
import { QuotaInput } from "../../components/inputs/QuotaInput.tsx";
import { SwitchRow } from "../../components/inputs/SwitchRow.tsx";
import { useCheckedForm } from "../../components/inputs/use-checked-form.ts";
import { Field } from "../../components/layout.tsx";
import { type AlertScope, destinationList, type Rule, ruleList, saveRule } from "./alert-calls.ts";

/** The drawer's fields; numbers are text while being edited. */
type RuleForm = {
  event: AlertEvent;
  threshold: string;
  windowMinutes: string;
  destinationIds: readonly number[];
  enabled: boolean;
};

/** The usual threshold of an event, as text. */
const usualThreshold = (event: AlertEvent): string => String(eventTraits(event).threshold?.usual ?? 0);

/** Initial form values of a rule; null: a new one of the scope's first event. */
export function formOf(rule: Rule | null, scope: AlertScope): RuleForm {
  const event = rule?.event ?? eventsOf(scope)[0] ?? "error_rate";
  return {
    event,
    threshold: rule ? String(rule.threshold) : usualThreshold(event),
    windowMinutes: String(rule?.window_minutes || WINDOW_MINUTES.usual),
    destinationIds: rule?.destination_ids ?? [],
    enabled: rule?.enabled ?? true,
  };
}

/** The body of POST and PUT. */
export const bodyOf = (form: RuleForm): RuleInput => ({
  event: form.event,
  threshold: Number(form.threshold),
  window_minutes: eventTraits(form.event).hasWindow ? Number(form.windowMinutes) : 0,
  destination_ids: form.destinationIds,
  enabled: form.enabled,
});

/** What is wrong with the form, by field. */
export const checkForm = ({ event, threshold, windowMinutes }: RuleForm) => ({
  threshold: thresholdError(event, threshold.trim() === "" ? Number.NaN : Number(threshold)),
  windowMinutes: windowError(event, windowMinutes.trim() === "" ? Number.NaN : Number(windowMinutes)),
});

type RuleDrawerProps = Readonly<{
  scope: AlertScope;
  /** Null: a new one. */
  rule: Rule | null;
  onClose: () => void;
}>;

/** Dollars. */
const PICKS = [1, 5, 10, 50];

/** Adds a rule, or edits one: the event, its threshold, and where it goes. */
export const RuleDrawer = ({ scope, rule, onClose }: RuleDrawerProps) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const destinations = useQuery(destinationList(scope)).data ?? [];
  const state = useCheckedForm({
    initial: formOf(rule, scope),
    check: checkForm,
    async send(values) {
      await saveRule(scope, bodyOf(values), rule?.id);
      notifyDone(t("alerts.rules.saved"));
      void client.invalidateQueries(ruleList(scope));
      onClose();
    },
  });
  const { form, change, faults } = state;
  const { threshold, hasWindow } = eventTraits(form.event);
  const thresholdFault = faults.threshold && t("alerts.rules.form.errors.threshold", { ...threshold });
  return (
    <FormDrawer
      state={state}
      title={t(rule ? "alerts.rules.form.editTitle" : "alerts.rules.form.addTitle")}
      action={t(rule ? "alerts.rules.form.save" : "alerts.rules.form.add")}
      isNew={rule === null}
      onClose={onClose}
    >
      <Section title={t("alerts.rules.form.what")}>
        <Field label={t("alerts.rules.columns.event")} hint={t(`alerts.rules.hints.${form.event}`)}>
          <Select
            fullWidth
            value={form.event}
            onChange={({ target }) => change({ event: target.value, threshold: usualThreshold(target.value) })}
            inputProps={{ "aria-label": t("alerts.rules.columns.event") }}
          >
            {eventsOf(scope).map((event) => (
              <MenuItem key={event} value={event}>
                {t(`alertEvents.names.${event}`)}
              </MenuItem>
            ))}
          </Select>
        </Field>
        {threshold?.unit === "quota" && (
          <Field label={t("alerts.rules.form.units.quota")} htmlFor={`${id}threshold`} error={thresholdFault}>
            <QuotaInput
              id={`${id}threshold`}
              value={form.threshold}
              onChange={(value) => change({ threshold: value })}
              hasError={faults.threshold !== undefined}
              picks={PICKS}
            />
          </Field>
        )}
        {threshold && threshold.unit !== "quota" && (
          <LabelledInput
            label={t(`alerts.rules.form.units.${threshold.unit}`)}
            error={thresholdFault}
            inputProps={{ inputMode: "decimal" }}
            value={form.threshold}
            onChange={(value) => change({ threshold: value })}
          />
        )}
        {hasWindow && (
          <LabelledInput
            label={t("alerts.rules.form.window")}
            error={faults.windowMinutes && t("alerts.rules.form.errors.window", WINDOW_MINUTES)}
            inputProps={{ inputMode: "numeric" }}
            value={form.windowMinutes}
            onChange={(windowMinutes) => change({ windowMinutes })}
          />
        )}
        <SwitchRow
          label={t("alerts.rules.form.enabled")}
          hint={t("alerts.rules.form.enabledHint")}
          isOn={form.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </Section>
      <Section
        title={t("alerts.rules.form.where")}
        hint={t(destinations.length === 0 ? "alerts.rules.form.noDestinations" : "alerts.rules.form.whereHint")}
      >
        <Box>
          {destinations.map((destination) => (
            <FormControlLabel
              key={destination.id}
              sx={{ display: "flex", m: 0, gap: 2, "& .MuiFormControlLabel-label": { fontSize: 13 } }}
              control={
                <Checkbox
                  size="small"
                  checked={form.destinationIds.includes(destination.id)}
                  onChange={(_, isOn) => {
                    const others = form.destinationIds.filter((each) => each !== destination.id);
                    change({ destinationIds: isOn ? [...others, destination.id] : others });
                  }}
                />
              }
              label={destination.name}
            />
          ))}
        </Box>
      </Section>
    </FormDrawer>
  );
};
