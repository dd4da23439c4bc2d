import type { BudgetPeriod } from "../../../../db/schema/accounts/organizations/budgets.ts";
import { decimal, multiply, roundToInteger } from "../../../lib/values/decimal.ts";
import type { SourceRow } from "../source.ts";
import { textOf } from "../values.ts";
import { secondsIn } from "./tables.ts";

/** How often LiteLLM resets a budget → the same here. */
const PERIODS: Readonly<Record<string, BudgetPeriod>> = {
  "1d": "day",
  "24h": "day",
  "7d": "week",
  "1w": "week",
  "30d": "month",
  "1mo": "month",
};

/** A budget of LiteLLM in quota units. */
export type Budget = Readonly<{
  limit: number;
  spent: number;
  /** `total`: it is not renewed, or at an interval that there is not here. */
  period: BudgetPeriod;
  /** Epoch seconds; 0: not known. */
  resetAt: number;
  /** The interval that has no counterpart; empty: it has one. */
  oddInterval: string;
}>;

/** Dollars (a number as LiteLLM stores it) in quota units; never below zero. */
export const unitsOf = (dollars: unknown, unitsAUsd: string): number =>
  typeof dollars === "number" && Number.isFinite(dollars)
    ? Math.max(0, roundToInteger(multiply(decimal(dollars), decimal(unitsAUsd))))
    : 0;

/** The budget of a row, or the one it refers to; null: there is no limit. `spent` is of the row. */
export function budgetOf(row: SourceRow, budgets: ReadonlyMap<string, SourceRow>, unitsAUsd: string): Budget | null {
  const shared = budgets.get(textOf(row, "budget_id"));
  const from = typeof row.max_budget === "number" ? row : shared;
  if (!from || typeof from.max_budget !== "number") return null;
  const interval = textOf(from, "budget_duration");
  const period = interval === "" ? "total" : PERIODS[interval];
  return {
    ...{ limit: unitsOf(from.max_budget, unitsAUsd), spent: unitsOf(row.spend, unitsAUsd) },
    ...{ period: period ?? "total", oddInterval: period ? "" : interval },
    resetAt: secondsIn(from, "budget_reset_at") || secondsIn(row, "budget_reset_at"),
  };
}

/** What is left of a budget. */
export const restOf = ({ limit, spent }: Budget): number => Math.max(0, limit - spent);
