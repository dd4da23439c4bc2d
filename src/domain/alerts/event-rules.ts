/** Whose spending a threshold is about: all of it together, or that of each one of a kind. */
export const SPENDERS = {
  site: ["total", "group", "user", "key", "model", "channel", "organization"],
  own: ["total", "key", "model"],
} as const;
export type Spender = (typeof SPENDERS)["site"][number];

/** Since when spending is summed up: the beginning of the day, the week or the month. */
export const SPEND_PERIODS = ["day", "week", "month"] as const;
export type SpendPeriod = (typeof SPEND_PERIODS)[number];

/** How an event is measured. */
type EventTraits = Readonly<{
  /** Who can have it watched: administrators for the site, users for their account. */
  scopes: readonly ("site" | "own")[];
  /** The least and the largest threshold; without it the event has none. */
  threshold?: Readonly<{
    unit: "percent" | "seconds" | "times" | "quota" | "days" | "networks" | "calls" | "requests";
    min: number;
    max: number;
    usual: number;
  }>;
  /** It is measured over the last minutes. */
  hasWindow?: true;
  /** It is a sum of what was spent: over a period, in all or by each one of a kind. */
  isSpending?: true;
  /** It is about each cause of failures or each guardrail, or about one that the rule's subject names. */
  namedBy?: "cause" | "guardrail";
  /** It happens in a moment: there is nothing to resolve. */
  isMomentary?: true;
}>;

/** Every event that can be an alert, in the order of the console. */
export const ALERT_EVENTS = {
  channel_disabled: { scopes: ["site"] },
  channel_suspicious: { scopes: ["site"] },
  channel_balance_low: { scopes: ["site"] },
  journal_lost: { scopes: ["site"] },
  error_rate: {
    scopes: ["site", "own"],
    threshold: { unit: "percent", min: 1, max: 100, usual: 20 },
    hasWindow: true,
  },
  failures: {
    scopes: ["site", "own"],
    threshold: { unit: "calls", min: 1, max: 100_000, usual: 10 },
    hasWindow: true,
    namedBy: "cause",
  },
  guardrails: {
    scopes: ["site", "own"],
    threshold: { unit: "requests", min: 1, max: 100_000, usual: 10 },
    hasWindow: true,
    namedBy: "guardrail",
  },
  latency_p95: {
    scopes: ["site", "own"],
    threshold: { unit: "seconds", min: 0.1, max: 3600, usual: 30 },
    hasWindow: true,
  },
  spend_anomaly: { scopes: ["site", "own"], threshold: { unit: "times", min: 1.1, max: 1000, usual: 3 } },
  spending: {
    scopes: ["site", "own"],
    threshold: { unit: "quota", min: 1, max: 9e15, usual: 25_000_000 },
    isSpending: true,
  },
  price_change: { scopes: ["site", "own"], isMomentary: true },
  balance_low: { scopes: ["own"], threshold: { unit: "quota", min: 1, max: 9e15, usual: 500_000 } },
  key_budget: { scopes: ["own"], threshold: { unit: "percent", min: 1, max: 100, usual: 80 } },
  organization_budget: { scopes: ["own"], threshold: { unit: "percent", min: 1, max: 100, usual: 50 } },
  plan_ending: { scopes: ["own"], threshold: { unit: "days", min: 1, max: 90, usual: 3 } },
  payment_report: { scopes: ["site"] },
  key_leaked: { scopes: ["site", "own"], threshold: { unit: "networks", min: 2, max: 400, usual: 5 } },
  key_rotation: { scopes: ["own"], threshold: { unit: "days", min: 1, max: 90, usual: 14 } },
  key_unused: { scopes: ["own"], threshold: { unit: "days", min: 1, max: 3650, usual: 30 } },
} as const satisfies Readonly<Record<string, EventTraits>>;
export type AlertEvent = keyof typeof ALERT_EVENTS;

/** Minutes over which an event may be measured. */
export const WINDOW_MINUTES = { min: 1, max: 1440, usual: 10 } as const;

/** How an event is measured. */
export const eventTraits = (event: AlertEvent): EventTraits => ALERT_EVENTS[event];

/** Whether a text names an event that this release knows. */
export const isAlertEvent = (name: string): name is AlertEvent => Object.hasOwn(ALERT_EVENTS, name);

/** The events that can be watched for the site, or for an account: an organization's are those of people. */
export const eventsOf = (scope: "site" | "own" | "organization"): readonly AlertEvent[] =>
  Object.keys(ALERT_EVENTS)
    .filter(isAlertEvent)
    .filter((event) => eventTraits(event).scopes.includes(scope === "site" ? "site" : "own"));

/** What is wrong with a threshold; undefined: nothing, or the event has none. */
export function thresholdError(event: AlertEvent, threshold: number): "alert_threshold_invalid" | undefined {
  const limits = eventTraits(event).threshold;
  if (!limits) return undefined;
  return threshold >= limits.min && threshold <= limits.max ? undefined : "alert_threshold_invalid";
}

/** What a rule's text names, if it can be asked for in the scope. */
export const spenderOf = (name: string, scope: "site" | "own"): Spender | undefined =>
  SPENDERS[scope].find((spender) => spender === name);
export const spendPeriodOf = (name: string): SpendPeriod | undefined => SPEND_PERIODS.find((period) => period === name);

/** What is wrong with the minutes of a window; undefined: nothing, or the event has none. */
export function windowError(event: AlertEvent, minutes: number): "alert_window_invalid" | undefined {
  if (!eventTraits(event).hasWindow) return undefined;
  const isValid = Number.isInteger(minutes) && minutes >= WINDOW_MINUTES.min && minutes <= WINDOW_MINUTES.max;
  return isValid ? undefined : "alert_window_invalid";
}
