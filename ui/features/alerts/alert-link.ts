import { type AlertEvent, eventsOf, SPENDERS, type Spender } from "../../../src/domain/alerts/event-rules.ts";
import type { Address } from "../../components/use-address.ts";
import { roundToFigures } from "../../lib/format/number.ts";
import type { AlertScope } from "./alert-calls.ts";

/** What a new rule begins with, if another page asks for it. */
export type RulePreset = Readonly<{
  event?: AlertEvent;
  /** In the unit of the event. */
  threshold?: number;
  per?: Spender;
  subject?: string;
}>;

/** A rule that a page proposes, and whose it is. */
export type AlertLink = RulePreset & Readonly<{ scope: AlertScope; event: AlertEvent }>;

const PLACES = {
  site: { to: "/alerts", search: {} },
  own: { to: "/personal", search: { tab: "alerts" } },
  organization: { to: "/organization", search: { section: "alerts" } },
} as const;

/** Where the form of a new rule opens, filled in. */
export function alertAddress({ scope, event, threshold, per, subject }: AlertLink) {
  const { to, search } = PLACES[scope];
  return { to, search: { ...search, alert: event, threshold, per, subject } };
}

/** The rule that an address asks for; null: none. */
export function presetOf(address: Pick<Address, "text" | "number">, scope: AlertScope): RulePreset | null {
  const event = eventsOf(scope).find((name) => name === address.text("alert"));
  if (!event) return null;
  const threshold = address.number("threshold");
  const per = SPENDERS[scope === "site" ? "site" : "own"].find((name) => name === address.text("per"));
  const subject = address.text("subject");
  return { event, ...(threshold !== undefined && { threshold }), ...(per && { per }), ...(subject && { subject }) };
}

/** So many days before a balance ends somebody has time to act. */
const WARNED_DAYS = 3;
const FIGURES = 2;

/** The balance at which it lasts three more days: a round amount. */
export const warnedBalance = (daily: number): number => roundToFigures(daily * WARNED_DAYS, FIGURES);
/** Twice the usual spending of a day: a round amount. */
export const unusualSpending = (daily: number): number => roundToFigures(daily * 2, FIGURES);
