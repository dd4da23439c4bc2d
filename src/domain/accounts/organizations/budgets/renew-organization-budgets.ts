import { sql } from "drizzle-orm";
import { budgets } from "../../../../../db/schema/accounts/organizations/budgets.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { periodEnd } from "../../../../lib/values/calendar-period.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import type { OrganizationDeps } from "../operation.ts";

/** Budgets renewed in one statement. */
const MOST_AT_ONCE = 500;

/**
 * Begins the next period of budgets whose period has ended, of these or of all. Each period begins once, whoever asks first,
 * when the one before ended. What calls under way hold stays held. Resolves with how many were renewed, when this process knows of it.
 */
export async function renewOrganizationBudgets(
  { db, changes, settings }: OrganizationDeps,
  ids?: readonly number[],
  now: number = nowSeconds(),
): Promise<number> {
  const next = periodEnd(sql`${budgets.period}`, settings.get("CheckInTimeZone"), now);
  const due = sql`select ${budgets.id} from ${budgets}
    where ${budgets.renewsAt} > 0 and ${budgets.renewsAt} <= ${now} and ${budgets.deletedAt} is null
      ${ids ? sql`and ${isOneOf(sql`${budgets.id}`, ids)}` : sql``}
    order by ${budgets.id} limit ${MOST_AT_ONCE} for update`;
  const renewed = await db
    .update(budgets)
    .set({
      remaining: sql`greatest(0, ${budgets.limit} - ${budgets.spentAhead})`,
      ...{ spent: sql`${budgets.spentAhead}`, spentAhead: 0, cleared: 0 },
      ...{ periodStart: sql`${budgets.renewsAt}`, renewsAt: next },
    })
    .where(sql`${budgets.id} in (${due})`)
    .returning({ id: budgets.id });
  // Where another process was faster, this one still has to learn of it before its call goes on.
  await changes.publish("budgets", ids ?? renewed.map(({ id }) => id));
  return renewed.length;
}
