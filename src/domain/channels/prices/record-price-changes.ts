import { sql } from "drizzle-orm";
import { modelPrices, type PriceTag, priceChanges } from "../../../../db/schema/billing/prices.ts";
import type { Db } from "../../../../db/types.ts";
import type { PriceTable } from "../../../billing/pricing/price-table.ts";
import { resolvePrice } from "../../../billing/pricing/resolve-price.ts";
import type { Price } from "../../../billing/types.ts";
import { toText } from "../../../lib/values/decimal.ts";
import type { ChannelDirectory } from "../directory.ts";
import { upstreamModelOf } from "../upstream/request-options.ts";

/** One change of one model's price, before any group's factor. */
export type PriceChange = Readonly<{ model: string; before: PriceTag | null; after: PriceTag | null }>;

type Deps = Readonly<{ db: Db; channels: Pick<ChannelDirectory, "all">; prices: () => PriceTable }>;

/** Replicas look one after the other. */
const LOOKING = 7_302_014;

/**
 * Compares the price of every model that a channel has, switched on or not, with what it was when last looked, and writes
 * down what differs. The first look only remembers. Resolves with the changes of prices that were written.
 */
export async function recordPriceChanges({ db, channels, prices }: Deps, nowSeconds: number): Promise<PriceChange[]> {
  const now = presentPrices(channels, prices());
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOOKING})`);
    const known = new Map((await tx.select().from(modelPrices)).map(({ model, price }) => [model, price]));
    const changes = differences(known, now);
    if (changes.length === 0) return [];
    const retained = changes.flatMap(({ model, after }) => (after ? [{ model, price: after }] : []));
    const removed = changes.flatMap(({ model, after }) => (after ? [] : [model]));
    await tx.execute(sql`
      insert into ${modelPrices} (model, price)
      select model, price from json_to_recordset(${JSON.stringify(retained)}::json) as (model text, price jsonb)
      on conflict (model) do update set price = excluded.price`);
    await tx.execute(sql`
      delete from ${modelPrices} where model in (select json_array_elements_text(${JSON.stringify(removed)}::json))`);
    if (known.size === 0) return [];
    await tx.execute(sql`
      insert into ${priceChanges} (changed_at, model, before, after)
      select ${nowSeconds}, model, before, after
      from json_to_recordset(${JSON.stringify(changes)}::json) as (model text, before jsonb, after jsonb)`);
    return changes;
  });
}

/** The price of each model that any channel has; models without one are left out. */
export const presentPrices = (channels: Deps["channels"], table: PriceTable): Map<string, PriceTag> =>
  new Map([...offeredPrices(channels, table)].map(([model, price]) => [model, tagOf(price)]));

/** The same, with the name under which each is priced. */
export function offeredPrices(channels: Deps["channels"], table: PriceTable): Map<string, Price> {
  const found = new Map<string, Price>();
  for (const channel of channels.all()) {
    for (const name of channel.models) {
      const requestedModel = channel.modelPrefix + name;
      if (found.has(requestedModel)) continue;
      const upstreamModel = upstreamModelOf(channel, requestedModel, name);
      const price = resolvePrice(table, { requestedModel, upstreamModel, group: "", acceptUnset: false });
      if (price) found.set(requestedModel, price);
    }
  }
  return found;
}

const tagOf = (price: Price): PriceTag =>
  price.kind === "per_call"
    ? { usdPerCall: toText(price.usdPerCall) }
    : {
        modelRatio: toText(price.modelRatio),
        completionRatio: toText(price.completionRatio),
        cacheRatio: toText(price.cacheRatio),
      };

function differences(known: ReadonlyMap<string, PriceTag>, now: ReadonlyMap<string, PriceTag>): PriceChange[] {
  const changed = [...now].flatMap(([model, after]) => {
    const before = known.get(model) ?? null;
    return before && isSame(before, after) ? [] : [{ model, before, after }];
  });
  const removed = [...known].flatMap(([model, before]) => (now.has(model) ? [] : [{ model, before, after: null }]));
  return [...changed, ...removed];
}

/** The database keeps members in an order of its own. */
const isSame = (a: PriceTag, b: PriceTag): boolean => Bun.deepEquals(a, b);
