import { and, eq, isNull } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { agents } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { checkReach } from "../../accounts/users/manage-user.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { agentRate } from "./agent-rules.ts";

export type AgentInput = Readonly<{
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
