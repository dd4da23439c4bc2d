import { count, eq } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { agents } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import { contains } from "../../../lib/values/sql-text.ts";
import type { Listed, Page } from "../orders/list-orders.ts";

export type AgentRow = {
  user_id: number;
  username: string;
  rate: string;
  is_active: boolean;
  note: string;
  balance: number;
  earned: number;
  invited: number;
  created_time: number;
};

/** What agents can be sorted by. */
export const AGENT_SORTS = {
  username: users.username,
  is_active: agents.isActive,
  rate: agents.rate,
  invited: users.affCount,
  balance: agents.balance,
  earned: agents.earned,
  created_time: agents.createdTime,
} as const;

/** All agents, newest first unless sorted; `keyword` is part of the name. */
export async function listAgents(
  db: Db,
  keyword: string,
  { page, pageSize, sort = "created_time", ...order }: Page & Sorting<keyof typeof AGENT_SORTS>,
): Promise<Listed<AgentRow>> {
  const where = keyword.trim() === "" ? undefined : contains(users.username, keyword.trim());
  const isAgent = eq(users.id, agents.userId);
  const { total } = requireRow(await db.select({ total: count() }).from(agents).innerJoin(users, isAgent).where(where));
  const items = await db
    .select({
      user_id: agents.userId,
      username: users.username,
      rate: agents.rate,
      is_active: agents.isActive,
      note: agents.note,
      balance: agents.balance,
      earned: agents.earned,
      invited: users.affCount,
      created_time: agents.createdTime,
    })
    .from(agents)
    .innerJoin(users, isAgent)
    .where(where)
    .orderBy(...orderBy(AGENT_SORTS, agents.userId, { sort, ...order }))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items, total };
}
