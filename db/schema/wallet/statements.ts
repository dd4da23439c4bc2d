import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../columns.ts";

/** What a statement lists in addition to its sums. It is stored as issued and never changes. */
export type StatementContent = Readonly<{
  issuer: Party;
  recipient: Party;
  /** Quota units of one dollar when it was issued. */
  unitsPerDollar: number;
  /** Quota units by where they came from; negative: taken away. */
  credits: Readonly<Record<CreditKind, number>>;
  /** Top-ups that were paid online in the month. */
  orders: readonly StatementOrder[];
  /** Charges by model and by API key, largest first. What is beyond the longest list is one line without a name. */
  models: readonly UsageLine[];
  keys: readonly UsageLine[];
  /** The same by tag; a call counts in each of its tags. Absent in documents that were issued before it was listed. */
  tags?: readonly UsageLine[];
  /** Calls that plans included, by plan, with what they were worth: nobody was charged that. Absent in documents of before. */
  included?: readonly UsageLine[];
}>;

/** `other`: calls that were not logged, and changes whose log rows were cleared. */
export const CREDIT_KINDS = ["topUps", "codes", "rewards", "plans", "adjustments", "other"] as const;
export type CreditKind = (typeof CREDIT_KINDS)[number];

/** `country` is absent in documents that were issued before it was asked for. */
export type Party = Readonly<{ name: string; address: string; taxId: string; country?: string }>;

/** `money` is decimal text in `currency`; `time` epoch seconds. */
export type StatementOrder = Readonly<{
  tradeNo: string;
  time: number;
  money: string;
  currency: string;
  quota: number;
  /** It was paid back: the amounts are below 0. */
  isRefund?: boolean;
  /** Absent: no tax was set up when it was ordered. `amount` is part of `money`, `rate` percent; both decimal text. */
  tax?: Readonly<{ country: string; rate: string; amount: string; reverseChargeTaxId: string }>;
}>;

export type UsageLine = Readonly<{
  name: string;
  calls: number;
  promptTokens: number;
  completionTokens: number;
  quota: number;
}>;

/**
 * Issued documents: a statement for each month of an account in which its balance changed, a correction where charges of such
 * a month changed later, and a credit note where a payment of a plan was paid back after its month. Rows are only ever added. They outlive the account, so nothing refers to it.
 */
export const statements = pgTable(
  "statements",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** Counts up from 1 without a gap; `number` is how it reads on the document. */
    serial: integer("serial").notNull(),
    number: text("number").notNull(),
    kind: text("kind").notNull(),
    userId: integer("user_id").notNull(),
    username: text("username").notNull(),
    /** The month (UTC), `2026-11`; of a correction that of the statement. */
    month: text("month").notNull(),
    /** Quota units when the month began and ended. A correction opens at 0 and closes with what it gives back or takes. */
    opening: quotaUnits("opening").notNull(),
    closing: quotaUnits("closing").notNull(),
    /** Sum of all that was added, and of all charges. */
    credited: quotaUnits("credited").notNull(),
    charged: quotaUnits("charged").notNull(),
    content: jsonb("content").$type<StatementContent>().notNull(),
    issuedAt: epochSeconds("issued_at").notNull(),
    /** What a credit note is for: `plan_refund/ID` or `order/NUMBER`. */
    source: text("source"),
  },
  (t) => [
    uniqueIndex("statements_serial_key").on(t.serial),
    uniqueIndex("statements_user_month_key").on(t.userId, t.month).where(sql`${t.kind} = 'statement'`),
    index("statements_user_idx").on(t.userId, t.id),
    index("statements_month_idx").on(t.month),
    uniqueIndex("statements_source_key").on(t.source),
    check("statements_kind_known", sql`${t.kind} in ('statement', 'correction', 'credit_note')`),
    check("statements_add_up", sql`${t.closing} = ${t.opening} + ${t.credited} - ${t.charged}`),
  ],
);

/** Who an account's statements are made out to. */
export const billingProfiles = pgTable("billing_profiles", {
  userId: integer("user_id").primaryKey(),
  name: text("name").notNull(),
  address: text("address").notNull(),
  taxId: text("tax_id").notNull(),
  /** ISO 3166-1 alpha-2; empty: not stated. */
  country: text("country").notNull().default(""),
});
