import { eq } from "drizzle-orm";
import { autoTopUps, type PAUSE_REASONS } from "../../../../../db/schema/wallet/saved-cards.ts";
import type { Tx } from "../../../../../db/types.ts";
import { LOG_TYPE, writeLog } from "../../../logs/write-log.ts";
import type { Notice } from "../../../notifications/message.ts";
import { notifyPayers } from "../../payments/notify-payers.ts";

export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Columns of automatic top-up that is not paused. */
export const RESUMED = { pausedAt: 0, pauseReason: "", nextTryAt: 0, declines: 0 } as const;

const DAY_S = 86_400;
/** How long a declined card is left alone, by declines in a row; after the last it is not charged until somebody acts. */
const RETRY_AFTER_S = [DAY_S, 3 * DAY_S];

/** When a card that was declined so many times in a row is charged again; null: not until somebody acts. */
function nextTryAfter(declines: number, isFinal: boolean, now: number): number | null {
  const seconds = isFinal ? undefined : RETRY_AFTER_S[declines - 1];
  return seconds === undefined ? null : now + seconds;
}

/** What Stripe says of a payment that failed; the fields of its errors and of `last_payment_error`. */
type Decline = Readonly<{
  code?: string | undefined;
  decline_code?: string | undefined;
  advice_code?: string | undefined;
}>;

/** Issuers that decline with these do so every time (https://docs.stripe.com/declines/codes). */
const FINAL_DECLINES: readonly string[] = [
  ...["card_not_supported", "currency_not_supported", "expired_card", "fraudulent", "invalid_account", "lost_card"],
  ...["merchant_blacklist", "pickup_card", "restricted_card", "revocation_of_all_authorizations", "stolen_card"],
  ...["revocation_of_authorization", "stop_payment_order"],
];

/** Why a payment failed, and whether charging the same card again is useless. */
export function readDecline({ code = "", decline_code = "", advice_code }: Decline): {
  reason: PauseReason;
  isFinal: boolean;
} {
  if ([code, decline_code].includes("authentication_required")) {
    return { reason: "authentication_required", isFinal: true };
  }
  if ([code, decline_code].includes("expired_card")) return { reason: "card_expired", isFinal: true };
  const isFinal = FINAL_DECLINES.includes(decline_code) || advice_code === "do_not_try_again";
  return { reason: "card_declined", isFinal };
}

const ADVICE: Readonly<Record<PauseReason, Readonly<{ en: string; zh: string }>>> = {
  authentication_required: {
    en: "Your bank wants you to confirm the payment yourself. Top up by hand, or save the card again and confirm it.",
    zh: "发卡行要求您本人确认付款。请手动充值，或重新保存银行卡并完成验证。",
  },
  card_declined: {
    en: "Your bank declined the card. Ask your bank, save another card, or top up by hand.",
    zh: "发卡行拒绝了扣款。请联系发卡行、更换银行卡或手动充值。",
  },
  card_expired: { en: "The card has expired. Save a new card.", zh: "银行卡已过期，请保存新卡。" },
  card_unusable: {
    en: "Stripe no longer has the card. Save a card again.",
    zh: "Stripe 中已没有这张银行卡，请重新保存。",
  },
  charge_refused: {
    en: "Stripe refused the charge. Top up by hand, and tell the administrator.",
    zh: "Stripe 拒绝了这笔扣款。请手动充值，并告知管理员。",
  },
  amount_not_allowed: {
    en: "The amount is outside of what this site sells at once. Change the amount.",
    zh: "充值金额超出本站允许的范围，请修改金额。",
  },
};

/** The notice to those who pay when automatic top-up pauses; `card` as "visa 4242". */
const pausedNotice = (reason: PauseReason, card: string): Notice => ({
  type: "auto_top_up_paused",
  title: { en: "Automatic top-up is paused", zh: "自动充值已暂停" },
  content: {
    en: `The balance was not topped up with the card {{value}}. ${ADVICE[reason].en}`,
    zh: `未能使用银行卡 {{value}} 自动充值。${ADVICE[reason].zh}`,
  },
  values: [card],
  path: "/topup",
});

/** The notice to them when a month's limit is reached; `limit` as text. */
export const limitNotice = (limit: string): Notice => ({
  type: "auto_top_up_limit",
  title: { en: "Automatic top-up has reached its monthly limit", zh: "自动充值已达每月上限" },
  content: {
    en: "The balance is low, and another top-up would exceed the limit of {{value}} a month. Raise the limit, or top up by hand.",
    zh: "余额不足，再次充值将超过每月 {{value}} 的上限。请提高上限或手动充值。",
  },
  values: [limit],
  path: "/topup",
});

/**
 * Pauses automatic top-up, in the transaction in which `row` is locked: a declined card is charged again after a day, then
 * after three; otherwise nothing happens until somebody acts. Notifies those who pay. `card` as "visa 4242".
 */
export async function pause(
  tx: Tx,
  row: typeof autoTopUps.$inferSelect,
  { reason, isFinal }: Readonly<{ reason: PauseReason; isFinal: boolean }>,
  card: string,
  now: number,
): Promise<void> {
  const { userId } = row;
  const declines = row.declines + 1;
  await tx
    .update(autoTopUps)
    .set({
      ...{ pausedAt: row.pausedAt || now, pauseReason: reason, declines },
      nextTryAt: nextTryAfter(declines, isFinal, now),
    })
    .where(eq(autoTopUps.userId, userId));
  await writeLog(tx, {
    ...{ type: LOG_TYPE.management, userId, content: `Automatic top-up paused: ${reason}` },
    note: { code: "auto_top_up_paused" },
    other: { target: "auto_top_up", action: "disable", after: { reason } },
  });
  await notifyPayers(tx, userId, pausedNotice(reason, card), now);
}
