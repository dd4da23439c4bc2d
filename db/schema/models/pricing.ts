import { index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { epochSeconds } from "../columns.ts";

type FactorTag = Readonly<{ input: string; output: string; cacheRead: string }>;

/** Factors of service tiers by name, and of hours by their text. */
type SpecialTags = Readonly<{
  serviceTiers?: Readonly<Record<string, FactorTag>>;
  hourRules?: Readonly<Record<string, FactorTag>>;
}>;

/**
 * What a model costs before any group's factor: ratios, or dollars per call; exact decimals as text. Null: the price has no such
 * part. Absent: the row is of a release that did not record it.
 */
export type PriceTag =
  | (Readonly<{
      modelRatio: string;
      completionRatio: string;
      cacheRatio: string;
      cacheCreationRatio?: string;
      /** Cache writes with a lifetime of one hour. */
      longCacheCreationRatio?: string;
      audioRatio?: string;
      audioCompletionRatio?: string;
      imageRatio?: string | null;
      imageCompletionRatio?: string | null;
      /** Factors for prompts of more than `over` tokens, ascending. */
      contextTiers?: readonly Readonly<{ over: number; input: string; output: string }>[];
    }> &
      SpecialTags)
  | (Readonly<{
      usdPerCall: string;
      usdPerMegapixel?: string | null;
      /** USD of a second, or a video, of each variant. */
      variants?: Readonly<Record<string, string>>;
    }> &
      SpecialTags)
  /** A tool that providers run, under its name in the option ToolPrice; 0: it costs nothing. */
  | Readonly<{ usdPerUse: string }>;

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
