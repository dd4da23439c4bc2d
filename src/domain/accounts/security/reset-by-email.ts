import { randomBytes, randomInt } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { type Language, writtenLanguage } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { type Letter, writeMail } from "../../notifications/mail.ts";
import type { MailCodeDeps } from "../registration/send-verification.ts";
import { checkCode, consumeCode, storeCode } from "../registration/verification-codes.ts";
import { setPassword } from "./change-password.ts";
import { removeTotp } from "./totp.ts";

const LIFETIME_SECONDS = 600;
const PAUSE_SECONDS = 30;
const TOKEN_BYTES = 16;

/**
 * Mails a link that resets the password of the accounts with this address; `siteAddress` is where the console is. Whether
 * there are any is not revealed: neither in words, nor by how long it takes, as the mail goes out afterwards. Throws
 * OperationError when no mail can be sent at all, or too many were.
 */
export async function requestReset(
  deps: MailCodeDeps & Readonly<{ log: Logger }>,
  request: Readonly<{ email: string; siteAddress: string; language: Language }>,
): Promise<void> {
  const { mailer, mailLimits, log } = deps;
  const email = request.email.trim();
  if (email === "") throw new OperationError("email_required");
  if (email.length > 320 || !email.includes("@")) throw new OperationError("email_invalid");
  if (!mailer.isConfigured()) throw new OperationError("mail_not_configured");
  await mailLimits.countReset(email);
  mailLink(deps, { ...request, email }).catch((error) => {
    // A second request within moments: the first mail is on its way.
    if (error instanceof OperationError) return;
    log.error({ error }, "a reset mail could not be sent");
  });
}

async function mailLink(
  { db, vault, mailer, settings }: MailCodeDeps,
  { email, siteAddress, language }: Readonly<{ email: string; siteAddress: string; language: Language }>,
): Promise<void> {
  const [account] = await accountsOf(db, email);
  // The mail goes to the address of the account, not to what was typed.
  if (!account?.email) return;
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  await storeCode(
    { db, vault },
    { purpose: "reset", target: email, code: token, lifetimeSeconds: LIFETIME_SECONDS, pauseSeconds: PAUSE_SECONDS },
  );
  const link = `${siteAddress}/user/reset?${new URLSearchParams({ email: account.email, token })}`;
  await mailer.send(writeMail(account.email, letter(language, settings.get("SystemName"), link)));
}

/**
 * Uses the link of the mail: gives the accounts with this address a new password, which is returned; their sessions and
 * access tokens end. Throws OperationError reset_link_invalid.
 */
export async function resetByMail(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault }>,
  input: Readonly<{ email: string; token: string }>,
): Promise<string> {
  const { db, vault } = deps;
  const proof = { purpose: "reset", target: input.email.trim(), code: input.token } as const;
  if (!(await checkCode({ db, vault }, proof))) throw new OperationError("reset_link_invalid");
  await consumeCode(db, vault, proof);
  const accounts = await accountsOf(db, proof.target);
  if (accounts.length === 0) throw new OperationError("reset_link_invalid");
  return giveNewPassword(
    deps,
    accounts.map(({ id }) => id),
  );
}

const accountsOf = (db: Db, email: string) =>
  db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(and(sql`lower(${users.email}) = ${email.toLowerCase()}`, eq(users.kind, "person"), isNull(users.deletedAt)));

function letter(language: Language, site: string, address: string): Letter {
  if (writtenLanguage(language) === "zh") {
    return {
      subject: `${site} 密码重置`,
      paragraphs: [`有人请求重置你在 ${site} 的密码，链接 10 分钟内有效。如非本人操作，请忽略此邮件，密码不会改变。`],
      link: { label: "重置密码", address },
    };
  }
  return {
    subject: `${site}: reset your password`,
    paragraphs: [
      `Somebody asked to reset your password at ${site}. The link works for 10 minutes. If it was not you, ignore this mail: nothing changes.`,
    ],
    link: { label: "Reset password", address },
  };
}

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const LENGTH = 16;

type ResetDeps = Readonly<{ db: Db; changes: Changes }>;

/**
 * Gives the user named `username` a random password, ends all their sessions, revokes their access tokens and turns their
 * second factor off.
 * Returns the password. Throws Error for a name that nobody has.
 */
export async function resetPassword(deps: ResetDeps, username: string): Promise<string> {
  const [user] = await deps.db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.username, username), eq(users.kind, "person"), isNull(users.deletedAt)));
  // Only the command line asks for this, in English.
  if (!user) throw new Error(`there is no user named ${username}`);
  // Whoever has the machine may also have lost the device with the second factor.
  await removeTotp(deps.db, user.id);
  return giveNewPassword(deps, [user.id]);
}

/** Gives these users one random password and returns it; their sessions and access tokens end. */
async function giveNewPassword({ db, changes }: ResetDeps, userIds: readonly number[]): Promise<string> {
  const password = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  for (const id of userIds) await setPassword(db, id, password, null);
  await changes.publish("users", userIds);
  return password;
}
