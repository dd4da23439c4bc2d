import { and, count, eq, gte, isNull, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { agents, withdrawals } from "../../../../db/schema/wallet/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import { contains } from "../../../lib/values/sql-text.ts";
import { checkReach } from "../../accounts/access/check-reach.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { moveToBalance } from "../balances.ts";
import type { Listed, Page, WalletDeps } from "../operation.ts";
import { agentRate } from "./agent-rules.ts";

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

type AgentInput = Readonly<{
  username: string;
  /** Percent of a recharge, decimal text with up to two places. */
  rate: string;
  isActive: boolean;
  note: string;
}>;

const LONGEST_NOTE = 500;

/** Makes a user an agent, or changes the terms of one; the log says who did. Throws OperationError. */
export async function saveAgent(db: Db, actor: UserEntry, input: AgentInput): Promise<void> {
  const terms = { rate: readRate(input.rate), isActive: input.isActive, note: input.note.trim() };
  if ([...terms.note].length > LONGEST_NOTE) throw new OperationError("note_too_long", { max: LONGEST_NOTE });
  await db.transaction(async (tx) => {
    const [user] = await tx
      .select({ id: users.id, username: users.username, role: users.role, adminRoleId: users.adminRoleId })
      .from(users)
      .where(and(eq(users.username, input.username.trim()), eq(users.kind, "person"), isNull(users.deletedAt)));
    if (!user) throw new OperationError("user_not_found");
    checkReach(actor, user);
    const [before] = await tx
      .select({ rate: agents.rate, isActive: agents.isActive, note: agents.note })
      .from(agents)
      .where(eq(agents.userId, user.id))
      .for("update");
    await tx
      .insert(agents)
      .values({ userId: user.id, ...terms, grantedBy: actor.id, createdTime: nowSeconds() })
      .onConflictDoUpdate({ target: agents.userId, set: terms });
    const what = `${before ? "Changed the terms of" : "Made an agent of"} ${user.username} (#${user.id})`;
    const note = {
      code: before ? "agent_changed" : "agent_made",
      params: { name: user.username, id: user.id },
    } as const;
    await writeManagementLog(tx, actor, what, {
      note,
      action: before ? "update" : "create",
      user_id: user.id,
      before: before ?? {},
      after: terms,
    });
  });
}

function readRate(text: string): string {
  const rate = agentRate(text);
  if (rate === null) throw new OperationError("agent_rate_invalid");
  return rate;
}

/** Moves quota units from an agent's earnings to their own balance. Throws OperationError. */
export const transferEarnings = (deps: WalletDeps, userId: number, quotaUnits: number): Promise<void> =>
  moveToBalance(deps, userId, quotaUnits, {
    content: "Agent's earnings transferred to the balance",
    note: { code: "earnings_transferred" },
    async take(tx) {
      const taken = await tx
        .update(agents)
        .set({ balance: sql`${agents.balance} - ${quotaUnits}` })
        .where(and(eq(agents.userId, userId), gte(agents.balance, quotaUnits)))
        .returning({ id: agents.userId });
      return taken.length > 0;
    },
  });
