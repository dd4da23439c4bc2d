import { sql } from "drizzle-orm";
import { boolean, check, index, integer, numeric, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../../columns.ts";
import { topUpOrders } from "../wallet.ts";
import { coupons, plans, subscriptions } from "./plans.ts";

/** Services that charge each period of a plan by themselves. */
export const PLAN_SERVICES = ["stripe", "paypal"] as const;
export type PlanService = (typeof PLAN_SERVICES)[number];

/**
 * Plans that are paid for at a payment service: what each period costs there, as it was ordered. They outlive the account, so
 * that what comes later finds them.
 */
export const planOrders = pgTable(
  "plan_orders",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** Our number, which the service sends back with all that it reports. */
    tradeNo: text("trade_no").notNull(),
    userId: integer("user_id").notNull(),
    service: text("service").$type<PlanService>().notNull().default("stripe"),
    planId: integer("plan_id")
      .notNull()
      .references(() => plans.id),
    /** To be paid for each period, its tax included. */
    money: numeric("money", { precision: 20, scale: 2 }).notNull(),
    currency: text("currency").notNull(),
    tax: numeric("tax", { precision: 20, scale: 2 }).notNull().default("0"),
    taxRate: numeric("tax_rate", { precision: 6, scale: 3 }).notNull().default("0"),
    taxCountry: text("tax_country").notNull().default(""),
    reverseChargeTaxId: text("reverse_charge_tax_id").notNull().default(""),
    /** What lowers the price of the first paid period (`firstMoney`, of which `firstTax` is tax) or of all (`money` is lower). */
    couponId: integer("coupon_id").references(() => coupons.id),
    /** To be paid for one period instead of `money`, the first; null: the same. */
    firstMoney: numeric("first_money", { precision: 20, scale: 2 }),
    firstTax: numeric("first_tax", { precision: 20, scale: 2 }),
    /** Seats added to those of the plan; their price is part of `money`. */
    extraSeats: integer("extra_seats").notNull().default(0),
    /** Days that are free before the first period that is paid. */
    trialDays: integer("trial_days").notNull().default(0),
    /** The order whose subscription at the service this one changes to another plan; null: it has its own. */
    replacesId: integer("replaces_id"),
    /**
     * Of a change that begins at once: what the windows had paid when the unused part of the period was credited. What they pay
     * after that is missing in the first window of the new period.
     */
    creditedDrawn: quotaUnits("credited_drawn"),
    creditedCalls: integer("credited_calls"),
    /** The service's number of what is charged for each period: Stripe's of the price, PayPal's of the plan; empty: not known. */
    priceNo: text("price_no").notNull().default(""),
    /**
     * `pending`: nothing was paid yet; `next`: agreed with the service for the next period; `active`: it is renewed, or may be;
     * `replaced`: another order has changed its subscription; `duplicate`: paid by an account that has the plan, or of one that was
     * deleted, and to be canceled at the service; `ended`: no more payments are expected.
     */
    status: text("status").notNull().default("pending"),
    /**
     * The service's numbers of the page to pay on (at PayPal that of the subscription), the customer and the subscription; empty:
     * not known.
     */
    sessionNo: text("session_no").notNull().default(""),
    customerNo: text("customer_no").notNull().default(""),
    subscriptionNo: text("subscription_no").notNull().default(""),
    /** When the service made the newest report of the subscription's state that was applied. */
    reportedAt: epochSeconds("reported_at").notNull().default(0),
    /** When the service was last asked for what it should have reported. */
    polledAt: epochSeconds("polled_at").notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("plan_orders_trade_no_key").on(t.tradeNo),
    index("plan_orders_user_idx").on(t.userId, t.id),
    index("plan_orders_customer_idx").on(t.customerNo).where(sql`${t.customerNo} <> ''`),
    index("plan_orders_coupon_idx").on(t.couponId).where(sql`${t.status} = 'pending'`),
    index("plan_orders_session_idx").on(t.sessionNo).where(sql`${t.sessionNo} <> ''`),
    index("plan_orders_subscription_idx").on(t.subscriptionNo).where(sql`${t.subscriptionNo} <> ''`),
    // A subscription is changed once at a time.
    uniqueIndex("plan_orders_change_key").on(t.replacesId).where(sql`${t.status} in ('pending', 'next')`),
    check("plan_orders_service_known", sql`${t.service} in ('stripe', 'paypal')`),
    check(
      "plan_orders_status_known",
      sql`${t.status} in ('pending', 'next', 'active', 'replaced', 'duplicate', 'ended')`,
    ),
  ],
);

