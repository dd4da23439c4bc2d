import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../../columns.ts";

/**
 * How often the quota of a plan is filled up again. `5h`: it begins with the first charge that draws on it and lasts five hours;
 * `period`: once for each paid period.
 */
export const PLAN_WINDOWS = ["5h", "day", "week", "month", "period"] as const;
export type PlanWindow = (typeof PLAN_WINDOWS)[number];

export const PLAN_PERIODS = ["day", "week", "month", "year"] as const;
export type PlanPeriod = (typeof PLAN_PERIODS)[number];

/** What users can subscribe to. A plan that was retired is offered to nobody; its subscriptions run to their end. */
export const plans = pgTable(
  "plans",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    /** Quota units for each period, taken from the balance. */
    price: quotaUnits("price").notNull(),
    period: text("period").$type<PlanPeriod>().notNull(),
    periodCount: integer("period_count").notNull().default(1),
    /** What each window is filled up to, in quota units. */
    windowQuota: quotaUnits("window_quota").notNull(),
    window: text("window").$type<PlanWindow>().notNull(),
    /** Calls that each window includes, whatever they cost; 0: none. */
    windowCalls: integer("window_calls").notNull().default(0),
    /** The group that subscribers are in; empty: their own. */
    userGroup: text("user_group").notNull().default(""),
    /** Days that are free before the first period, once for each account. */
    trialDays: integer("trial_days").notNull().default(0),
    /** Whether calls go on at the wallet's expense when the windows are empty. */
    allowsOverage: boolean("allows_overage").notNull().default(true),
    /** Offered to users; administrators can grant it in any case. */
    isVisible: boolean("is_visible").notNull().default(true),
    isRetired: boolean("is_retired").notNull().default(false),
    /** Members that an organization with this plan may have; null: any number. */
    seats: integer("seats"),
    /** Quota units a period for each seat that an organization adds; 0: none can be added. */
    seatPrice: quotaUnits("seat_price").notNull().default(0),
    /** Models that its quota pays, as patterns with *; none: all. Quota for some models is no part of the balance. */
    models: text("models").array().notNull().default([]),
    /** Requests and tokens a minute of all keys of a subscriber; 0: the plan sets no limit. */
    requestsPerMinute: integer("requests_per_minute").notNull().default(0),
    tokensPerMinute: integer("tokens_per_minute").notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
  },
  () => [
    check("plans_price_not_negative", sql`price >= 0`),
    check("plans_window_quota_not_negative", sql`window_quota >= 0`),
    check("plans_window_calls_not_negative", sql`window_calls >= 0`),
    check("plans_seats_positive", sql`seats is null or seats > 0`),
    check("plans_seat_price_not_negative", sql`seat_price >= 0`),
    check("plans_rates_not_negative", sql`requests_per_minute >= 0 and tokens_per_minute >= 0`),
    check("plans_window_known", sql`"window" in ('5h', 'day', 'week', 'month', 'period')`),
    check("plans_period_known", sql`period in ('day', 'week', 'month', 'year')`),
  ],
);

/** For how long a coupon lowers the price of a subscription: its first paid period, or all. */
export const COUPON_DURATIONS = ["once", "forever"] as const;
export type CouponDuration = (typeof COUPON_DURATIONS)[number];

/** What lowers the price of plans. Each account uses a coupon once. */
export const coupons = pgTable(
  "coupons",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** What users enter, in upper case. */
    code: text("code").notNull(),
    /** Percent of the price, or quota units; the other is 0. */
    percentOff: integer("percent_off").notNull().default(0),
    amountOff: quotaUnits("amount_off").notNull().default(0),
    duration: text("duration").$type<CouponDuration>().notNull(),
    /** The only plan that it counts for; null: any. */
    planId: integer("plan_id").references(() => plans.id),
    /** 0: no limit. */
    maxUses: integer("max_uses").notNull().default(0),
    usedCount: integer("used_count").notNull().default(0),
    /** Epoch seconds; 0: no end. */
    validUntil: epochSeconds("valid_until").notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
    /** Nobody can use it any more; subscriptions keep it. */
    retiredAt: epochSeconds("retired_at"),
  },
  (t) => [
    uniqueIndex("coupons_code_key").on(t.code).where(sql`${t.retiredAt} is null`),
    check("coupons_percent", sql`${t.percentOff} between 0 and 100`),
    check("coupons_worth", sql`(${t.percentOff} > 0) <> (${t.amountOff} > 0) and ${t.amountOff} >= 0`),
    check("coupons_duration_known", sql`${t.duration} in ('once', 'forever')`),
    check("coupons_uses", sql`${t.maxUses} = 0 or ${t.usedCount} <= ${t.maxUses}`),
  ],
);

