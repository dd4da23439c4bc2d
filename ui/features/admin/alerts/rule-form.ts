import {
  type AlertEvent,
  eventsOf,
  eventTraits,
  thresholdError,
  WINDOW_MINUTES,
  windowError,
} from "../../../../src/domain/alerts/event-rules.ts";
import type { RuleInput } from "../../../../src/domain/alerts/rules.ts";
import type { AlertScope, Rule } from "./alert-calls.ts";

/** The drawer's fields; numbers are text while being edited. */
export type RuleForm = {
  event: AlertEvent;
  threshold: string;
  windowMinutes: string;
  destinationIds: readonly number[];
  enabled: boolean;
};

/** The usual threshold of an event, as text. */
export const usualThreshold = (event: AlertEvent): string => String(eventTraits(event).threshold?.usual ?? 0);

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
