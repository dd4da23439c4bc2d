import { createLimiter, type Limiter, type SharedLimits } from "../../../lib/limits/shared-limits.ts";
import type { MessageCode } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

/** Counts the mails that people have the site send to addresses that need not be theirs. */
export type MailLimits = Readonly<{
  /** Counts a code or an invitation; `userId` null: nobody is signed in. Throws OperationError when there are too many. */
  countMail(address: string, userId: number | null): Promise<void>;
  /** Counts a mail by which an address resets its password, apart from the others. Throws OperationError. */
  countReset(address: string): Promise<void>;
}>;

const HOUR_MS = 3_600_000;
const MOST_RESETS = 10;

/** Limits by user and by recipient an hour, as the options say at the time. */
export function createMailLimits({
  settings,
  sharedLimits,
}: Readonly<{ settings: SettingsReader; sharedLimits: SharedLimits | null }>): MailLimits {
  const limiters = new Map<string, Readonly<{ count: number; limiter: Limiter }>>();
  const take = async (name: string, count: number, key: string, code: MessageCode): Promise<void> => {
    if (count === 0) return;
    const known = limiters.get(name);
    const limiter =
      known?.count === count ? known.limiter : createLimiter(sharedLimits, name, { count, windowMs: HOUR_MS });
    if (limiter !== known?.limiter) limiters.set(name, { count, limiter });
    const seconds = await limiter.take(key);
    if (seconds > 0) throw new OperationError(code, { seconds }, { status: 429, retryAfterSeconds: seconds });
  };
  return {
    async countMail(address, userId) {
      const sender = settings.get("MailsPerUser");
      if (userId !== null) await take("mails-by-user", sender, String(userId), "mails_sent_too_often");
      await take("mails", settings.get("MailsPerRecipient"), address.toLowerCase(), "mail_too_often");
    },
    countReset: (address) => take("reset-mails", MOST_RESETS, address.toLowerCase(), "mail_too_often"),
  };
}
