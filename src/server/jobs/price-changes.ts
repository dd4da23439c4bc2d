import type { PriceTag } from "../../../db/schema/models/pricing.ts";
import type { Db } from "../../../db/types.ts";
import { type PriceUnit, priceUnitOf } from "../../billing/pricing/price-rules.ts";
import { createPriceTable } from "../../billing/pricing/price-table.ts";
import { createModelCatalog, type ModelInfo } from "../../catalog/catalog.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import { onlyFilms } from "../../domain/channels/prices/list-prices.ts";
import { changedParts, isSameBase, type PartName, type PartPrice } from "../../domain/channels/prices/price-parts.ts";
import {
  offeredPrices,
  type PriceChange,
  presentPrices,
  recordPriceChanges,
} from "../../domain/channels/prices/record-price-changes.ts";
import type { Broadcasts } from "../../domain/notifications/broadcasts/broadcast.ts";
import { NOTICE_LIMITS } from "../../domain/notifications/notice-rules.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { type Decimal, decimal, divide, integer, multiply, toText } from "../../lib/values/decimal.ts";
import type { SettingsReader } from "../../settings/settings.ts";

type WatchDeps = Readonly<{
  db: Db;
  settings: SettingsReader;
  channels: Pick<ChannelDirectory, "all">;
  broadcasts: Broadcasts;
}>;

/** Longer lists are on the price page. */
const MAX_REPORTED = 50;
const PLACES = 6;
const TOKENS = 1_000_000;
/** As calls are charged: USD of an image for each unit of ratio, and minutes of sound in a million tokens. */
const USD_OF_IMAGE_PER_RATIO = decimal("0.0025");
const MINUTES = integer(1000);

/**
 * Returns what records which models' prices have changed since its last run, and notifies whoever subscribed where the site
 * has that on (PriceChangeNoticeEnabled).
 */
export function createPriceChangeWatch(deps: WatchDeps): () => Promise<void> {
  const prices = createPriceTable(deps.settings);
  let lastPrices = "";
  let pending: readonly PriceChange[] = [];
  return async () => {
    const present = JSON.stringify([...presentPrices(deps.channels, prices())]);
    if (present !== lastPrices) {
      const changes = await recordPriceChanges({ ...deps, prices }, nowSeconds());
      lastPrices = present;
      pending = joinChanges(pending, changes);
    }
    pending = notifyPriceChanges(deps, pending);
  };
}

/**
 * Sends a notice of prices that went up or down; new models and those that went are no news of this kind. Returns what is
 * to be reported later, as another notice is being sent.
 */
export function notifyPriceChanges(
  { settings, broadcasts, channels }: Pick<WatchDeps, "settings" | "broadcasts" | "channels">,
  changes: readonly PriceChange[],
): readonly PriceChange[] {
  const reported = changes.flatMap(({ model, before, after }) => (before && after ? [{ model, before, after }] : []));
  if (reported.length === 0 || !settings.get("PriceChangeNoticeEnabled")) return [];
  if (broadcasts.progress().is_running) return changes;
  const catalog = createModelCatalog(settings)();
  const films = new Set([...channels.all()].filter(onlyFilms).flatMap(namesOf));
  const offered = offeredPrices(channels, createPriceTable(settings)());
  const moved = reported.map((change) => ({
    ...change,
    info: catalog.find(offered.get(change.model)?.pricedAs ?? change.model),
    onlyFilms: films.has(change.model),
  }));
  broadcasts.start({
    event: "price_change",
    title: "Model prices have changed / 模型价格有调整",
    content: bodyOf(moved, settings.get("QuotaPerUnit")),
  });
  return [];
}

const namesOf = ({ models, modelPrefix }: Readonly<{ models: readonly string[]; modelPrefix: string }>) =>
  models.map((name) => modelPrefix + name);

