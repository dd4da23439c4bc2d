import { clockText, type PriceHours } from "../../../billing/pricing/price-hours.ts";
import {
  type ContextTier,
  type PriceUnit,
  type PriceVariant,
  priceUnitOf,
} from "../../../billing/pricing/price-rules.ts";
import type { PriceTable } from "../../../billing/pricing/price-table.ts";
import { ESTIMATED_MODEL_PRICE } from "../../../billing/pricing/ratios/default-ratios.ts";
import { groupPays } from "../../../billing/pricing/ratios/group-ratios.ts";
import { ownRatios } from "../../../billing/pricing/ratios/own-ratios.ts";
import { findPrice, resolvePrice } from "../../../billing/pricing/resolve-price.ts";
import type { PriceFactors } from "../../../billing/pricing/service-tiers.ts";

import { type Catalog, UNKNOWN_MODEL } from "../../../catalog/catalog.ts";
import { type Decimal, toText } from "../../../lib/values/decimal.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { usableGroups } from "../../accounts/users/usable-groups.ts";
import type { ChannelDirectory } from "../directory.ts";
import type { ChannelEntry } from "../entry.ts";
import { upstreamModelsOf } from "../routing/routing-index.ts";

/** A model as the price list shows it; names as in one-api and new-api. */
export type PricedModel = Readonly<{
  model_name: string;
  /** 0: by tokens, 1: by call. */
  quota_type: 0 | 1;
  model_ratio: number;
  /** USD per call. */
  model_price: number;
  /** USD of each further megapixel of an image, and of each in the request; null: the price is for every size. */
  megapixel_price: number | null;
  completion_ratio: number;
  cache_ratio: number;
  /** Images in the prompt relative to text, and output images relative to those; null: they cost what text costs. */
  image_ratio: number | null;
  image_completion_ratio: number | null;
  /** Sound in the prompt against text, and sound answered against that; null: the model has no price of its own for it. */
  audio_ratio: number | null;
  audio_completion_ratio: number | null;
  /** Input that is written to the cache (for five minutes) against input; null: the model has no price of its own for it. */
  cache_creation_ratio: number | null;
  /** Whose upstream answers first. */
  owner_by: string;
  enable_groups: readonly string[];
  /** Ratios of groups for this model, where they are others than in general; discounts are in them. */
  group_ratios: Readonly<Record<string, number>>;
  /** What the price is for. */
  unit: PriceUnit;
  /** USD of a second, or a video, of what asks for something dearer or cheaper: `mode=pro`, `size=1024x1792|1792x1024`. */
  variants: Readonly<Record<string, number>>;
  /** The price is one that came with this release and that no price list says. */
  is_estimate: boolean;
  /** False: nobody has set a price yet. */
  is_priced: boolean;
  /** Tokens; null: not known. */
  context_window: number | null;
  output_limit: number | null;
  /** Kinds of content; null: not known. */
  input_modalities: readonly string[] | null;
  output_modalities: readonly string[] | null;
  /** The day on which the provider turns it off; null: none is known. */
  deprecation_date: string | null;
  /** The model that its provider recommends in its place. */
  successor: string | null;
  /** Steps by length of the prompt: factors for prompts of more than `over` tokens. */
  context_tiers: readonly { over: number; input: number; output: number }[];
  /** Factors of the service tiers that the model has prices for, by name. */
  service_tiers: Readonly<Record<string, PricedFactors>>;
  /** Hours at which the model costs more or less; of several the first applies. */
  price_hours: readonly PricedHours[];
}>;

/** Factors of input, output and cached input. */
type PricedFactors = Readonly<{ input: number; output: number; cache_read: number }>;

type PricedHours = PricedFactors &
  Readonly<{
    /** null: every day. */
    days: readonly string[] | null;
    from: string;
    until: string;
    zone: string;
    /** They are in force now. */
    is_active: boolean;
  }>;

/** What a group pays less for a while. */
type Discount = Readonly<{ percent: number /** Epoch seconds. */; until: number }>;

export type PriceList = Readonly<{
  models: readonly PricedModel[];
  /** Discounts are in it. */
  groupRatio: Readonly<Record<string, number>>;
  discounts: Readonly<Record<string, Discount>>;
  /** Group → what it is for. */
  usableGroups: Readonly<Record<string, string>>;
}>;

type Deps = Readonly<{
  settings: SettingsReader;
  catalog: () => Catalog;
  channels: Pick<ChannelDirectory, "modelsOf" | "groupsOf" | "candidates">;
  prices: () => PriceTable;
}>;

/** The prices of a site, for somebody of one group. */
export type PriceBook = Readonly<{
  /** The models of every group that they may use, by name. */
  names: () => readonly string[];
  /** The groups that have the model. */
  groupsOf: (model: string) => readonly string[];
  /** What one of these models costs. */
  priceOf: (model: string) => PricedModel;
  groups: Omit<PriceList, "models">;
}>;

const BY_NAME = new Intl.Collator();

/** What each model costs, for somebody of this group: every model of every group that they may use. */
export function listPrices(deps: Deps, ownGroup: string): PriceList {
  const { names, priceOf, groups } = openPrices(deps, ownGroup);
  return { models: names().map(priceOf), ...groups };
}

