import type { PriceTag } from "../../db/schema/prices.ts";
import type { Db } from "../../db/types.ts";
import { createPriceTable } from "../billing/pricing/price-table.ts";
import type { ChannelDirectory } from "../channels/directory.ts";
import { type PriceChange, presentPrices, recordPriceChanges } from "../channels/record-price-changes.ts";
import { nowSeconds } from "../lib/clock.ts";
import { decimal, divide, multiply, toText, whole } from "../lib/decimal.ts";
import type { Logger } from "../lib/log.ts";
import { type Broadcasts, LONGEST_NOTICE } from "../notify/broadcast.ts";
import type { SettingsReader } from "../settings/settings.ts";
import { every } from "./every.ts";

type JobDeps = Readonly<{
  db: Db;
  settings: SettingsReader;
  channels: Pick<ChannelDirectory, "all">;
  broadcasts: Broadcasts;
  log: Logger;
}>;

const EVERY_MS = 60_000;
/** Longer lists are on the price page. */
const MOST_TOLD = 50;
const PLACES = 6;
const TOKENS = 1_000_000;

/**
 * Writes down once a minute which models' prices have changed, and tells whoever wants to hear of it where the site has
 * that on (PriceChangeNoticeEnabled). Returns what ends it.
 */
export function startPriceChangeJob(deps: JobDeps): () => void {
  const prices = createPriceTable(deps.settings);
  let seen = "";
  let untold: readonly PriceChange[] = [];
  const look = async () => {
    const present = JSON.stringify([...presentPrices(deps.channels, prices())]);
    if (present !== seen) {
      const changes = await recordPriceChanges({ ...deps, prices }, nowSeconds());
      seen = present;
      untold = joinChanges(untold, changes);
    }
    untold = tellPriceChanges(deps, untold);
  };
  return every(EVERY_MS, look, (error) => deps.log.warn({ error }, "changed prices could not be written down"));
}

/**
 * Sends a notice of prices that went up or down; new models and those that went are no news of this kind. Returns what is
 * to be told later, as another notice is being sent.
 */
export function tellPriceChanges(
  { settings, broadcasts }: Pick<JobDeps, "settings" | "broadcasts">,
  changes: readonly PriceChange[],
): readonly PriceChange[] {
  const moved = changes.flatMap(({ model, before, after }) => (before && after ? [{ model, before, after }] : []));
  if (moved.length === 0 || !settings.get("PriceChangeNoticeEnabled")) return [];
  if (broadcasts.progress().is_running) return changes;
  broadcasts.start({
    event: "price_change",
    title: "Model prices have changed / 模型价格有调整",
    content: bodyOf(moved, settings.get("QuotaPerUnit")),
  });
  return [];
}

/** Earlier and later changes as one each model; what came back to where it was is none. */
export function joinChanges(earlier: readonly PriceChange[], later: readonly PriceChange[]): PriceChange[] {
  const joined = new Map(earlier.map((change) => [change.model, change]));
  for (const { model, before, after } of later) {
    joined.set(model, { model, before: joined.has(model) ? (joined.get(model)?.before ?? null) : before, after });
  }
  return [...joined.values()].filter(({ before, after }) => !Bun.deepEquals(before, after));
}

type Moved = Readonly<{ model: string; before: PriceTag; after: PriceTag }>;

type Words = Readonly<{
  head: string;
  perCall: (usd: string) => string;
  perMillion: (input: string, output: string) => string;
  change: (model: string, before: string, after: string) => string;
  /** What stands for those that are not told. */
  rest: (models: number) => string;
}>;

const ENGLISH: Words = {
  head: "These models' prices have changed (input / output):",
  perCall: (usd) => `$${usd} per call`,
  perMillion: (input, output) => `$${input} / $${output} per 1M tokens`,
  change: (model, before, after) => `${model}: ${before} → ${after}`,
  rest: (models) => `… and ${models} more`,
};

const CHINESE: Words = {
  head: "以下模型的价格有调整（输入 / 输出）：",
  perCall: (usd) => `每次 $${usd}`,
  perMillion: (input, output) => `每百万 token $${input} / $${output}`,
  change: (model, before, after) => `${model}：${before} → ${after}`,
  rest: (models) => `……以及另外 ${models} 个模型`,
};

/** The whole in English, then the whole in Chinese, with as many models as a notice holds. */
function bodyOf(moved: readonly Moved[], quotaPerUnit: number): string {
  for (let told = Math.min(moved.length, MOST_TOLD); ; told -= 1) {
    const body = [ENGLISH, CHINESE].map((words) => paragraph(words, moved, told, quotaPerUnit)).join("\n\n");
    if (told <= 1 || [...body].length <= LONGEST_NOTICE.content) return body;
  }
}

function paragraph(words: Words, moved: readonly Moved[], told: number, quotaPerUnit: number): string {
  const lines = moved
    .slice(0, told)
    .map(({ model, before, after }) =>
      words.change(model, priceText(words, before, quotaPerUnit), priceText(words, after, quotaPerUnit)),
    );
  const rest = moved.length > told ? [words.rest(moved.length - told)] : [];
  return [words.head, ...lines, ...rest].join("\n");
}

/** "$2.5 / $10 per 1M tokens" or "$0.1 per call", before any group's factor. */
function priceText(words: Words, price: PriceTag, quotaPerUnit: number): string {
  if ("usdPerCall" in price) return words.perCall(price.usdPerCall);
  const input = divide(multiply(decimal(price.modelRatio), whole(TOKENS)), whole(quotaPerUnit), PLACES);
  return words.perMillion(toText(input), toText(multiply(input, decimal(price.completionRatio))));
}
