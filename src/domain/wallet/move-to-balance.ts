import type { Tx } from "../../../db/types.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { LogNote } from "../logs/log-note.ts";
import { LOG_TYPE, writeLog } from "../logs/write-log.ts";
import { addQuota } from "./add-quota.ts";
import { amountText } from "./amount-text.ts";
import type { WalletDeps } from "./operation.ts";

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
