import type { PriceTag } from "../../db/schema/prices.ts";
import type { Db } from "../../db/types.ts";
import { createPriceTable } from "../billing/pricing/price-table.ts";
import type { ChannelDirectory } from "../channels/directory.ts";
import { type PriceChange, presentPrices, recordPriceChanges } from "../channels/record-price-changes.ts";
import { nowSeconds } from "../lib/clock.ts";
import { decimal, divide, multiply, toText, whole } from "../lib/decimal.ts";
import type { Logger } from "../lib/log.ts";
import type { Broadcasts } from "../notify/broadcast.ts";
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
  const look = async () => {
    const present = JSON.stringify([...presentPrices(deps.channels, prices())]);
    if (present === seen) return;
    const changes = await recordPriceChanges({ ...deps, prices }, nowSeconds());
    seen = present;
    tellPriceChanges(deps, changes);
  };
  return every(EVERY_MS, look, (error) => deps.log.warn({ error }, "changed prices could not be written down"));
}

/** Sends a notice of prices that went up or down; new models and those that went are no news of this kind. */
export function tellPriceChanges(
  { settings, broadcasts, log }: Omit<JobDeps, "db" | "channels">,
  changes: readonly PriceChange[],
): void {
  const quotaPerUnit = settings.get("QuotaPerUnit");
  const lines = changes.flatMap(({ model, before, after }) =>
    before && after ? [`${model}: ${priceText(before, quotaPerUnit)} → ${priceText(after, quotaPerUnit)}`] : [],
  );
  if (lines.length === 0 || !settings.get("PriceChangeNoticeEnabled")) return;
  if (broadcasts.progress().is_running) {
    log.warn({ models: lines.length }, "no notice of changed prices: another one is being sent");
    return;
  }
  const rest = lines.length > MOST_TOLD ? [`… +${lines.length - MOST_TOLD}`] : [];
  broadcasts.start({
    event: "price_change",
    title: "Model prices have changed / 模型价格有调整",
    content: [...lines.slice(0, MOST_TOLD), ...rest].join("\n"),
  });
}

/** "$2.5 / $10 per 1M" or "$0.1 per call", before any group's factor. */
function priceText(price: PriceTag, quotaPerUnit: number): string {
  if ("usdPerCall" in price) return `$${price.usdPerCall} per call`;
  const input = divide(multiply(decimal(price.modelRatio), whole(TOKENS)), whole(quotaPerUnit), PLACES);
  return `$${toText(input)} / $${toText(multiply(input, decimal(price.completionRatio)))} per 1M`;
}
