import { and, eq, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { users } from "../../../../db/schema/accounts/users.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import type { WalletDeps } from "../operation.ts";
import { inviteCodeError } from "./invite-code-rules.ts";

const others = alias(users, "others");

/** Gives a user the invitation code of their choice, once for all. Throws OperationError. */
export async function setInviteCode({ db }: Pick<WalletDeps, "db">, userId: number, input: string): Promise<void> {
  const code = input.trim();
  throwRuleError(inviteCodeError(code));
  await db.transaction(async (tx) => {
    // One choice at a time, so that two of the same code meet here and not at the index.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('invite code'))`);
    const [user] = await tx
      .select({ chosen: users.affCodeModified })
      .from(users)
      .where(eq(users.id, userId))
      .for("update");
    if (user?.chosen) throw new OperationError("invite_code_set_already");
    const free = notExists(tx.select({ id: others.id }).from(others).where(eq(others.affCode, code)));
    const changed = await tx
      .update(users)
      .set({ affCode: code, affCodeModified: true })
      .where(and(eq(users.id, userId), free))
      .returning({ id: users.id });
    if (changed.length === 0) throw new OperationError("invite_code_taken");
  });
}
