import { sql } from "drizzle-orm";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import type { ApiKeyDeps } from "../operation.ts";
import { periodEnd } from "./budget.ts";

type RenewDeps = Pick<ApiKeyDeps, "db" | "changes" | "settings">;

/** Keys renewed in one statement. */
const MOST_AT_ONCE = 500;

/**
 * Fills the budgets whose period has ended, of these keys or of all; keys that were used up work again. Each period of a
 * key begins once, whoever asks first. Resolves with how many were renewed, when this process knows of it.
 */
export async function renewBudgets(
  { db, changes, settings }: RenewDeps,
  ids?: readonly number[],
  now: number = nowSeconds(),
): Promise<number> {
  const next = periodEnd(sql`${tokens.budgetPeriod}`, settings.get("CheckInTimeZone"), now);
  // Locked in the order of their ids, as the ledger does.
  const due = sql`select ${tokens.id} from ${tokens}
    where ${tokens.budgetRenewsAt} > 0 and ${tokens.budgetRenewsAt} <= ${now}
      ${ids ? sql`and ${isOneOf(sql`${tokens.id}`, ids)}` : sql``}
    order by ${tokens.id} limit ${MOST_AT_ONCE} for update`;
  const renewed = await db
    .update(tokens)
    .set({
      remainQuota: sql`${tokens.budgetQuota}`,
      status: sql`case when ${tokens.status} = 4 then 1 else ${tokens.status} end`,
      budgetRenewsAt: next,
    })
    .where(sql`${tokens.id} in (${due})`)
    .returning({ id: tokens.id });
  // Where another process was faster, this one still has to learn of it before its call goes on.
  await changes.publish("tokens", ids ?? renewed.map(({ id }) => id));
  return renewed.length;
}
