import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { PriceChangeView } from "../../../src/domain/channels/prices/list-price-changes.ts";
import type { PricedModel as ListedModel } from "../../../src/domain/channels/prices/list-prices.ts";
import { formatDollars } from "../../lib/format/money.ts";
import { formatDate } from "../../lib/format/time.ts";
import { readData, readEnvelope } from "../client.ts";
import { pricingApi } from "../groups.ts";

/** A model and its price before the factor of the group. */
export type PricedModel = ListedModel;

/** A time-limited discount of a group. */
export type Discount = Readonly<{ percent: number /** Epoch seconds. */; until: number }>;

type Pricing = Readonly<{
  models: readonly PricedModel[];
  groupRatio: Readonly<Record<string, number>>;
  discounts: Readonly<Record<string, Discount>>;
  usableGroup: Readonly<Record<string, string>>;
  ownGroup: string;
}>;

/** `userId` separates the cache of visitors and users. */
export const pricing = (userId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", userId ?? "visitor"],
    queryFn: async ({ signal }): Promise<Pricing> => {
      const answer = await readEnvelope(pricingApi.pricing.get({ fetch: { signal } }), { stayOn401: true });
      return {
        models: answer.data,
        groupRatio: answer.group_ratio,
        discounts: answer.discounts,
        usableGroup: answer.usable_group,
        ownGroup: answer.group,
      };
    },
    staleTime: 60_000,
  });

/** The groups that the caller may use, with their ratios, and the makers of their models. */
export const priceGroups = (userId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", userId ?? "visitor", "groups"],
    queryFn: ({ signal }) => readData(pricingApi.pricing.groups.get({ fetch: { signal } }), { stayOn401: true }),
    staleTime: 60_000,
  });

const TOKENS_PER_PRICE = 1_000_000;

/** USD per million input tokens, before the group's ratio. */
const usdPerMillion = (modelRatio: number, quotaPerUnit: number): number =>
  (modelRatio * TOKENS_PER_PRICE) / quotaPerUnit;

/** What a group multiplies the prices of a model by. `ratio`: that of the group in general. */
export const ratioFor = (
  { group_ratios: own }: Pick<PricedModel, "group_ratios">,
  group: string,
  ratio: number | undefined,
): number => own[group] ?? ratio ?? 1;

/**
 * USD per million input and output tokens in a group with the given ratio; for images, audio and cache writes if they
 * have their own prices, else null.
 */
export function tokenPrice(model: PricedModel, groupRatio: number, quotaPerUnit: number) {
  const { image_ratio: seen, image_completion_ratio: drawn } = model;
  const {
    audio_ratio: audioInputRatio,
    audio_completion_ratio: audioOutputRatio,
    cache_creation_ratio: cacheWriteRatio,
  } = model;
  const input = usdPerMillion(model.model_ratio, quotaPerUnit) * groupRatio;
  return {
    input,
    cached: input * model.cache_ratio,
    output: input * model.completion_ratio,
    imageInput: seen === null ? null : input * seen,
    imageOutput: drawn === null ? null : input * (seen ?? 1) * drawn,
    audioInput: audioInputRatio === null ? null : input * audioInputRatio,
    audioOutput: audioOutputRatio === null ? null : input * (audioInputRatio ?? 1) * audioOutputRatio,
    cacheWritten: cacheWriteRatio === null ? null : input * cacheWriteRatio,
  };
}

const WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/** A Monday. */
const MONDAY_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** Hours with their days and time zone: "Mon–Fri 09:00–12:00 Asia/Shanghai". */
export function hoursLabel(
  { days, from, until, zone }: Pick<PricedModel["price_hours"][number], "days" | "from" | "until" | "zone">,
  language: string,
): string {
  const nameOf = (place: number) =>
    formatDate(MONDAY_MS + place * DAY_MS, language, { weekday: "short", timeZone: "UTC" });
  const places = WEEK.flatMap((day, place) => (days?.includes(day) ? [place] : []));
  const [first = 0] = places;
  const last = places.at(-1) ?? 0;
  const isRange = places.length > 2 && last - first === places.length - 1;
  const names = isRange ? `${nameOf(first)}–${nameOf(last)}` : places.map(nameOf).join(", ");
  return `${names === "" ? "" : `${names} `}${from}–${until} ${zone}`;
}

/** A price in USD: at least cents, at most six decimals. */
export const usd = (amount: number): string => formatDollars(amount, 2, 6);

/** A change of a model's price, without group ratios. */
export type PriceChange = PriceChangeView;

const CHANGES_PER_PAGE = 50;

/** Price changes, newest first. */
export const priceChanges = (userId: number | undefined) =>
  infiniteQueryOptions({
    queryKey: ["price-changes", userId ?? "visitor"],
    queryFn: async ({ pageParam, signal }) => {
      const query = { p: pageParam, page_size: CHANGES_PER_PAGE };
      return readData(pricingApi.pricing.changes.get({ query, fetch: { signal } }), { stayOn401: true });
    },
    initialPageParam: 1,
    getNextPageParam: ({ total }, _pages, page) => (page * CHANGES_PER_PAGE < total ? page + 1 : undefined),
  });

/** USD of an image for each unit of model ratio, at 1024 × 1024. */
const USD_OF_IMAGE_PER_RATIO = 0.0025;
/** Tokens charged per minute of audio. */
const TOKENS_PER_MINUTE = 1000;

type Priced = Pick<PricedModel, "quota_type" | "model_price" | "model_ratio" | "unit">;

/** USD per unit of a model (per million tokens or characters) in a group with the given ratio. */
export function unitPrice(model: Priced, groupRatio: number, quotaPerUnit: number): number {
  if (model.quota_type === 1) return model.model_price * groupRatio;
  if (model.unit === "image") return model.model_ratio * USD_OF_IMAGE_PER_RATIO * groupRatio;
  const input = usdPerMillion(model.model_ratio, quotaPerUnit) * groupRatio;
  return model.unit === "minute" ? (input * TOKENS_PER_MINUTE) / 1_000_000 : input;
}

type Tag = NonNullable<PriceChange["after"]>;

/**
 * The unit that a price of a model was for, and the USD of it (as `unitPrice` returns), of a million tokens in and out. `unit`:
 * what the model's price is for now; null when it is no longer offered.
 */
export function unitTag(tag: Tag, unit: PriceChange["unit"], quotaPerUnit: number) {
  if ("usdPerUse" in tag) return { unit: "use" as const, usd: Number(tag.usdPerUse) };
  if ("usdPerCall" in tag) {
    return {
      unit: unit === "image" || unit === "second" || unit === "video" ? unit : ("call" as const),
      usd: Number(tag.usdPerCall),
    };
  }
  if (unit !== "character" && unit !== "minute" && unit !== "image") {
    const input = usdPerMillion(Number(tag.modelRatio), quotaPerUnit);
    return { unit: "token" as const, input, output: input * Number(tag.completionRatio) };
  }
  const priced = { unit, quota_type: 0, model_price: 0, model_ratio: Number(tag.modelRatio) } as const;
  return { unit, usd: unitPrice(priced, 1, quotaPerUnit) };
}

/** The name under which a model's price is stored: custom GPTs share one price. */
export const pricedName = (model: string): string => model.replace(/^(gpt-4o?-gizmo).*$/, "$1-*");