/** Payments for periods of plans, each once. */
export const planPayments = pgTable(
  "plan_payments",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    orderId: integer("order_id")
      .notNull()
      .references(() => planOrders.id),
    /** The service's number. */
    invoiceNo: text("invoice_no").notNull(),
    periodStart: epochSeconds("period_start").notNull(),
    periodEnd: epochSeconds("period_end").notNull(),
    paidAt: epochSeconds("paid_at").notNull(),
    /** The period was free. */
    isTrial: boolean("is_trial").notNull().default(false),
    /** The order's `firstMoney` was paid. */
    isDiscounted: boolean("is_discounted").notNull().default(false),
  },
  (t) => [
    uniqueIndex("plan_payments_invoice_key").on(t.invoiceNo),
    uniqueIndex("plan_payments_discounted_key").on(t.orderId).where(sql`${t.isDiscounted}`),
    index("plan_payments_order_idx").on(t.orderId, t.id),
  ],
);

/** What services paid back of payments for plans, each report once; `money` and the share of tax in it in the order's currency. */
export const planRefunds = pgTable(
  "plan_refunds",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    paymentId: integer("payment_id")
      .notNull()
      .references(() => planPayments.id),
    /** The service's number of what it reported. */
    reference: text("reference").notNull(),
    /** refund, or dispute: charged back. */
    kind: text("kind").notNull(),
    money: numeric("money", { precision: 20, scale: 2 }).notNull(),
    tax: numeric("tax", { precision: 20, scale: 2 }).notNull().default("0"),
    refundedAt: epochSeconds("refunded_at").notNull(),
  },
  (t) => [
    uniqueIndex("plan_refunds_reference_key").on(t.reference),
    index("plan_refunds_payment_idx").on(t.paymentId),
    check("plan_refunds_money_positive", sql`${t.money} > 0 and ${t.tax} >= 0`),
    check("plan_refunds_kind_known", sql`${t.kind} in ('refund', 'dispute')`),
  ],
);

/**
 * Orders (`top_up_orders`) that pay one period of a plan instead of adding their quota to the balance. `pending`: not paid;
 * `next`: paid, and the period that it is for has not begun; `begun`: it has; `balance`: the plan could not begin, so its quota
 * was added to the balance after all; `refunded`: its period was taken back.
 */
export const planPurchases = pgTable(
  "plan_purchases",
  {
    orderId: integer("order_id")
      .primaryKey()
      .references(() => topUpOrders.id, { onDelete: "cascade" }),
    planId: integer("plan_id")
      .notNull()
      .references(() => plans.id),
    /** The subscription whose next period it pays; null: it begins one. */
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    /** When the period begins; null: with the payment. */
    periodStart: epochSeconds("period_start"),
    couponId: integer("coupon_id").references(() => coupons.id),
    extraSeats: integer("extra_seats").notNull().default(0),
    status: text("status").notNull().default("pending"),
  },
  (t) => [
    // A subscription has one period that is paid ahead, and none twice.
    uniqueIndex("plan_purchases_next_key").on(t.subscriptionId).where(sql`${t.status} = 'next'`),
    uniqueIndex("plan_purchases_period_key")
      .on(t.subscriptionId, t.periodStart)
      .where(sql`${t.status} in ('next', 'begun')`),
    index("plan_purchases_coupon_idx").on(t.couponId).where(sql`${t.status} = 'pending'`),
    check("plan_purchases_status_known", sql`${t.status} in ('pending', 'next', 'begun', 'balance', 'refunded')`),
  ],
);

/** What a payment service reported and nobody but an administrator can decide. */
export const paymentCases = pgTable(
  "payment_cases",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /**
     * refund, dispute, wrong_amount, late: paid for a period that is over, duplicate: paid by who has the plan already, same_period,
     * to_balance: the plan that was paid could not begin, so the balance got the quota, refund_unclear: a service did not say
     * whether it paid back, or paid_again: another payment of an order that was paid.
     */
    kind: text("kind").notNull(),
    /** The service's number of what it is about. */
    reference: text("reference").notNull(),
    /** Null: no account of ours is known for it. */
    userId: integer("user_id"),
    tradeNo: text("trade_no").notNull().default(""),
    /** The service's number of a payment that is not known yet: the report is joined to it when it comes. */
    paymentNo: text("payment_no").notNull().default(""),
    money: numeric("money", { precision: 20, scale: 2 }).notNull(),
    currency: text("currency").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    /** The service has paid it back; else it may do so. */
    isPaidBack: boolean("is_paid_back").notNull().default(false),
    closedAt: epochSeconds("closed_at"),
    closedBy: integer("closed_by"),
    note: text("note").notNull().default(""),
  },
  (t) => [
    uniqueIndex("payment_cases_reference_key").on(t.kind, t.reference),
    index("payment_cases_waiting_idx").on(t.paymentNo).where(sql`${t.userId} is null and ${t.paymentNo} <> ''`),
    check(
      "payment_cases_kind_known",
      sql`${t.kind} in ('refund', 'dispute', 'wrong_amount', 'late', 'duplicate', 'same_period', 'to_balance', 'refund_unclear', 'paid_again')`,
    ),
  ],
);
