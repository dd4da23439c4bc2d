import { index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { epochSeconds } from "../columns.ts";

/** What a model costs before any group's factor: ratios, or dollars per call; exact decimals as text. */
export type PriceTag = Readonly<
  { modelRatio: string; completionRatio: string; cacheRatio: string } | { usdPerCall: string }
>;

/** The price of each offered model as it was last looked at. */
export const modelPrices = pgTable("model_prices", {
  model: text("model").primaryKey(),
  price: jsonb("price").$type<PriceTag>().notNull(),
});

/** What changed from one look to the next. */
export const priceChanges = pgTable(
  "price_changes",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    changedAt: epochSeconds("changed_at").notNull(),
    model: text("model").notNull(),
    /** Null: the model is new. */
    before: jsonb("before").$type<PriceTag>(),
    /** Null: the model is no longer offered. */
    after: jsonb("after").$type<PriceTag>(),
  },
  (t) => [index("price_changes_changed_idx").on(t.changedAt.desc(), t.id.desc())],
);
