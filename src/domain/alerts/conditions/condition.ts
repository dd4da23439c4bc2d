import type { Db } from "../../../../db/types.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { Notice } from "../../notifications/message.ts";
import type { Severity } from "../alert.ts";
import type { AlertOwner } from "../destinations.ts";
import type { Spender, SpendPeriod } from "../event-rules.ts";

/** Something that is as a rule says, now. */
export type Condition = Readonly<{
  /** What it is about, the same for as long as it lasts: `channel/7`. */
  subject: string;
  severity: Severity;
  notice: Notice;
  /** Another condition of the same rule says more: it is remembered, and not sent. */
  isQuiet?: boolean;
}>;

/** What conditions are found with. */
export type ConditionDeps = Readonly<{ db: Db; settings: SettingsReader }>;

/** Whose spending, since when, and of which one alone; the subject is empty for each of them. */
export type SpendingQuery = Readonly<{ period: SpendPeriod; per: Spender; subject: string }>;

/** What a rule asks for; `now` in epoch seconds. */
export type ConditionQuery = Readonly<{
  owner: AlertOwner;
  /** The name of the owner if it is an organization; null: it is a person or the site. */
  organization: string | null;
  threshold: number;
  windowMinutes: number;
  /** Of a rule about spending. */
  spending?: SpendingQuery;
  /** Of a rule about causes of failures or about guardrails: the only one that is meant, or what guardrails did; empty: each. */
  name?: string;
  now: number;
  /** When the rule was made, in epoch seconds. */
  since: number;
}>;

/** Finds what is as a rule says. Rejects when the database does not answer. */
export type FindConditions = (deps: ConditionDeps, query: ConditionQuery) => Promise<Condition[]>;

const MOST_DIGITS = 1;

/** A number with one digit at most: "12.5". */
export const shortNumber = (value: number): string => String(Number(value.toFixed(MOST_DIGITS)));

const DOLLAR_DIGITS = 2;

/** Quota units as dollars: "$1.25". */
export const dollars = (quota: number, { settings }: ConditionDeps): string =>
  `$${(quota / settings.get("QuotaPerUnit")).toFixed(DOLLAR_DIGITS)}`;
