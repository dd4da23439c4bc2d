import { eq } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { type Language, writtenLanguage } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { Mailer } from "../../notifications/mail.ts";
import { type Letter, writeMail } from "../../notifications/mail.ts";
import { keepFormer } from "../identity/former-identities.ts";
import { checkEmailAddress, claimEmail } from "../registration/email-address.ts";
import { checkCode, consumeCode } from "../registration/verification-codes.ts";

type EmailDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader; mailer: Mailer }>;

/**
 * Gives a user the address that has received the code, in place of the one before, which is notified of it. Throws
 * OperationError.
 */
export async function bindEmail(
  deps: EmailDeps,
  request: Readonly<{ userId: number; email: string; code: string; language: Language }>,
): Promise<void> {
  const { db, changes, vault, settings } = deps;
  const { userId } = request;
  const target = checkEmailAddress(settings, request.email);
  if (request.code.trim() === "") throw new OperationError("verification_code_required");
  const proof = { purpose: `bind:${userId}`, target, code: request.code } as const;
  if (!(await checkCode({ db, vault }, proof))) throw new OperationError("verification_code_wrong");
  const before = await db.transaction(async (tx) => {
    await consumeCode(tx, vault, proof);
    await claimEmail(tx, vault, target, userId);
    const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId)).for("update");
    const former = user?.email ?? null;
    if (former !== null) await keepFormer(tx, vault, userId, [{ provider: "email", subject: former }]);
    await tx.update(users).set({ email: target }).where(eq(users.id, userId));
    return former;
  });
  await changes.publish("users", [userId]);
  if (before !== null && before !== target) notifyFormerAddress(deps, before, request.language);
}

/** Removes a user's address, which is notified of it. Throws OperationError when there is none. */
export async function unbindEmail(deps: EmailDeps, userId: number, language: Language): Promise<void> {
  const { db, changes, vault } = deps;
  const before = await db.transaction(async (tx) => {
    const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId)).for("update");
    if (!user?.email) throw new OperationError("identity_not_bound");
    await keepFormer(tx, vault, userId, [{ provider: "email", subject: user.email }]);
    await tx.update(users).set({ email: null }).where(eq(users.id, userId));
    return user.email;
  });
  await changes.publish("users", [userId]);
  notifyFormerAddress(deps, before, language);
}

/** Whoever stole a session cannot move the account away unseen. The mailer notes in the log what it could not send. */
function notifyFormerAddress({ mailer, settings }: EmailDeps, address: string, language: Language): void {
  if (!mailer.isConfigured()) return;
  mailer.send(writeMail(address, letter(language, settings.get("SystemName")))).catch(() => {});
}

function letter(language: Language, site: string): Letter {
  if (writtenLanguage(language) === "zh") {
    return {
      subject: `${site} 邮箱已变更`,
      paragraphs: [`你在 ${site} 的账号不再使用此邮箱。如非本人操作，请立即修改密码并联系管理员。`],
    };
  }
  return {
    subject: `${site}: your email address was changed`,
    paragraphs: [
      `Your account at ${site} does not use this address any more. If it was not you, change your password and tell the administrator.`,
    ],
  };
}
