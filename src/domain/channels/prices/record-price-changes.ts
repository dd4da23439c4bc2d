import { sql } from "drizzle-orm";
import { modelPrices, type PriceTag, priceChanges } from "../../../../db/schema/models/pricing.ts";
import type { Db } from "../../../../db/types.ts";
import { toolPriceOf } from "../../../billing/pricing/price-rules.ts";
import type { PriceTable } from "../../../billing/pricing/price-table.ts";
import { resolvePrice } from "../../../billing/pricing/resolve-price.ts";
import type { PriceFactors } from "../../../billing/pricing/service-tiers.ts";
import type { Price } from "../../../billing/types.ts";
import { type Decimal, decimal, toText, ZERO } from "../../../lib/values/decimal.ts";
import type { ChannelDirectory } from "../directory.ts";
import { upstreamModelOf } from "../routing/routing-index.ts";
import { isSamePrice } from "./price-parts.ts";

/** One change of one model's price, before any group's factor. */
export type PriceChange = Readonly<{ model: string; before: PriceTag | null; after: PriceTag | null }>;

type Deps = Readonly<{ db: Db; channels: Pick<ChannelDirectory, "all">; prices: () => PriceTable }>;

/** Replicas look one after the other. */
const LOOKING = 7_302_014;

/**
 * Compares the price of every model that a channel has, switched on or not, in all its parts with what it was when last looked,
 * and writes down what differs. The first look only remembers, and so does the first look at a part that was not recorded. Resolves with the changes of prices that were written.
 */
