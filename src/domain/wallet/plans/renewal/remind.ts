import { and, asc, eq, gt, isNotNull, lte, ne, sql } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { Notice } from "../../../notifications/message.ts";
import { notifyPayers } from "../../payments/notify-payers.ts";
import { addAccountTax } from "../../payments/tax/tax.ts";
import { quotePlan } from "../card/order-terms.ts";
import { isNextPaid } from "../limits/next-paid.ts";
import { GRACE_S } from "../periods.ts";
import { lockPlanAccount, type Running } from "../plan-account.ts";
import { findAnyPlan } from "../subscribe.ts";
import { type NextPeriod, readNextPeriod } from "./next-period.ts";

const DAY_S = 86_400;

/**
 * Reminds subscribers who pay each period themselves that one ends: so many days before it as the operator set, of a short period in its
 * second half; once for each period. Returns how many.
 */
export async function remindSubscribers(
  deps: Readonly<{ db: Db; settings: SettingsReader }>,
  signal?: AbortSignal,
  now = nowSeconds(),
): Promise<number> {
  const ahead = deps.settings.get("PlanReminderDays") * DAY_S;
  const due = await deps.db
    .select({ id: subscriptions.id, userId: subscriptions.userId })
    .from(subscriptions)
    .where(
      and(
        ...[eq(subscriptions.status, "active"), isNotNull(subscriptions.payMethod), gt(subscriptions.periodEnd, now)],
        ...[eq(subscriptions.cancelAtEnd, false), eq(subscriptions.pauseAtEnd, false)],
        ne(subscriptions.remindedFor, subscriptions.periodEnd),
        sql`${subscriptions.periodEnd} - least(${ahead}, (${subscriptions.periodEnd} - ${subscriptions.periodStart}) / 2) <= ${now}`,
      ),
    )
    .orderBy(asc(subscriptions.id));
  let reminded = 0;
  for (const { id, userId } of due) {
    if (signal?.aborted) break;
    if (await deps.db.transaction((tx) => remind(tx, deps.settings, userId, id, now))) reminded++;
  }
  return reminded;
}

async function remind(tx: Tx, settings: SettingsReader, userId: number, id: number, now: number): Promise<boolean> {
  const account = await lockPlanAccount(tx, userId);
  const running = account.running.find(({ subscription }) => subscription.id === id);
  if (!running) return false;
  const { periodEnd, remindedFor, status, cancelAtEnd, pauseAtEnd } = running.subscription;
  if (status !== "active" || cancelAtEnd || pauseAtEnd || remindedFor === periodEnd || now >= periodEnd) return false;
  await tx.update(subscriptions).set({ remindedFor: periodEnd }).where(eq(subscriptions.id, id));
  if (await isNextPaid(tx, id)) return false;
  const next = await readNextPeriod(tx, running).catch((error) => {
    // Nobody offers the plan any more: it ends.
    if (error instanceof OperationError) return null;
    throw error;
  });
  if (next === null || next.price === 0) return false;
  const due = await readDue(tx, settings, running, next);
  await notifyPayers(tx, userId, upcoming(running, next, due), now);
  return true;
}

/** Notifies who pays that the period is over and the next one is not paid. */
export async function notifyDue(tx: Tx, settings: SettingsReader, running: Running, now: number): Promise<void> {
  const { subscription } = running;
  const next = await readNextPeriod(tx, running);
  const due = await readDue(tx, settings, running, next);
  await notifyPayers(tx, subscription.userId, overdue(running, next, due), now);
}

/** `path`: where its payment opens, for the organization if one subscribes. `price`: with tax, by the way it was paid before. */
type Due = Readonly<{ price: string; path: string }>;

async function readDue(
  tx: Tx,
  settings: SettingsReader,
  { subscription: { id, userId, payMethod } }: Running,
  { price }: NextPeriod,
): Promise<Due> {
  const [user] = await tx.select({ group: users.group, kind: users.kind }).from(users).where(eq(users.id, userId));
  const quote = quotePlan(settings, user?.group ?? "", price, payMethod ?? "manual");
  const { money, currency } = await addAccountTax({ db: tx, settings }, userId, quote);
  const account = user?.kind === "organization" ? `&organization=${userId}` : "";
  return { price: `${money} ${currency}`, path: `/topup?list=plans&pay=${id}${account}` };
}

