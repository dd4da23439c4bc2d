import { and, eq, gt, lt, sql } from "drizzle-orm";
import { verificationCodes } from "../../../../db/schema/accounts/users.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";

/** What a code was sent for; for another thing it does not work. `bind:7` is bound to the user who asked. */
export type CodePurpose = "register" | "reset" | `bind:${number}`;

type CodeDeps = Readonly<{ db: Db; vault: Vault }>;

/** Wrong tries after which a code is void. */
const MOST_ATTEMPTS = 5;

/**
 * Stores the code that is about to be sent to `target`; an earlier one ends. Throws OperationError when the earlier one was
 * sent less than `pauseSeconds` ago.
 */
export async function storeCode(
  { db, vault }: CodeDeps,
  entry: Readonly<{
    purpose: CodePurpose;
    target: string;
    code: string;
    lifetimeSeconds: number;
    pauseSeconds: number;
  }>,
): Promise<void> {
  const now = nowSeconds();
  const row = {
    purpose: entry.purpose,
    target: entry.target.toLowerCase(),
    codeHash: hashOf(vault, entry),
    attempts: 0,
    expiresAt: now + entry.lifetimeSeconds,
  };
  await db.delete(verificationCodes).where(lt(verificationCodes.expiresAt, now));
  const latest = now + entry.lifetimeSeconds - entry.pauseSeconds;
  const stored = await db
    .insert(verificationCodes)
    .values(row)
    .onConflictDoUpdate({
      target: [verificationCodes.purpose, verificationCodes.target],
      set: row,
      setWhere: sql`${verificationCodes.expiresAt} <= ${latest}`,
    })
    .returning({ target: verificationCodes.target });
  if (stored.length > 0) return;
  const seconds = entry.pauseSeconds;
  throw new OperationError("code_sent_just_now", { seconds }, { status: 429, retryAfterSeconds: seconds });
}

/** Whether the code was sent to `target` for this purpose and is still good. Every call counts as a try; five end it. */
export async function checkCode(
  { db, vault }: CodeDeps,
  input: Readonly<{ purpose: CodePurpose; target: string; code: string }>,
): Promise<boolean> {
  const [tried] = await db
    .update(verificationCodes)
    .set({ attempts: sql`${verificationCodes.attempts} + 1` })
    .where(
      and(
        eq(verificationCodes.purpose, input.purpose),
        eq(verificationCodes.target, input.target.toLowerCase()),
        gt(verificationCodes.expiresAt, nowSeconds()),
        lt(verificationCodes.attempts, MOST_ATTEMPTS),
      ),
    )
    .returning({ codeHash: verificationCodes.codeHash });
  return tried?.codeHash === hashOf(vault, input);
}

/** Uses a checked code up, inside the transaction of what it allows. Throws OperationError when somebody was quicker. */
export async function consumeCode(
  tx: DbOrTx,
  vault: Vault,
  input: Readonly<{ purpose: CodePurpose; target: string; code: string }>,
): Promise<void> {
  const used = await tx
    .delete(verificationCodes)
    .where(
      and(
        eq(verificationCodes.purpose, input.purpose),
        eq(verificationCodes.target, input.target.toLowerCase()),
        eq(verificationCodes.codeHash, hashOf(vault, input)),
      ),
    )
    .returning({ target: verificationCodes.target });
  if (used.length === 0) throw new OperationError("verification_code_wrong");
}

const hashOf = (vault: Vault, { purpose, target, code }: Readonly<{ purpose: string; target: string; code: string }>) =>
  vault.keyedHash(`${purpose}\n${target.toLowerCase()}\n${code.trim().toLowerCase()}`);