/** Earlier and later changes as one each model; what came back to where it was is none. */
export function joinChanges(earlier: readonly PriceChange[], later: readonly PriceChange[]): PriceChange[] {
  const joined = new Map(earlier.map((change) => [change.model, change]));
  for (const { model, before, after } of later) {
    joined.set(model, { model, before: joined.has(model) ? (joined.get(model)?.before ?? null) : before, after });
  }
  return [...joined.values()].filter(({ before, after }) => !Bun.deepEquals(before, after));
}

type Moved = Readonly<{
  model: string;
  /** What is known of the name that has the price. */
  info: ModelInfo;
  before: PriceTag;
  after: PriceTag;
  /** A channel of it makes nothing but videos. */
  onlyFilms: boolean;
}>;

type Words = Readonly<{
  head: string;
  /** USD of what the price is for; of a million characters. */
  each: Readonly<Record<Exclude<PriceUnit, "token">, (usd: string) => string>>;
  perMillion: (input: string, output: string) => string;
  perUse: (usd: string) => string;
  /** One change of a price; `part` is empty for what a unit, or a token, costs. */
  change: (part: string, before: string, after: string) => string;
  /** What changed of one model. */
  line: (model: string, changes: readonly string[]) => string;
  /** `of`: tokens that the prompt is over, or the variant. */
  parts: Readonly<Record<PartName, (of: string) => string>>;
  /** USD of a part that is not billed in the model's own unit. */
  partUnits: Readonly<{ million: (usd: string) => string; megapixel: (usd: string) => string }>;
  noPrice: string;
  /** What stands for those that are not listed. */
  rest: (models: number) => string;
}>;

const ENGLISH: Words = {
  head: "These prices have changed (input / output):",
  each: {
    call: (usd) => `$${usd} per call`,
    image: (usd) => `$${usd} per image`,
    second: (usd) => `$${usd} per second`,
    video: (usd) => `$${usd} per video`,
    minute: (usd) => `$${usd} per minute`,
    character: (usd) => `$${usd} per 1M characters`,
  },
  perMillion: (input, output) => `$${input} / $${output} per 1M tokens`,
  perUse: (usd) => `$${usd} per use`,
  change: (part, before, after) => `${part && `${part} `}${before} → ${after}`,
  line: (model, changes) => `${model}: ${changes.join("; ")}`,
  parts: {
    cached: () => "cached input",
    cacheWritten: () => "cache write",
    cacheWrittenHour: () => "cache write for 1 hour",
    audioInput: () => "audio input",
    audioOutput: () => "audio output",
    imageInput: () => "image input",
    imageOutput: () => "image output",
    tier: (over) => `prompts over ${over} tokens`,
    megapixel: () => "further and input megapixels",
    variant: (variant) => `variant ${variant}`,
    serviceTier: (tier) => `service tier ${tier}`,
    hours: (hours) => hours,
  },
  partUnits: { million: (usd) => `$${usd} per 1M tokens`, megapixel: (usd) => `$${usd} per megapixel` },
  noPrice: "no separate price",
  rest: (models) => `… and ${models} more`,
};

const CHINESE: Words = {
  head: "以下价格有调整（输入 / 输出）：",
  each: {
    call: (usd) => `每次 $${usd}`,
    image: (usd) => `每张 $${usd}`,
    second: (usd) => `每秒 $${usd}`,
    video: (usd) => `每个视频 $${usd}`,
    minute: (usd) => `每分钟 $${usd}`,
    character: (usd) => `每百万字符 $${usd}`,
  },
  perMillion: (input, output) => `每百万 token $${input} / $${output}`,
  perUse: (usd) => `每次使用 $${usd}`,
  change: (part, before, after) => `${part && `${part} `}${before} → ${after}`,
  line: (model, changes) => `${model}：${changes.join("；")}`,
  parts: {
    cached: () => "缓存输入",
    cacheWritten: () => "缓存写入",
    cacheWrittenHour: () => "缓存写入 1 小时",
    audioInput: () => "音频输入",
    audioOutput: () => "音频输出",
    imageInput: () => "图片输入",
    imageOutput: () => "图片输出",
    tier: (over) => `提示词超过 ${over} token`,
    megapixel: () => "后续及输入的像素",
    variant: (variant) => `规格 ${variant}`,
    serviceTier: (tier) => `服务等级 ${tier}`,
    hours: (hours) => `时段 ${hours}`,
  },
  partUnits: { million: (usd) => `每百万 token $${usd}`, megapixel: (usd) => `每百万像素 $${usd}` },
  noPrice: "无单独价格",
  rest: (models) => `……以及另外 ${models} 个模型`,
};

