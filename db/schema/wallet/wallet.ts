import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  date,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { users } from "../accounts/users.ts";
import { epochSeconds, quotaUnits } from "../columns.ts";

export const topUpOrders = pgTable(
  "top_up_orders",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    tradeNo: text("trade_no").notNull(),
    method: text("method").notNull(),
    quota: quotaUnits("quota").notNull(),
    /** What is to be paid, in the payment currency. */
    money: numeric("money", { precision: 20, scale: 2 }).notNull(),
    currency: text("currency").notNull().default("CNY"),
    /** Part of `money` that is tax, its rate in percent, and whose; empty country: no tax was set up. */
    tax: numeric("tax", { precision: 20, scale: 2 }).notNull().default("0"),
    taxRate: numeric("tax_rate", { precision: 6, scale: 3 }).notNull().default("0"),
    taxCountry: text("tax_country").notNull().default(""),
    /** The customer accounts for the tax, under this tax id. */
    reverseChargeTaxId: text("reverse_charge_tax_id").notNull().default(""),
    status: text("status").notNull().default("pending"),
    createdTime: epochSeconds("created_time").notNull(),
    completedTime: epochSeconds("completed_time").notNull().default(0),
    /** The payment service's own number of the payment. */
    gatewayNo: text("gateway_no").notNull().default(""),
    /** The administrator who completed it by hand. */
    completedBy: integer("completed_by").references(() => users.id, { onDelete: "set null" }),
    /** When its quota was taken back to refund the payment, and when the service had refunded it; 0: not. */
    refundStartedTime: epochSeconds("refund_started_time").notNull().default(0),
    refundedTime: epochSeconds("refunded_time").notNull().default(0),
  },
  (t) => [
    uniqueIndex("top_up_orders_trade_no_key").on(t.tradeNo),
    index("top_up_orders_user_idx").on(t.userId, t.id),
    index("top_up_orders_status_idx").on(t.status, t.createdTime),
    check("top_up_orders_status_known", sql`${t.status} in ('pending', 'success', 'expired', 'failed')`),
    check("top_up_orders_quota_positive", sql`${t.quota} > 0`),
  ],
);

/**
 * What services paid back of orders without Sluice, each report once: refunds in the service's own console, and lost disputes.
 * `money` and the share of tax in it are in the order's currency; the balance is an administrator's decision.
 */
export const orderRefunds = pgTable(
  "order_refunds",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    orderId: integer("order_id")
      .notNull()
      .references(() => topUpOrders.id, { onDelete: "cascade" }),
    /** The service's number of what it reported. */
    reference: text("reference").notNull(),
    money: numeric("money", { precision: 20, scale: 2 }).notNull(),
    tax: numeric("tax", { precision: 20, scale: 2 }).notNull().default("0"),
    refundedAt: epochSeconds("refunded_at").notNull(),
  },
  (t) => [
    uniqueIndex("order_refunds_reference_key").on(t.reference),
    index("order_refunds_order_idx").on(t.orderId),
    check("order_refunds_money_positive", sql`${t.money} > 0 and ${t.tax} >= 0`),
  ],
);

/** Share of a recharge paid to the inviter or agent. */
export const rebates = pgTable(
  "rebates",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    fromUserId: integer("from_user_id").references(() => users.id, { onDelete: "set null" }),
    orderId: integer("order_id").references(() => topUpOrders.id, { onDelete: "set null" }),
    rechargeQuota: quotaUnits("recharge_quota").notNull(),
    quota: quotaUnits("quota").notNull(),
    /** A cashback goes to the inviter's balance, a dividend to the agent's earnings. */
    kind: text("kind").notNull().default("cashback"),
    /** Percent of the recharge. */
    rate: numeric("rate", { precision: 5, scale: 2 }).notNull().default("0"),
    createdTime: epochSeconds("created_time").notNull(),
  },
  (t) => [
    index("rebates_user_idx").on(t.userId, t.id),
    uniqueIndex("rebates_order_key").on(t.orderId),
    check("rebates_kind_known", sql`${t.kind} in ('cashback', 'dividend')`),
  ],
);

/** Users who earn a share of what those they invited recharge, and may have it paid out. */
export const agents = pgTable(
  "agents",
  {
    userId: integer("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Percent of a recharge. */
    rate: numeric("rate", { precision: 5, scale: 2 }).notNull(),
    isActive: boolean("is_active").notNull().default(true),
    note: text("note").notNull().default(""),
    /** Earnings that are neither paid out nor held for a withdrawal. */
    balance: quotaUnits("balance").notNull().default(0),
    /** Earnings of all time. */
    earned: quotaUnits("earned").notNull().default(0),
    grantedBy: integer("granted_by").references(() => users.id, { onDelete: "set null" }),
    createdTime: epochSeconds("created_time").notNull(),
  },
  (t) => [
    check("agents_balance_not_negative", sql`${t.balance} >= 0`),
    check("agents_rate_percent", sql`${t.rate} >= 0 and ${t.rate} <= 100`),
  ],
);

/** One row a user and day: whoever comes second finds the place taken. */
export const checkIns = pgTable(
  "check_ins",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    day: date("day", { mode: "string" }).notNull(),
    quota: quotaUnits("quota").notNull(),
    createdTime: epochSeconds("created_time").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.day] })],
);

export const withdrawals = pgTable(
  "withdrawals",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    quota: quotaUnits("quota").notNull(),
    account: text("account").notNull().default(""),
    note: text("note").notNull().default(""),
    /** What the administrator who decided has to say. */
    reply: text("reply").notNull().default(""),
    status: text("status").notNull().default("requested"),
    createdTime: epochSeconds("created_time").notNull(),
    decidedTime: epochSeconds("decided_time").notNull().default(0),
    decidedBy: integer("decided_by").references(() => users.id, { onDelete: "set null" }),
  },
  (t) => [
    index("withdrawals_user_idx").on(t.userId, t.id),
    index("withdrawals_status_idx").on(t.status),
    check("withdrawals_status_known", sql`${t.status} in ('requested', 'approved', 'paid', 'rejected')`),
    check("withdrawals_quota_positive", sql`${t.quota} > 0`),
  ],
);
