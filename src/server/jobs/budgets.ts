import { renewBudgets } from "../../domain/api-keys/budget/renew-budgets.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { every } from "./every.ts";

const EVERY_MS = 30_000;

/**
 * Fills the budgets of keys whose period has ended, so that lists show it; a call that comes first does it for its key.
 * Returns what ends it.
 */
export const startBudgetJob = (deps: Parameters<typeof renewBudgets>[0] & Readonly<{ log: Logger }>): (() => void) =>
  every(
    EVERY_MS,
    () => renewBudgets(deps),
    (error) => deps.log.warn({ error }, "budgets of API keys could not be renewed"),
  );
