import { eq, or, sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../db/types.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { LOG_TYPE, type LogNote, writeLog } from "../logs/write-log.ts";
import { amountText } from "./amount-text.ts";
import type { WalletDeps } from "./operation.ts";

/**
 * Adds `quotaUnits` to a user's balance, whatever else changes it at the same time. Whoever calls this publishes the user
 * to "users" after the commit.
 */
export async function addQuota(tx: Tx, userId: number, quotaUnits: number): Promise<void> {
  await tx
    .update(users)
    .set({ quota: sql`${users.quota} + ${quotaUnits}` })
    .where(eq(users.id, userId));
}

/**
 * Locks the balances that a recharge changes, the user's and the inviter's, in the order in which the ledger locks those of
 * many users: neither then waits for the other in a circle. To be called before anything else refers to them.
 */
export async function lockBalances(tx: Tx, userId: number): Promise<void> {
  const inviter = sql`(select u.inviter_id from users u where u.id = ${userId})`;
  await tx
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, userId), eq(users.id, inviter)))
    .orderBy(users.id)
    .for("no key update");
}

type Source = Readonly<{
  /** Takes the units off in one conditional statement; false: there are not so many. */
  take: (tx: Tx) => Promise<boolean>;
  /** What the log says of it, in words and in the reader's language. */
  content: string;
  note: LogNote;
}>;

/** Moves quota units that a user has earned to their balance, a dollar's worth at least. Throws OperationError. */
export async function moveToBalance(
  { db, changes, settings }: WalletDeps,
  userId: number,
  quotaUnits: number,
  { take, content, note }: Source,
): Promise<void> {
  const least = settings.get("QuotaPerUnit");
  if (!Number.isSafeInteger(quotaUnits) || quotaUnits < least) {
    throw new OperationError("transfer_too_small", { minimum: amountText(settings, least) });
  }
  await db.transaction(async (tx) => {
    if (!(await take(tx))) throw new OperationError("transfer_too_large");
    await addQuota(tx, userId, quotaUnits);
    await writeLog(tx, { type: LOG_TYPE.system, userId, content, note, quota: quotaUnits });
  });
  await changes.publish("users", [userId]);
}
