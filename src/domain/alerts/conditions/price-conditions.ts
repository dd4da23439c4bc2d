import { and, asc, gte, isNotNull } from "drizzle-orm";
import { priceChanges } from "../../../../db/schema/billing/prices.ts";
import type { FindConditions } from "./condition.ts";

/** For how long a change is news. */
const NEWS_SECONDS = 3600;
const MOST_NAMED = 10;

/** Models whose prices went up or down in the last hour, since there is the rule: those of one moment together. */
export const findPriceChanges: FindConditions = async ({ db }, { now, since }) => {
  const rows = await db
    .select({ at: priceChanges.changedAt, model: priceChanges.model })
    .from(priceChanges)
    .where(
      and(
        gte(priceChanges.changedAt, Math.max(now - NEWS_SECONDS, since)),
        isNotNull(priceChanges.before),
        isNotNull(priceChanges.after),
      ),
    )
    .orderBy(asc(priceChanges.changedAt), asc(priceChanges.model));
  return [...Map.groupBy(rows, ({ at }) => at)].map(([at, changes]) => {
    const names = changes.slice(0, MOST_NAMED).map(({ model }) => model);
    return {
      subject: `prices/${at}`,
      severity: "info",
      notice: {
        type: "price_change",
        title: { en: "Model prices have changed", zh: "模型价格有调整" },
        content: {
          en: "Prices of {{value}} models have changed: {{value}}",
          zh: "{{value}} 个模型的价格有调整：{{value}}",
        },
        values: [changes.length, names.join(", ") + (changes.length > MOST_NAMED ? ", …" : "")],
        path: "/pricing",
      },
    };
  });
};
