import { and, eq } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { autoTopUps } from "../../../../../db/schema/wallet/saved-cards.ts";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { LOG_TYPE, writeLog } from "../../../logs/write-log.ts";
import { amountText } from "../../amount-text.ts";
import { quoteUnits } from "../../payments/quote.ts";
import { takesCards } from "../../payments/stripe.ts";
import { boughtSince, monthStart } from "./charge-due.ts";
import { RESUMED } from "./pause.ts";
import { findSavedCard, type Payer } from "./saved-card.ts";

/** What an account sets; quota units. */
export type AutoTopUpInput = Readonly<{ is_on: boolean; threshold: number; amount: number; monthly_limit: number }>;

/** An account's automatic top-up, as it is shown. */
export type AutoTopUpView = {
  /** The site charges cards. */
  is_available: boolean;
  card: { brand: string; last_four: string; expiry_month: number; expiry_year: number } | null;
  is_on: boolean;
  /** Quota units; 0: never set. */
  threshold: number;
  amount: number;
  monthly_limit: number;
  /** Epoch seconds; 0: it is not paused. */
  paused_at: number;
  pause_reason: string;
  /** When a declined card is charged again; 0: it is not paused, or not until somebody acts. */
  next_try_at: number;
  /** Bought since the month began (UTC), and when the next one begins. */
  bought: number;
  month_ends_at: number;
};

type Deps = Readonly<{ db: Db; settings: SettingsReader }>;

/** Reads an account's automatic top-up and its card. */
export async function readAutoTopUp(
  { db, settings }: Deps,
  userId: number,
  now = nowSeconds(),
): Promise<AutoTopUpView> {
  const [row] = await db.select().from(autoTopUps).where(eq(autoTopUps.userId, userId));
  const card = await findSavedCard(db, userId);
  const pausedAt = row?.pausedAt ?? 0;
  const date = new Date(now * 1000);
  return {
    is_available: takesCards(settings),
    card: card && {
      ...{ brand: card.brand, last_four: card.lastFour },
      ...{ expiry_month: card.expiryMonth, expiry_year: card.expiryYear },
    },
    is_on: row?.isOn ?? false,
    ...{ threshold: row?.threshold ?? 0, amount: row?.amount ?? 0, monthly_limit: row?.monthlyLimit ?? 0 },
    ...{ paused_at: pausedAt, pause_reason: row?.pauseReason ?? "" },
    next_try_at: pausedAt > 0 ? (row?.nextTryAt ?? 0) : 0,
    bought: await boughtSince(db, userId, monthStart(now)),
    month_ends_at: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000,
  };
}

/** Far above any balance, within what a number holds exactly. */
const MOST_UNITS = 1e15;

/** Turns automatic top-up on or off, or changes it. Throws OperationError that names the field. */
export async function saveAutoTopUp(
  { db, settings }: Deps,
  actor: Readonly<{ id: number; group: string }>,
  by: Payer,
  input: AutoTopUpInput,
): Promise<void> {
  const userId = actor.id;
  const { is_on: isOn, threshold, amount, monthly_limit: monthlyLimit } = input;
  const isAmount = (value: number) => Number.isSafeInteger(value) && value > 0 && value <= MOST_UNITS;
  for (const [field, value] of Object.entries({ threshold, amount, monthly_limit: monthlyLimit })) {
    if (!isAmount(value)) throw new OperationError("auto_top_up_amount_invalid", { field });
  }
  if (monthlyLimit < amount) {
    throw new OperationError("auto_top_up_limit_too_low", { amount: amountText(settings, amount) });
  }
  if (isOn) {
    if (!takesCards(settings)) throw new OperationError("card_top_up_disabled");
    quoteUnits(settings, actor.group, amount, "stripe");
  }
  await db.transaction(async (tx) => {
    // The account is locked: the first setting has no row to lock.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
    if (isOn && !(await findSavedCard(tx, userId))) throw new OperationError("auto_top_up_no_card");
    const [before] = await tx.select().from(autoTopUps).where(eq(autoTopUps.userId, userId)).for("update");
    const isResumed = !before?.isOn || before.pauseReason === "amount_not_allowed";
    const set = { isOn, threshold, amount, monthlyLimit, ...(isResumed && RESUMED) };
    const isRaised = before !== undefined && monthlyLimit > before.monthlyLimit;
    await tx
      .insert(autoTopUps)
      .values({ userId, ...set })
      .onConflictDoUpdate({ target: autoTopUps.userId, set: { ...set, ...(isRaised && { limitNotifiedAt: 0 }) } });
    const code = isOn ? "auto_top_up_saved" : "auto_top_up_off";
    await writeLog(tx, {
      ...{ type: LOG_TYPE.management, userId },
      content: `${by.username} ${isOn ? "set up" : "turned off"} automatic top-up`,
      note: { code, params: { by: by.username } },
      other: {
        ...{ target: "auto_top_up", action: "update", by: by.id, after: input },
        ...(before && {
          before: {
            ...{ is_on: before.isOn, threshold: before.threshold },
            ...{ amount: before.amount, monthly_limit: before.monthlyLimit },
          },
        }),
      },
    });
  });
}

/** Ends a pause by hand: the card is charged by the next run if the balance is still low. Throws OperationError. */
export async function resumeAutoTopUp({ db }: Pick<Deps, "db">, userId: number, by: Payer): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx
      .select({ pausedAt: autoTopUps.pausedAt })
      .from(autoTopUps)
      .where(and(eq(autoTopUps.userId, userId), eq(autoTopUps.isOn, true)))
      .for("update");
    if (!row || row.pausedAt === 0) throw new OperationError("auto_top_up_not_paused");
    await tx.update(autoTopUps).set(RESUMED).where(eq(autoTopUps.userId, userId));
    await writeLog(tx, {
      ...{ type: LOG_TYPE.management, userId, content: `${by.username} resumed automatic top-up` },
      note: { code: "auto_top_up_resumed", params: { by: by.username } },
      other: { target: "auto_top_up", action: "enable", by: by.id },
    });
  });
}
