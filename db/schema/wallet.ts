import { sql } from "drizzle-orm";
import { check, index, integer, numeric, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "./columns.ts";
import { users } from "./users.ts";

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
    status: text("status").notNull().default("pending"),
    createdTime: epochSeconds("created_time").notNull(),
    completedTime: epochSeconds("completed_time").notNull().default(0),
  },
  (t) => [
    uniqueIndex("top_up_orders_trade_no_key").on(t.tradeNo),
    index("top_up_orders_user_idx").on(t.userId, t.id),
    index("top_up_orders_status_idx").on(t.status, t.createdTime),
    check("top_up_orders_status_known", sql`${t.status} in ('pending', 'success', 'expired', 'failed')`),
    check("top_up_orders_quota_positive", sql`${t.quota} > 0`),
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
    createdTime: epochSeconds("created_time").notNull(),
  },
  (t) => [index("rebates_user_idx").on(t.userId, t.id)],
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
