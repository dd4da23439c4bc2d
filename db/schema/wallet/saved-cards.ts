import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { users } from "../accounts/users.ts";
import { epochSeconds, quotaUnits } from "../columns.ts";
import { topUpOrders } from "./wallet.ts";

/** Pages of Stripe on which an account saves a card. */
export const cardSetups = pgTable(
  "card_setups",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Stripe's number of the page. */
    sessionNo: text("session_no").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    /** When its card was saved, or it was closed without one; 0: it is open. */
    doneAt: epochSeconds("done_at").notNull().default(0),
  },
  (t) => [
    uniqueIndex("card_setups_session_key").on(t.sessionNo),
    index("card_setups_open_idx").on(t.userId).where(sql`${t.doneAt} = 0`),
  ],
);

/** Cards that Stripe stores. A removed one stays until Stripe has detached it. */
export const savedCards = pgTable(
  "saved_cards",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The page on which it was saved: a newer one replaces the card. */
    setupId: integer("setup_id").notNull(),
    /** Stripe's numbers. */
    customerNo: text("customer_no").notNull(),
    paymentMethodNo: text("payment_method_no").notNull(),
    brand: text("brand").notNull(),
    lastFour: text("last_four").notNull(),
    expiryMonth: integer("expiry_month").notNull(),
    expiryYear: integer("expiry_year").notNull(),
    savedAt: epochSeconds("saved_at").notNull(),
    removedAt: epochSeconds("removed_at").notNull().default(0),
  },
  (t) => [
    uniqueIndex("saved_cards_user_key").on(t.userId).where(sql`${t.removedAt} = 0`),
    uniqueIndex("saved_cards_payment_method_key").on(t.paymentMethodNo),
  ],
);

/** Why no top-up is bought until somebody acts, or until `nextTryAt`. */
export const PAUSE_REASONS = [
  ...["authentication_required", "card_declined", "card_expired", "card_unusable", "charge_refused"],
  "amount_not_allowed",
] as const;

/** "When the balance falls below the threshold, buy the amount, within the limit of a month." Quota units. */
export const autoTopUps = pgTable(
  "auto_top_ups",
  {
    userId: integer("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    isOn: boolean("is_on").notNull(),
    threshold: quotaUnits("threshold").notNull(),
    amount: quotaUnits("amount").notNull(),
    /** Of a calendar month (UTC). */
    monthlyLimit: quotaUnits("monthly_limit").notNull(),
    /** 0: it is not paused. */
    pausedAt: epochSeconds("paused_at").notNull().default(0),
    pauseReason: text("pause_reason").notNull().default(""),
    /** Before this no card is charged; null: not until somebody acts. */
    nextTryAt: epochSeconds("next_try_at").default(0),
    /** Declines since the last payment. */
    declines: integer("declines").notNull().default(0),
    /** When the account was last notified that the month's limit is reached. */
    limitNotifiedAt: epochSeconds("limit_notified_at").notNull().default(0),
  },
  (t) => [
    index("auto_top_ups_on_idx").on(t.userId).where(sql`${t.isOn}`),
    check("auto_top_ups_positive", sql`${t.threshold} > 0 and ${t.amount} > 0`),
    check("auto_top_ups_limit", sql`${t.monthlyLimit} >= ${t.amount}`),
  ],
);

/** Orders that a saved card pays, with what Stripe is asked to charge. */
export const cardCharges = pgTable("card_charges", {
  tradeNo: text("trade_no")
    .primaryKey()
    .references(() => topUpOrders.tradeNo, { onDelete: "cascade" }),
  customerNo: text("customer_no").notNull(),
  paymentMethodNo: text("payment_method_no").notNull(),
  /** Stripe's number of the payment; empty: its response has not been received. */
  intentNo: text("intent_no").notNull().default(""),
});
