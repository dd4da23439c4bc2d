import { sql } from "drizzle-orm";
import { noticesSent } from "../../../db/schema/accounts/sign-in.ts";
import type { Db } from "../../../db/types.ts";
import type { Notice } from "../../domain/notifications/message.ts";
import { wantsInSql } from "../../domain/notifications/notification-setting.ts";
import type { Notifier } from "../../domain/notifications/notifier.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { SettingsReader } from "../../settings/settings.ts";

type WarnDeps = Readonly<{ db: Db; settings: SettingsReader; notifier: Pick<Notifier, "notify"> }>;

const PAUSE_SECONDS = 7200;
const HOUR_SECONDS = 3600;
/** Users notified in one run; the next run finds the others. */
const MAX_USERS_PER_RUN = 500;

/**
 * Looks at the balances of those who spent lately, and warns whoever has fallen below their threshold: at most once in two
 * hours, whichever replica sees it first. `now`: epoch seconds. Resolves with how many were notified.
 */
export async function warnLowBalances({ db, settings, notifier }: WarnDeps, now = nowSeconds()): Promise<number> {
  // The hour before too: what was spent at its end may have been seen by no run.
  const since = now - (now % HOUR_SECONDS) - HOUR_SECONDS;
  const found = await db.execute<{ id: number; quota: number }>(sql`
    select u.id, u.quota::float8 as quota
    from users u
    where u.id in (
        select r.user_id from usage_rollups r where r.hour >= ${since} and r.quota > 0
        union select c.user_id from unlogged_calls c where c.created_at >= ${since} and c.quota > 0)
      and u.deleted_at is null and u.status = 1
      and u.quota < coalesce((u.setting ->> 'quota_warning_threshold')::numeric, ${settings.get("QuotaRemindThreshold")})
      and ${wantsInSql(sql`u.setting`, "low_balance")}
      and not exists (
        select from notices_sent n
        where n.user_id = u.id and n.kind = 'low_balance' and n.sent_at > ${now - PAUSE_SECONDS})
    order by u.id
    limit ${MAX_USERS_PER_RUN}`);
  let notified = 0;
  for (const { id, quota } of found) {
    if (!(await claim(db, id, now))) continue;
    if (await notifier.notify(id, lowBalance(quota, settings))) notified += 1;
  }
  return notified;
}

/** Whether this process is the one to notify the user now. */
async function claim(db: Db, userId: number, now: number): Promise<boolean> {
  const claimed = await db
    .insert(noticesSent)
    .values({ userId, kind: "low_balance", sentAt: now })
    .onConflictDoUpdate({
      target: [noticesSent.userId, noticesSent.kind],
      set: { sentAt: now },
      setWhere: sql`${noticesSent.sentAt} <= ${now - PAUSE_SECONDS}`,
    })
    .returning({ userId: noticesSent.userId });
  return claimed.length > 0;
}

const lowBalance = (quota: number, settings: SettingsReader): Notice => ({
  type: "quota_exceed",
  title: { en: "Your quota is running out", zh: "您的额度即将用尽" },
  content: {
    en: "Your balance is down to {{value}}. Top up to keep your calls from being refused.",
    zh: "您的额度即将用尽，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。",
  },
  values: [settings.get("DisplayInCurrencyEnabled") ? dollarText(quota, settings.get("QuotaPerUnit")) : quota],
  path: "/topup",
});

const DIGITS = 6;

/** Quota units as dollars with six digits, cut off, not rounded: "$1.234567". */
export function dollarText(quotaUnits: number, unitsPerDollar: number): string {
  const millionths = (BigInt(quotaUnits) * 10n ** BigInt(DIGITS)) / BigInt(unitsPerDollar);
  const text = millionths.toString().padStart(DIGITS + 1, "0");
  return `$${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`;
}
