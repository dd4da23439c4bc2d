import Checkbox from "@mui/material/Checkbox";
import FormControlLabel from "@mui/material/FormControlLabel";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import {
  type AlertEvent,
  eventsOf,
  eventTraits,
  SPEND_PERIODS,
  SPENDERS,
  type Spender,
  type SpendPeriod,
  spenderOf,
  spendPeriodOf,
  thresholdError,
  WINDOW_MINUTES,
  windowError,
} from "../../../src/domain/alerts/event-rules.ts";
import type { RuleInput } from "../../../src/domain/alerts/rules.ts";
import { exactAmountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { optionsOf } from "../../components/form/form-fields.ts";
import { ResourceForm } from "../../components/form/ResourceForm.tsx";
import type { MoneyFormat } from "../../lib/format/amount-text.ts";
import { formatNumber } from "../../lib/format/number.ts";
import { type AlertScope, addDestination, destinationList, type Rule, ruleList, saveRule } from "./alert-calls.ts";
import type { RulePreset } from "./alert-link.ts";
import { bodyOf as destinationBody, newDestination, typeOfUrl } from "./destination-form.ts";

/** The drawer's fields; numbers are text while being edited. */
type RuleForm = {
  event: AlertEvent;
  threshold: string;
  windowMinutes: string;
  period: SpendPeriod;
  per: Spender;
  subject: string;
  destinationIds: readonly number[];
  enabled: boolean;
  /** Of a chat that is to become the first destination; empty: none. */
  url: string;
};

const scopeOf = (scope: AlertScope) => (scope === "site" ? "site" : "own");

/** The usual threshold of an event, as text. */
const usualThreshold = (event: AlertEvent): string => String(eventTraits(event).threshold?.usual ?? 0);

/** Initial form values of a rule; null: a new one of the scope's first event. */
export function formOf(rule: Rule | null, scope: AlertScope, preset: RulePreset = {}): RuleForm {
  const event = rule?.event ?? preset.event ?? eventsOf(scope)[0] ?? "error_rate";
  return {
    event,
    threshold: rule ? String(rule.threshold) : (preset.threshold?.toString() ?? usualThreshold(event)),
    windowMinutes: String(rule?.window_minutes || WINDOW_MINUTES.usual),
    period: spendPeriodOf(rule?.period ?? "") ?? "day",
    per: spenderOf(rule?.per ?? preset.per ?? "", scopeOf(scope)) ?? "total",
    subject: rule?.subject ?? preset.subject ?? "",
    destinationIds: rule?.destination_ids ?? [],
    enabled: rule?.enabled ?? true,
    url: "",
  };
}

/** The body of POST and PUT. */
export const bodyOf = (form: RuleForm): RuleInput => ({
  event: form.event,
  threshold: Number(form.threshold),
  window_minutes: eventTraits(form.event).hasWindow ? Number(form.windowMinutes) : 0,
  ...(eventTraits(form.event).namedBy && { subject: form.subject }),
  ...(eventTraits(form.event).isSpending && { period: form.period, per: form.per, subject: form.subject }),
  destination_ids: form.destinationIds,
  enabled: form.enabled,
});

/** What is wrong with the form, by field. */
export const checkForm = ({ event, threshold, windowMinutes, url }: RuleForm) => ({
  ...(url.trim() !== "" && typeOfUrl(url) === null && { url: "url" as const }),
  threshold: thresholdError(event, threshold.trim() === "" ? Number.NaN : Number(threshold)),
  windowMinutes: windowError(event, windowMinutes.trim() === "" ? Number.NaN : Number(windowMinutes)),
});

type RuleDrawerProps = Readonly<{
  scope: AlertScope;
  /** Null: a new one. */
  rule: Rule | null;
  preset?: RulePreset;
  onClose: () => void;
}>;

/** The thresholds that an event takes, as its unit is written. */
function rangeOf(event: AlertEvent, money: MoneyFormat): { min: string; max: string } {
  const { unit, min = 0, max = 0 } = eventTraits(event).threshold ?? {};
  const textOf = (value: number) => (unit === "quota" ? exactAmountText(value, money) : formatNumber(value));
  return { min: textOf(min), max: textOf(max) };
}

/** Dollars. */
const PICKS = [1, 5, 10, 50];

/** Adds a rule, or edits one: the event, its threshold, and where it goes. */
export const RuleDrawer = ({ scope, rule, preset, onClose }: RuleDrawerProps) => {
  const { t, i18n } = useTranslation();
  const known = useQuery(destinationList(scope)).data;
  const destinations = known ?? [];
  const isFirst = known?.length === 0;
  const money = useMoneyFormat();
  const save = async (form: RuleForm) => {
    const type = isFirst && typeOfUrl(form.url);
    if (type) {
      const first = { ...newDestination(i18n.language), type, url: form.url, name: t(`alerts.types.${type}`) };
      await addDestination(scope, { ...destinationBody(first), type });
    }
    await saveRule(scope, bodyOf(form), rule?.id);
    return t("alerts.rules.saved");
  };
  return (
    <ResourceForm
      title={t(rule ? "alerts.rules.form.editTitle" : "alerts.rules.form.addTitle")}
      action={t(rule ? "alerts.rules.form.save" : "alerts.rules.form.add")}
      isNew={rule === null}
      resource={rule && { section: "alert_rules", id: rule.id }}
      text={(name) => `alerts.rules.form.${name}`}
      initial={formOf(rule, scope, preset)}
      check={checkForm}
      fault={(_, field, { event }) =>
        field === "url"
          ? t("alerts.rules.form.errors.url")
          : field === "threshold"
            ? t("alerts.rules.form.errors.threshold", rangeOf(event, money))
            : t("alerts.rules.form.errors.window", WINDOW_MINUTES)
      }
      follow={({ event }) => (event ? { threshold: usualThreshold(event) } : {})}
      save={save}
      reload={[ruleList(scope), destinationList(scope)]}
      sections={({ event, per, destinationIds }, change) => {
        const { threshold, hasWindow, isSpending, namedBy } = eventTraits(event);
        return [
          {
            title: t("alerts.rules.form.what"),
            fields: [
              {
                kind: "select",
                field: "event",
                label: t("alerts.rules.columns.event"),
                hint: t(`alerts.rules.hints.${event}`),
                options: optionsOf(eventsOf(scope), (name) => t(`alertEvents.names.${name}`)),
              },
              threshold && {
                kind: threshold.unit === "quota" ? "quota" : "number",
                field: "threshold",
                label: t(`alerts.rules.form.units.${threshold.unit}`),
                ...(threshold.unit === "quota" && { picks: PICKS }),
              },
              hasWindow && { kind: "integer", field: "windowMinutes", label: t("alerts.rules.form.window") },
              namedBy && {
                kind: "text",
                field: "subject",
                label: t(`alerts.rules.form.${namedBy}`),
                hint: t(`alerts.rules.form.${namedBy}Hint`),
              },
              isSpending && {
                kind: "choice",
                field: "period",
                options: optionsOf(SPEND_PERIODS, (name) => t(`alerts.rules.form.periods.${name}`)),
              },
              isSpending && {
                kind: "select",
                field: "per",
                options: optionsOf(SPENDERS[scopeOf(scope)], (name) => t(`alerts.rules.form.spenders.${name}`)),
              },
              isSpending && per !== "total" && { kind: "text", field: "subject", hint: true },
              { kind: "switch", field: "enabled", hint: true },
            ],
          },
          {
            title: t("alerts.rules.form.where"),
            hint: t(isFirst ? "alerts.rules.form.noDestinations" : "alerts.rules.form.whereHint"),
            fields: isFirst
              ? [{ kind: "text", field: "url", hint: true, placeholder: "https://hooks.slack.com/services/…" }]
              : destinations.map(({ id, name }) => (
                  <FormControlLabel
                    key={id}
                    sx={{ display: "flex", m: 0, gap: 2, "& .MuiFormControlLabel-label": { fontSize: 13 } }}
                    control={
                      <Checkbox
                        size="small"
                        checked={destinationIds.includes(id)}
                        onChange={(_, isOn) => {
                          const others = destinationIds.filter((each) => each !== id);
                          change({ destinationIds: isOn ? [...others, id] : others });
                        }}
                      />
                    }
                    label={name}
                  />
                )),
          },
        ];
      }}
      onClose={onClose}
    />
  );
};
