import { randomInt } from "node:crypto";
import type { Db } from "../../../../db/types.ts";
import { type Language, writtenLanguage } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { Mailer } from "../../notifications/mail.ts";
import { type Letter, writeMail } from "../../notifications/mail.ts";
import { checkEmailAddress, checkEmailFree } from "./email-address.ts";
import type { MailLimits } from "./mail-limits.ts";
import { storeCode } from "./verification-codes.ts";

const LIFETIME_SECONDS = 180;
const PAUSE_SECONDS = 30;

export type MailCodeDeps = Readonly<{
  db: Db;
  vault: Vault;
  settings: SettingsReader;
  mailer: Mailer;
  mailLimits: MailLimits;
}>;

/**
 * Mails a code of six digits, good for three minutes, to an address that nobody has or had: to register with it, or to bind it
 * to the user who asks. Throws OperationError.
 */
export async function sendVerification(
  deps: MailCodeDeps,
  request: Readonly<{ email: string; userId: number | null; language: Language }>,
): Promise<void> {
  const { db, vault, settings, mailer, mailLimits } = deps;
  const target = checkEmailAddress(settings, request.email);
  if (!mailer.isConfigured()) throw new OperationError("mail_not_configured");
  await checkEmailFree(db, vault, target, request.userId ?? 0);
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  await storeCode(
    { db, vault },
    {
      purpose: request.userId === null ? "register" : `bind:${request.userId}`,
      target,
      code,
      lifetimeSeconds: LIFETIME_SECONDS,
      pauseSeconds: PAUSE_SECONDS,
    },
  );
  await mailLimits.countMail(target, request.userId);
  await mailer.send(writeMail(target, letter(request.language, settings.get("SystemName"), code)));
}

function letter(language: Language, site: string, code: string): Letter {
  if (writtenLanguage(language) === "zh") {
    return {
      subject: `${site} 邮箱验证`,
      paragraphs: [`你正在验证 ${site} 的邮箱，验证码 3 分钟内有效。如非本人操作，请忽略此邮件。`],
      code,
    };
  }
  return {
    subject: `${site}: confirm your email address`,
    paragraphs: [`Use this code at ${site} within 3 minutes. If you did not ask for it, ignore this mail.`],
    code,
  };
}