/** Which account used which coupon. */
export const couponUses = pgTable(
  "coupon_uses",
  {
    couponId: integer("coupon_id")
      .notNull()
      .references(() => coupons.id),
    userId: integer("user_id").notNull(),
    usedAt: epochSeconds("used_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.couponId, t.userId] })],
);

/** Ways to pay a single period of a plan: `zfb`, `wx` by an Epay service, `alipay`, `wechat` without one, `manual` to the operator. */
export const REMINDER_METHODS = ["zfb", "wx", "alipay", "wechat", "manual"] as const;
export type ReminderMethod = (typeof REMINDER_METHODS)[number];

export const SUBSCRIPTION_STATUSES = ["active", "past_due", "ending", "paused", "ended"] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/**
 * Subscriptions of accounts. The quota of the present window is part of the account's balance, if it is not `own_quota`:
 * `remaining` is what of it was left when the account's usage was last distributed (`plan_accounts`).
 */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id").notNull(),
    planId: integer("plan_id")
      .notNull()
      .references(() => plans.id),
    /**
     * `past_due`: the period is over and the balance did not cover the next; `ending`: over, and what is left is being taken
     * back from the balance; `paused`: over, and nothing is charged until it is resumed.
     */
    status: text("status").$type<SubscriptionStatus>().notNull(),
    isTrial: boolean("is_trial").notNull().default(false),
    /** Price that was paid for this period, quota units. */
    paid: quotaUnits("paid").notNull(),
    startedAt: epochSeconds("started_at").notNull(),
    periodStart: epochSeconds("period_start").notNull(),
    periodEnd: epochSeconds("period_end").notNull(),
    windowStart: epochSeconds("window_start").notNull(),
    windowEnd: epochSeconds("window_end").notNull(),
    /** Seconds that the window lasts from the first charge that draws on it; 0: it runs from the start. */
    rollingSeconds: integer("rolling_seconds").notNull().default(0),
    /** False: the window is full and begins with the next charge that draws on it; until then it ends with the period. */
    isWindowOpen: boolean("is_window_open").notNull().default(true),
    remaining: quotaUnits("remaining").notNull(),
    /** Calls that the present window includes, and how many of them are left: the ledger settles them (`budgets`, scope `calls`). */
    windowCalls: integer("window_calls").notNull().default(0),
    callsLeft: integer("calls_left").notNull().default(0),
    /** What charges have drawn on its windows since it began, and how many included calls they took; refunds lower both. */
    drawn: quotaUnits("drawn").notNull().default(0),
    drawnCalls: integer("drawn_calls").notNull().default(0),
    /** What `drawn` was when the present window began, less what that window has to make up for. */
    drawnBefore: quotaUnits("drawn_before").notNull().default(0),
    /** What is left is for some models only, and no part of the balance: the ledger settles it (`budgets`, scope `plan`). */
    ownQuota: boolean("own_quota").notNull().default(false),
    /** Ends with its period instead of being renewed. */
    cancelAtEnd: boolean("cancel_at_end").notNull().default(false),
    /** Paused when its period ends, instead of being renewed. */
    pauseAtEnd: boolean("pause_at_end").notNull().default(false),
    /** The plan of the next period; null: the same. */
    nextPlanId: integer("next_plan_id").references(() => plans.id),
    /** Seats that the account has added to those of the plan. */
    extraSeats: integer("extra_seats").notNull().default(0),
    /** How many it has added from the next period on; null: the same. */
    nextExtraSeats: integer("next_extra_seats"),
    /** What lowers the price of the next period. */
    couponId: integer("coupon_id").references(() => coupons.id),
    endedAt: epochSeconds("ended_at"),
    /** The order (`plan_orders`) whose payments renew it; null: the balance does, or `payMethod`. */
    orderId: integer("order_id"),
    /** How its subscriber pays each period by an order of its own, after a reminder; null: nobody has to. */
    payMethod: text("pay_method").$type<ReminderMethod>(),
    /** The end of the period that the subscriber was last reminded of. */
    remindedFor: epochSeconds("reminded_for").notNull().default(0),
  },
  (t) => [
    index("subscriptions_user_idx").on(t.userId, t.id),
    index("subscriptions_running_idx").on(t.windowEnd).where(sql`${t.status} <> 'ended'`),
    check("subscriptions_seats_not_negative", sql`${t.extraSeats} >= 0 and coalesce(${t.nextExtraSeats}, 0) >= 0`),
    check("subscriptions_calls_not_negative", sql`${t.callsLeft} between 0 and ${t.windowCalls}`),
    check("subscriptions_remaining_not_negative", sql`${t.remaining} >= 0`),
    check("subscriptions_one_payer", sql`${t.orderId} is null or ${t.payMethod} is null`),
    check("subscriptions_status_known", sql`${t.status} in ('active', 'past_due', 'ending', 'paused', 'ended')`),
  ],
);

/**
 * Which person has had which plan first by which account: their own, or one of an organization that they own. Its trial is given
 * once to each person.
 */
export const planHolders = pgTable(
  "plan_holders",
  {
    planId: integer("plan_id")
      .notNull()
      .references(() => plans.id),
    personId: integer("person_id").notNull(),
    accountId: integer("account_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.planId, t.personId] })],
);

/** Up to where the usage of an account with subscriptions is distributed over them. */
export const planAccounts = pgTable("plan_accounts", {
  userId: integer("user_id").primaryKey(),
  /** The account's used quota at that time. */
  distributed: quotaUnits("distributed").notNull(),
  /** The group that a plan has put the account into, and the one to return to; null: no plan sets one. */
  planGroup: text("plan_group"),
  ownGroup: text("own_group"),
});
