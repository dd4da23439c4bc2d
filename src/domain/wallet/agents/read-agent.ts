import { count, eq, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { agents, withdrawals } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";

export type AgentInfo = {
  /** Percent of a recharge, decimal text. */
  rate: string;
  is_active: boolean;
  /** Quota units: to be withdrawn, held for requests under way, paid out, of all time. */
  balance: number;
  held: number;
  paid: number;
  earned: number;
  /** Users invited. */
  invited: number;
  created_time: number;
};

/** What an agent has earned; null for whoever is none. */
export async function readAgent(db: Db, userId: number): Promise<AgentInfo | null> {
  const [agent] = await db.select().from(agents).where(eq(agents.userId, userId));
  if (!agent) return null;
  const sums = await db
    .select({
      held: sql<string>`coalesce(sum(${withdrawals.quota}) filter (where ${withdrawals.status} in ('requested', 'approved')), 0)`,
      paid: sql<string>`coalesce(sum(${withdrawals.quota}) filter (where ${withdrawals.status} = 'paid'), 0)`,
    })
    .from(withdrawals)
    .where(eq(withdrawals.userId, userId));
  const invited = await db.select({ total: count() }).from(users).where(eq(users.inviterId, userId));
  const { held, paid } = requireRow(sums);
  return {
    rate: agent.rate,
    is_active: agent.isActive,
    balance: agent.balance,
    held: Number(held),
    paid: Number(paid),
    earned: agent.earned,
    invited: requireRow(invited).total,
    created_time: agent.createdTime,
  };
}
