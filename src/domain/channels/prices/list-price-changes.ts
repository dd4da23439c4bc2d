import { count, desc, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { type PriceTag, priceChanges } from "../../../../db/schema/models/pricing.ts";
import type { Db } from "../../../../db/types.ts";
import type { PricedModel } from "./list-prices.ts";
import { type ChangedPart, changedParts, isSameBase } from "./price-parts.ts";

/** A change of a model's price on the wire; factors of groups are not in it. */
export type PriceChangeView = Readonly<{
  id: number;
  /** Epoch seconds. */
  changed_at: number;
  model_name: string;
  /** Null: the model is new. */
  before: PriceTag | null;
  /** Null: the model is no longer offered. */
  after: PriceTag | null;
  /** What the model's price is for now; null: it is no longer offered. */
  unit: PricedModel["unit"] | null;
  /** A unit, or a token in and out, costs what it did: only `parts` differ. */
  is_base_same: boolean;
  /** What changed in addition to that. */
  parts: readonly ChangedPart[];
}>;

/**
 * Changes of these models' prices, or with null of all, and of tools, newest first; `page` counts from 0. `quotaPerUnit`: quota units of a
 * dollar; `unitOf`: what a model's price is for, null if it is not offered.
 */
export async function listPriceChanges(
  db: Db,
  models: readonly string[] | null,
  { page, pageSize }: Readonly<{ page: number; pageSize: number }>,
  { quotaPerUnit, unitOf }: Readonly<{ quotaPerUnit: number; unitOf: (model: string) => PricedModel["unit"] | null }>,
): Promise<{ items: PriceChangeView[]; total: number }> {
  // One parameter however many models there are.
  const where =
    models === null
      ? undefined
      : sql`(${priceChanges.model} in (select json_array_elements_text(${JSON.stringify(models)}::json))
          or jsonb_exists(coalesce(${priceChanges.after}, ${priceChanges.before}), 'usdPerUse'))`;
  const { total } = requireRow(await db.select({ total: count() }).from(priceChanges).where(where));
  const rows = await db
    .select()
    .from(priceChanges)
    .where(where)
    .orderBy(desc(priceChanges.changedAt), desc(priceChanges.id))
    .limit(pageSize)
    .offset(page * pageSize);
  const items = rows.map(({ id, changedAt, model, before, after }) => ({
    id,
    changed_at: changedAt,
    model_name: model,
    before,
    after,
    unit: unitOf(model),
    is_base_same: before !== null && after !== null && isSameBase(before, after),
    parts: before && after ? changedParts(before, after, quotaPerUnit) : [],
  }));
  return { items, total };
}
