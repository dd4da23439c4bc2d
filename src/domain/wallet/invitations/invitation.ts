import { and, eq, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { users } from "../../../../db/schema/accounts/users.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import { toText } from "../../../lib/values/decimal.ts";
import type { WalletDeps } from "../operation.ts";
import { inviteCodeError } from "./invite-code-rules.ts";
import { cashbackTerms } from "./rebates.ts";

export type Invitation = {
  code: string;
  /** The code was chosen by its owner and stays. */
  code_modified: boolean;
  /** How many came. */
  count: number;
  /** Quota units that wait to be transferred, and those of all time. */
  quota: number;
  history_quota: number;
  for_inviter: number;
  for_invitee: number;
  /** Percent of what the invited recharge; "0": nothing. */
  cashback_rate: string;
  min_cashback_quota: number;
  min_transfer: number;
};

/** A user's invitation code, what it brought, and by which rules. */
export async function readInvitation(
  { db, settings }: Omit<WalletDeps, "changes">,
  userId: number,
): Promise<Invitation> {
  const [user] = await db
    .select({
      code: users.affCode,
      code_modified: users.affCodeModified,
      count: users.affCount,
      quota: users.affQuota,
      history_quota: users.affHistoryQuota,
    })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw new OperationError("user_not_found");
  const { rate, minimum } = cashbackTerms(settings);
  return {
    ...user,
    for_inviter: settings.get("QuotaForInviter"),
    for_invitee: settings.get("QuotaForInvitee"),
    cashback_rate: toText(rate),
    min_cashback_quota: minimum,
    min_transfer: settings.get("QuotaPerUnit"),
  };
}

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