/** Notifies who pays that the balance does not cover the next period. */
export const notifyUncovered = (tx: Tx, { subscription, plan }: Running, now: number): Promise<void> =>
  notifyPayers(tx, subscription.userId, uncovered(subscription, plan), now);

/** How long after the end of a period a service needs to report its payment, or to try a card again. */
const SERVICE_S = DAY_S;

/**
 * Notifies subscribers whose card or PayPal was to pay the next period a day ago, of which no payment is known; once for each period.
 * Returns how many.
 */
export async function remindOfService(
  { db }: Readonly<{ db: Db }>,
  signal?: AbortSignal,
  now = nowSeconds(),
): Promise<number> {
  const isUnpaid = and(
    ...[eq(subscriptions.status, "past_due"), isNotNull(subscriptions.orderId)],
    ...[lte(subscriptions.periodEnd, now - SERVICE_S), ne(subscriptions.remindedFor, subscriptions.periodEnd)],
  );
  const due = await db.select({ id: subscriptions.id }).from(subscriptions).where(isUnpaid);
  let reminded = 0;
  for (const { id } of due) {
    if (signal?.aborted) break;
    await db.transaction(async (tx) => {
      const [subscription] = await tx
        .update(subscriptions)
        .set({ remindedFor: sql`${subscriptions.periodEnd}` })
        .where(and(eq(subscriptions.id, id), isUnpaid))
        .returning();
      const plan = subscription && (await findAnyPlan(tx, subscription.planId));
      if (!plan) return;
      await notifyPayers(tx, subscription.userId, unpaid(subscription, plan), now);
      reminded++;
    });
  }
  return reminded;
}

const dateText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

const upcoming = (running: Running, { plan }: NextPeriod, { price, path }: Due): Notice => ({
  type: "plan_payment_due",
  title: { en: "Pay the next period of your plan", zh: "请支付套餐下一期费用" },
  content: {
    en: "The paid period of the plan “{{value}}” ends on {{value}}. The next one costs {{value}}: pay it so that the plan goes on.",
    zh: "套餐「{{value}}」的当前周期将于 {{value}} 结束，下一期费用为 {{value}}，请及时支付以继续使用。",
  },
  values: [plan.name, dateText(running.subscription.periodEnd), price],
  path,
});

const overdue = (running: Running, { plan }: NextPeriod, { price, path }: Due): Notice => ({
  type: "plan_payment_overdue",
  title: { en: "Your plan's next period is not paid", zh: "套餐下一期费用尚未支付" },
  content: {
    en: "The paid period of the plan “{{value}}” is over. Pay {{value}} for the next one until {{value}}, or the plan ends.",
    zh: "套餐「{{value}}」的周期已结束。请支付下一期费用 {{value}}；若在 {{value}} 前未支付，套餐将终止。",
  },
  values: [plan.name, price, dateText(running.subscription.periodEnd + GRACE_S)],
  path,
});

/** A notice that a plan ends with its grace, of which no next period is paid. */
const endsUnpaid =
  ({ title, content }: Pick<Notice, "title" | "content">) =>
  ({ periodEnd }: Readonly<{ periodEnd: number }>, { name }: Readonly<{ name: string }>): Notice => ({
    ...{ type: "plan_payment_overdue", title, content },
    ...{ values: [name, dateText(periodEnd + GRACE_S)], path: "/topup?list=plans" },
  });

const uncovered = endsUnpaid({
  title: { en: "Your balance does not cover your plan", zh: "余额不足，套餐未能续期" },
  content: {
    en: "The paid period of the plan “{{value}}” is over, and the balance does not cover the next one. Top up until {{value}}, or the plan ends.",
    zh: "套餐「{{value}}」的周期已结束，余额不足以支付下一期。若在 {{value}} 前未充值，套餐将终止。",
  },
});

const unpaid = endsUnpaid({
  title: { en: "Your plan's next period is not paid", zh: "套餐下一期费用尚未支付" },
  content: {
    en: "The paid period of the plan “{{value}}” is over, and no payment for the next one has arrived. Check your card or PayPal: without a payment the plan ends on {{value}}.",
    zh: "套餐「{{value}}」的周期已结束，尚未收到下一期付款。请检查银行卡或 PayPal；若一直未付款，套餐将于 {{value}} 终止。",
  },
});