/** The whole in English, then the whole in Chinese, with as many models as a notice holds. */
function bodyOf(moved: readonly Moved[], quotaPerUnit: number): string {
  for (let reported = Math.min(moved.length, MAX_REPORTED); ; reported -= 1) {
    const body = [ENGLISH, CHINESE].map((words) => paragraph(words, moved, reported, quotaPerUnit)).join("\n\n");
    if (reported <= 1 || [...body].length <= NOTICE_LIMITS.content) return body;
  }
}

function paragraph(words: Words, moved: readonly Moved[], reported: number, quotaPerUnit: number): string {
  const lines = moved.slice(0, reported).map((change) => {
    const { model, before, after } = change;
    const base = isSameBase(before, after)
      ? []
      : [
          words.change(
            "",
            priceText(words, change, before, quotaPerUnit),
            priceText(words, change, after, quotaPerUnit),
          ),
        ];
    return words.line(model, [...base, ...partTexts(words, change, quotaPerUnit)]);
  });
  const rest = moved.length > reported ? [words.rest(moved.length - reported)] : [];
  return [words.head, ...lines, ...rest].join("\n");
}

/** "cache write $3 → $4 per 1M tokens": what changed in addition to the price of a unit, or of a token in and out. */
function partTexts(words: Words, { before, after, info, onlyFilms }: Moved, quotaPerUnit: number): string[] {
  const unit = priceUnitOf(info, { kind: "usdPerCall" in after ? "per_call" : "per_token" }, onlyFilms);
  const text = (part: PartName, price: PartPrice | null): string => {
    if (!price) return words.noPrice;
    const usd = dollars(price.usd);
    if (price.output !== undefined) return words.perMillion(usd, dollars(price.output));
    if (part === "megapixel") return words.partUnits.megapixel(usd);
    const isOfUnit = part === "variant" || part === "serviceTier" || part === "hours";
    return isOfUnit ? words.each[unit === "token" ? "call" : unit](usd) : words.partUnits.million(usd);
  };
  return changedParts(before, after, quotaPerUnit).map((change) =>
    words.change(
      words.parts[change.part](change.of),
      text(change.part, change.before),
      text(change.part, change.after),
    ),
  );
}

/** Never in the form 1e-7. */
const dollars = (usd: number): string => toText(decimal(usd.toFixed(PLACES)));

/** "$2.5 / $10 per 1M tokens", "$0.1 per second": what the price is for, before any group's factor. */
function priceText(words: Words, { info, onlyFilms }: Moved, price: PriceTag, quotaPerUnit: number): string {
  if ("usdPerUse" in price) return words.perUse(price.usdPerUse);
  const kind = "usdPerCall" in price ? "per_call" : "per_token";
  const unit = priceUnitOf(info, { kind }, onlyFilms);
  if ("usdPerCall" in price) return words.each[unit === "token" ? "call" : unit](price.usdPerCall);
  const ratio = decimal(price.modelRatio);
  const input = divide(multiply(ratio, integer(TOKENS)), integer(quotaPerUnit), PLACES);
  if (unit === "token") {
    return words.perMillion(toText(input), toText(multiply(input, decimal(price.completionRatio))));
  }
  return words.each[unit](toText(ofUnit(unit, ratio, input)));
}

function ofUnit(unit: PriceUnit, ratio: Decimal, input: Decimal): Decimal {
  if (unit === "image") return multiply(ratio, USD_OF_IMAGE_PER_RATIO);
  return unit === "minute" ? divide(input, MINUTES, PLACES) : input;
}