export async function recordPriceChanges({ db, channels, prices }: Deps, nowSeconds: number): Promise<PriceChange[]> {
  const now = presentPrices(channels, prices());
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOOKING})`);
    const known = new Map((await tx.select().from(modelPrices)).map(({ model, price }) => [model, price]));
    const found = differences(known, now);
    if (found.length === 0) return [];
    const retained = found.flatMap(({ model, after }) => (after ? [{ model, price: after }] : []));
    const removed = found.flatMap(({ model, after }) => (after ? [] : [model]));
    await tx.execute(sql`
      insert into ${modelPrices} (model, price)
      select model, price from json_to_recordset(${JSON.stringify(retained)}::json) as (model text, price jsonb)
      on conflict (model) do update set price = excluded.price`);
    await tx.execute(sql`
      delete from ${modelPrices} where model in (select json_array_elements_text(${JSON.stringify(removed)}::json))`);
    const changes =
      known.size === 0
        ? []
        : found.filter(({ isReported }) => isReported).flatMap((each) => asReported(each, known, now));
    if (changes.length === 0) return [];
    await tx.execute(sql`
      insert into ${priceChanges} (changed_at, model, before, after)
      select ${nowSeconds}, model, before, after
      from json_to_recordset(${JSON.stringify(changes)}::json) as (model text, before jsonb, after jsonb)`);
    return changes;
  });
}

/** The price of each model that any channel has, and of each tool; models without one are left out. */
export const presentPrices = (channels: Deps["channels"], table: PriceTable): Map<string, PriceTag> =>
  new Map<string, PriceTag>([
    ...[...table.toolPrice].map(([tool, usd]) => [tool, { usdPerUse: toText(usd) }] as const),
    ...[...offeredPrices(channels, table)].map(([model, price]) => [model, tagOf(price)] as const),
  ]);

/** The price of each model, with the name under which it is priced. */
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

/** What a price is found by, who pays it, what one order asks for, and tools, which have rows of their own: no parts of what a model costs. */
type NoPart =
  | "kind"
  | "pricedAs"
  | "groupRatio"
  | "discount"
  | "isOfUserGroup"
  | "toolPrices"
  | "seconds"
  | "images"
  | "megapixels"
  | "variant"
  | "tierMultipliers"
  | "hours"
  | "appliedTiers"
  | "serviceFee";
/** A part that is added to prices must be recorded too. */
type AllPartsOf<K extends Price["kind"]> = Readonly<
  Record<Exclude<keyof Extract<Price, { kind: K }>, NoPart>, unknown>
>;

function tagOf(price: Price): PriceTag {
  const special = {
    serviceTiers: Object.fromEntries([...(price.serviceTiers ?? [])].map(([name, tier]) => [name, factorsOf(tier)])),
    hourRules: Object.fromEntries((price.hourRules ?? []).map((rule) => [rule.text, factorsOf(rule)])),
  };
  if (price.kind === "per_call") {
    return {
      usdPerCall: toText(price.usdPerCall),
      usdPerMegapixel: textOf(price.usdPerMegapixel),
      variants: Object.fromEntries((price.variants ?? []).map(({ text, usd }) => [text, toText(usd)])),
      ...special,
    } satisfies AllPartsOf<"per_call">;
  }
  return {
    modelRatio: toText(price.modelRatio),
    completionRatio: toText(price.completionRatio),
    cacheRatio: toText(price.cacheRatio),
    cacheCreationRatio: toText(price.cacheCreationRatio),
    longCacheCreationRatio: toText(price.longCacheCreationRatio),
    audioRatio: toText(price.audioRatio),
    audioCompletionRatio: toText(price.audioCompletionRatio),
    imageRatio: textOf(price.imageRatio),
    imageCompletionRatio: textOf(price.imageCompletionRatio),
    contextTiers: (price.contextTiers ?? []).map(({ over, input, output }) => ({
      over,
      input: toText(input),
      output: toText(output),
    })),
    ...special,
  } satisfies AllPartsOf<"per_token">;
}

const factorsOf = ({ input, output, cacheRead }: PriceFactors) => ({
  input: toText(input),
  output: toText(output),
  cacheRead: toText(cacheRead),
});

const textOf = (amount: Decimal | undefined): string | null => (amount ? toText(amount) : null);

/** `isReported` false: the stored price only lacks what an earlier release did not record. */
type Difference = PriceChange & Readonly<{ isReported: boolean }>;

function differences(known: ReadonlyMap<string, PriceTag>, now: ReadonlyMap<string, PriceTag>): Difference[] {
  const knowsTools = [...known.values()].some(isTool);
  const changed = [...now].flatMap(([model, after]): Difference[] => {
    const before = known.get(model) ?? null;
    if (before && Bun.deepEquals(before, after)) return [];
    if (before) return [{ model, before, after, isReported: !isSamePrice(before, after) }];
    return [{ model, before, after, isReported: knowsTools || !isTool(after) }];
  });
  const removed = [...known].flatMap(([model, before]) =>
    now.has(model) ? [] : [{ model, before, after: null, isReported: true }],
  );
  return [...changed, ...removed];
}

const isTool = (tag: PriceTag): boolean => "usdPerUse" in tag;

/**
 * A tool without a price of its own is not new or removed: it costs what a shorter name's price says, or nothing, which may be
 * the same.
 */
function asReported(
  { model, before, after }: PriceChange,
  known: ReadonlyMap<string, PriceTag>,
  now: ReadonlyMap<string, PriceTag>,
): PriceChange[] {
  const was = before ?? (after && isTool(after) ? generalPrice(model, known) : null);
  const is = after ?? (before && isTool(before) ? generalPrice(model, now) : null);
  return Bun.deepEquals(was, is) ? [] : [{ model, before: was, after: is }];
}

function generalPrice(name: string, tags: ReadonlyMap<string, PriceTag>): PriceTag {
  const [tool = name, prefix = ""] = name.split(":");
  const prices = new Map(
    [...tags].flatMap(([model, tag]) => ("usdPerUse" in tag ? [[model, decimal(tag.usdPerUse)] as const] : [])),
  );
  return { usdPerUse: toText(toolPriceOf(prices, tool, prefix) ?? ZERO) };
}
