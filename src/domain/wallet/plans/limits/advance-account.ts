import { nowSeconds } from "../../../../lib/clock.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import { recentEntries } from "../../../../lib/values/tables/recent-entries.ts";
import { advanceSubscriptions } from "../advance-subscriptions.ts";
import type { PlanDeps } from "../subscribe.ts";

/** After one look, calls of the account wait for no other for so long. */
const LOOK_AGAIN_MS = 5000;
const MOST_ACCOUNTS = 10_000;

/**
 * Fills windows of an account that are over, for a call that comes before the job does; calls at the same time share one look.
 * Resolves when calls can use them. Never rejects: without the database, calls have what memory knows of the last window.
 */
export function createAccountAdvancer(deps: PlanDeps & Readonly<{ log: Logger }>): (userId: number) => Promise<void> {
  const looks = recentEntries<number, Promise<void>>(MOST_ACCOUNTS, LOOK_AGAIN_MS);
  return (userId) => {
    const known = looks.get(userId);
    if (known) return known;
    const look = advanceSubscriptions(deps, undefined, nowSeconds(), userId).then(
      () => undefined,
      (error: unknown) => deps.log.warn({ error, userId }, "the windows of plans could not be filled"),
    );
    looks.set(userId, look);
    return look;
  };
}