/** Reads the prices for somebody of this group; those of a model when they are asked for. */
export function openPrices({ settings, catalog, channels, prices }: Deps, ownGroup: string): PriceBook {
  const table = prices();
  const groups = usableGroups(settings, ownGroup);
  const ratioOf = (group: string, model = ""): number =>
    Number(toText(groupPays(table, { group, userGroup: ownGroup }, model).groupRatio));
  const groupRatio = Object.fromEntries([...groups.keys()].map((group) => [group, ratioOf(group)]));
  const groupsOf = (model: string): string[] => {
    const having = new Set(channels.groupsOf(model));
    return [...groups.keys()].filter((group) => having.has(group));
  };
  const priceOf = (model: string): PricedModel => {
    const enabled = groupsOf(model);
    const [group = ownGroup] = enabled;
    const candidates = channels.candidates(group, model);
    const first = candidates?.tiers[0]?.channels[0];
    // As calls are charged: the requested name's price, else that of the first upstream name which has one.
    const names = candidates ? upstreamModelsOf(candidates, model) : [model];
    const query = { requestedModel: model, group };
    const own = findPrice(table, { ...query, upstreamModels: names });
    const price = own ?? resolvePrice(table, { ...query, upstreamModel: model, acceptUnset: true });
    const perCall = price?.kind === "per_call";
    const ratios = price?.kind === "per_token" ? ownRatios(table, price) : {};
    return {
      model_name: model,
      quota_type: perCall ? 1 : 0,
      model_ratio: price?.kind === "per_token" ? Number(toText(price.modelRatio)) : 0,
      model_price: perCall ? Number(toText(price.usdPerCall)) : 0,
      megapixel_price: perCall ? numberOf(price.usdPerMegapixel) : null,
      completion_ratio: price?.kind === "per_token" ? Number(toText(price.completionRatio)) : 0,
      cache_ratio: price?.kind === "per_token" ? Number(toText(price.cacheRatio)) : 0,
      image_ratio: price?.kind === "per_token" ? numberOf(price.imageRatio) : null,
      image_completion_ratio: price?.kind === "per_token" ? numberOf(price.imageCompletionRatio) : null,
      audio_ratio: numberOf(ratios.audio),
      audio_completion_ratio: numberOf(ratios.audioCompletion),
      cache_creation_ratio: numberOf(ratios.cacheCreation),
      owner_by: (first && providerOf(first.type)?.name) ?? "",
      enable_groups: enabled,
      group_ratios: Object.fromEntries(
        enabled.flatMap((name) => {
          if (!table.groupModelRatio.has(name)) return [];
          const own = ratioOf(name, model);
          return own === groupRatio[name] ? [] : [[name, own]];
        }),
      ),
      unit: price
        ? priceUnitOf(catalog().find(price.pricedAs), price, first !== undefined && onlyFilms(first))
        : "token",
      variants: perCall ? variantsView(price.variants) : {},
      is_estimate: perCall && ESTIMATED_MODEL_PRICE[price.pricedAs] === Number(toText(price.usdPerCall)),
      is_priced: own !== null,
      ...factsOf(catalog(), [model, ...names]),
      context_tiers: price?.kind === "per_token" ? (price.contextTiers ?? []).map(tierView) : [],
      service_tiers: Object.fromEntries(
        [...(price?.serviceTiers ?? [])].map(([name, factors]) => [name, factorsView(factors)]),
      ),
      price_hours: (price?.hourRules ?? []).map((rule) => hoursView(rule, rule === price?.hours)),
    };
  };
  return {
    names: () =>
      [...new Set([...groups.keys()].flatMap((group) => channels.modelsOf(group)))].toSorted(BY_NAME.compare),
    groupsOf,
    priceOf,
    groups: {
      groupRatio,
      discounts: Object.fromEntries(
        [...groups.keys()].flatMap((group) => {
          const discount = table.discounts.get(group);
          return discount ? [[group, { percent: Number(toText(discount.percent)), until: discount.until }]] : [];
        }),
      ),
      usableGroups: Object.fromEntries(groups),
    },
  };
}

/** What is known of a model by the first of its names that is known at all. */
function factsOf(catalog: Catalog, names: readonly string[]) {
  const info = names.map((name) => catalog.find(name)).find((found) => found !== UNKNOWN_MODEL) ?? UNKNOWN_MODEL;
  const { context_window, output_limit, input_modalities, output_modalities, deprecation_date, successor } = info;
  return { context_window, output_limit, input_modalities, output_modalities, deprecation_date, successor };
}

/** Its channel makes nothing but videos. */
export const onlyFilms = ({ type }: Pick<ChannelEntry, "type">): boolean =>
  providerOf(type)?.capabilities.every((capability) => capability === "video") === true;

const variantsView = (variants: readonly PriceVariant[] = []) =>
  Object.fromEntries(variants.map(({ text, usd }) => [text, Number(toText(usd))]));

const numberOf = (ratio: Decimal | undefined): number | null => (ratio ? Number(toText(ratio)) : null);

const factorsView = ({ input, output, cacheRead }: PriceFactors): PricedFactors => ({
  input: Number(toText(input)),
  output: Number(toText(output)),
  cache_read: Number(toText(cacheRead)),
});

const hoursView = (rule: PriceHours, isActive: boolean): PricedHours => ({
  days: rule.days && [...rule.days],
  from: clockText(rule.from),
  until: clockText(rule.until),
  zone: rule.zone,
  ...factorsView(rule),
  is_active: isActive,
});

const tierView = ({ over, input, output }: ContextTier) => ({
  over,
  input: Number(toText(input)),
  output: Number(toText(output)),
});
