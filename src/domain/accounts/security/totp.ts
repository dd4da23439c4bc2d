import { randomInt } from "node:crypto";
import { and, eq, isNotNull, isNull, lt } from "drizzle-orm";
import { recoveryCodes, totpSecrets } from "../../../../db/schema/accounts/sign-in.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";

type TotpDeps = Readonly<{ db: Db; vault: Vault }>;

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Clocks of devices differ: one step back and one ahead. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_LENGTH = 10;
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

/** Whether signing in asks this user for a second factor. */
export async function hasTotp(db: DbOrTx, userId: number): Promise<boolean> {
  const rows = await db.select({ one: totpSecrets.userId }).from(totpSecrets).where(isConfirmed(userId));
  return rows.length > 0;
}

const isConfirmed = (userId: number) => and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.confirmedAt));

/** Makes a secret for the user's device, as text and as an address for a QR code; it counts once a code confirms it. */
export async function beginTotp(
  { db, vault }: TotpDeps,
  user: Readonly<{ id: number; username: string }>,
  issuer: string,
): Promise<{ secret: string; uri: string }> {
  const { Secret, TOTP } = await import("otpauth");
  const secret = new Secret({ size: SECRET_BYTES });
  const secretCipher = vault.encrypt(secret.base32);
  const stored = await db
    .insert(totpSecrets)
    .values({ userId: user.id, secretCipher })
    .onConflictDoUpdate({
      target: totpSecrets.userId,
      set: { secretCipher, lastStep: 0 },
      setWhere: isNull(totpSecrets.confirmedAt),
    })
    .returning({ userId: totpSecrets.userId });
  if (stored.length === 0) throw new OperationError("second_factor_on");
  return { secret: secret.base32, uri: new TOTP({ issuer, label: user.username, secret }).toString() };
}

/** Turns the second factor on and returns the recovery codes, which are shown this once. Throws OperationError. */
export async function confirmTotp(deps: TotpDeps, userId: number, code: string): Promise<string[]> {
  const { db, vault } = deps;
  const step = await stepOf(deps, userId, code);
  if (step === null) throw new OperationError("second_factor_wrong");
  return db.transaction(async (tx) => {
    const confirmed = await tx
      .update(totpSecrets)
      .set({ confirmedAt: nowSeconds(), lastStep: step })
      .where(and(eq(totpSecrets.userId, userId), isNull(totpSecrets.confirmedAt)))
      .returning({ userId: totpSecrets.userId });
    if (confirmed.length === 0) throw new OperationError("second_factor_on");
    return replaceRecoveryCodes(tx, vault, userId);
  });
}

/** New recovery codes in place of the old ones. */
export async function replaceRecoveryCodes(tx: DbOrTx, vault: Vault, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, recoveryCode);
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx.insert(recoveryCodes).values(codes.map((code) => ({ userId, codeHash: hashOf(vault, userId, code) })));
  return codes;
}

/** Whether the code is the device's of now, or an unused recovery code. A code works once, at however many places. */
export async function useSecondFactor(deps: TotpDeps, userId: number, code: string): Promise<boolean> {
  const { db, vault } = deps;
  const step = await stepOf(deps, userId, code);
  if (step !== null) {
    const used = await db
      .update(totpSecrets)
      .set({ lastStep: step })
      .where(and(isConfirmed(userId), lt(totpSecrets.lastStep, step)))
      .returning({ userId: totpSecrets.userId });
    return used.length > 0;
  }
  const used = await db
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, hashOf(vault, userId, code))))
    .returning({ userId: recoveryCodes.userId });
  return used.length > 0;
}

/** Turns the second factor off. */
export async function removeTotp(db: Db, userId: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    await tx.delete(totpSecrets).where(eq(totpSecrets.userId, userId));
  });
}

/** The time step that the code belongs to; null when it is no code of now. */
async function stepOf({ db, vault }: TotpDeps, userId: number, code: string): Promise<number | null> {
  const [row] = await db
    .select({ cipher: totpSecrets.secretCipher })
    .from(totpSecrets)
    .where(eq(totpSecrets.userId, userId));
  const token = code.replace(/\s/g, "");
  if (!row || !/^\d{6}$/.test(token)) return null;
  const timestamp = Date.now();
  const { Secret, TOTP } = await import("otpauth");
  const secret = Secret.fromBase32(vault.decrypt(row.cipher));
  const delta = TOTP.validate({ token, secret, period: PERIOD_SECONDS, window: WINDOW, timestamp });
  return delta === null ? null : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta;
}

function recoveryCode(): string {
  const letters = Array.from({ length: RECOVERY_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return `${letters.slice(0, RECOVERY_LENGTH / 2)}-${letters.slice(RECOVERY_LENGTH / 2)}`;
}

const hashOf = (vault: Vault, userId: number, code: string): string =>
  vault.keyedHash(`recovery ${userId}\n${code.toLowerCase().replace(/[^a-z0-9]/g, "")}`);
