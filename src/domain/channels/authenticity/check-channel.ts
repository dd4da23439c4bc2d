import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { channelChecks } from "../../../../db/schema/channels/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { dayOf, readSpend, reserveSpend } from "../../../billing/operator-spend.ts";
import { charge } from "../../../billing/pricing/charge.ts";
import { createPriceTable, type PriceTable } from "../../../billing/pricing/price-table.ts";
import { findPrice } from "../../../billing/pricing/resolve-price.ts";
import { shippedCatalog } from "../../../catalog/catalog.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { type Decimal, integer, ONE } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { CHANNEL_STATUS, type ChannelEntry } from "../entry.ts";
import { setChannelStatus } from "../status/set-status.ts";
import { type Asker, type CountTokens, collectEvidence } from "./collect-evidence.ts";
import { type Finding, judgeEvidence, mayReason } from "./judge-evidence.ts";
import { askChannel, type ChatAnswer, PROBES, PROBES_VERSION } from "./probes.ts";

export type CheckDeps = Readonly<{
  db: Db;
  changes: Changes;
  fetch: SafeFetch;
  settings: SettingsReader;
  channels: Readonly<{ get(id: number): ChannelEntry | undefined }>;
  countTokens: CountTokens;
  /** From 0 to 1. */
  random?: () => number;
}>;

/** The result of a check. */
export type ChannelCheck = Readonly<{ score: number | null; findings: readonly Finding[]; cost: number }>;

const PURPOSE = "channel checks";

/**
 * Checks whether a channel serves the model that it claims to, and keeps the result. Two low scores in a row disable the channel,
 * where the operator wants that. Throws OperationError: it serves no chats, or the day's budget is used up.
 */
export async function checkChannel(deps: CheckDeps, channel: ChannelEntry, model: string): Promise<ChannelCheck> {
  const { db, settings, channels, countTokens, random = Math.random } = deps;
  const rules = settings.get("ChannelAuthenticity");
  const day = dayOf(nowSeconds());
  const limit = rules.maxUsdPerDay * settings.get("QuotaPerUnit");
  const prices = createPriceTable(settings)();
  const unit = integer(settings.get("QuotaPerUnit"));
  let cost = 0;
  const askerOf =
    (target: ChannelEntry): Asker =>
    async (prompt, maxTokens, wantsLogprobs) => {
      if ((await readSpend(db, PURPOSE, day)) >= limit) throw new OperationError("channel_check_budget");
      const answer = await askChannel(deps.fetch, target, model, {
        ...{ prompt, maxTokens },
        wantsLogprobs: wantsLogprobs === true,
      });
      const price = costOf(prices, unit, target, model, answer);
      cost += price;
      // What was spent is spent: it has no bound.
      if (price > 0) await reserveSpend(db, { purpose: PURPOSE, day, amount: price }, Number.MAX_SAFE_INTEGER);
      return answer;
    };
  const reference = channels.get(rules.references.get(model) ?? 0);
  const evidence = await collectEvidence({
    ...{ model, countTokens, random, words: rules.promptWords, ask: askerOf(channel) },
    askReference: reference && reference.id !== channel.id ? askerOf(reference) : null,
    probes: [...PROBES, ...rules.probes],
  });
  const { score, findings } = judgeEvidence(model, evidence, mayReason(shippedCatalog.find(model)));
  const [before] = await db
    .select({ score: channelChecks.score })
    .from(channelChecks)
    .where(and(eq(channelChecks.channelId, channel.id), eq(channelChecks.model, model)))
    .orderBy(desc(channelChecks.id))
    .limit(1);
  await db.insert(channelChecks).values({
    ...{ channelId: channel.id, model, createdAt: nowSeconds(), score, cost, probes: PROBES_VERSION },
    findings: findings.map((each) => ({ ...each })),
  });
  const isLow = (value: number | null | undefined) => typeof value === "number" && value < rules.disableBelow;
  if (isLow(score) && isLow(before?.score)) {
    // Not as automatically disabled: a test that passes must not enable it again.
    const reason = { code: "why_not_authentic" as const, params: { model, score: score ?? 0 } };
    await setChannelStatus(deps, channel.id, CHANNEL_STATUS.disabled, reason, CHANNEL_STATUS.enabled);
  }
  return { score, findings, cost };
}

/** At list price, without the group's factor; 0: the model has no price. */
function costOf(
  prices: PriceTable,
  unit: Decimal,
  { groups }: ChannelEntry,
  model: string,
  { usage, upstreamModel }: ChatAnswer,
): number {
  if (!usage) return 0;
  const query = { requestedModel: model, upstreamModels: [upstreamModel], group: groups[0] ?? "default" };
  const price = findPrice(prices, query);
  const list = price && { ...price, groupRatio: ONE, discount: undefined };
  return list ? charge(list, usage, unit).quota : 0;
}

/** A check as the console lists it. */
export type ChannelCheckView = ChannelCheck &
  Readonly<{ channel_id: number; channel: string; model: string; created_at: number; probes: string; is_low: boolean }>;

/** The latest check of each channel and model. */
export async function listChannelChecks(
  db: Db,
  settings: SettingsReader,
  channels: CheckDeps["channels"],
): Promise<readonly ChannelCheckView[]> {
  const { alertBelow } = settings.get("ChannelAuthenticity");
  const rows = await latestChecks(db);
  return rows.flatMap(({ channelId, model, createdAt, score, findings, probes, cost }) => {
    const channel = channels.get(channelId);
    if (!channel) return [];
    return {
      ...{ channel_id: channelId, channel: channel.name, model, created_at: createdAt, score, probes, cost },
      findings: findings as unknown as readonly Finding[],
      is_low: score !== null && score < alertBelow,
    };
  });
}

/** The newest row of each channel and model. */
export const latestChecks = (db: Db) =>
  db
    .selectDistinctOn([channelChecks.channelId, channelChecks.model])
    .from(channelChecks)
    .orderBy(channelChecks.channelId, channelChecks.model, desc(channelChecks.id));

/** Checks channels whose last check is old enough, until the day's budget is used up. */
export async function checkDueChannels(
  deps: CheckDeps & Readonly<{ channels: Readonly<{ all(): Iterable<ChannelEntry> }> }>,
  signal: AbortSignal,
): Promise<void> {
  const { db, settings, channels } = deps;
  const { everyHours, models } = settings.get("ChannelAuthenticity");
  if (everyHours === 0) return;
  const since = nowSeconds() - everyHours * 3600;
  const recent = await db
    .select({ channelId: channelChecks.channelId, model: channelChecks.model })
    .from(channelChecks)
    .where(gt(channelChecks.createdAt, since));
  const known = new Set(recent.map(({ channelId, model }) => `${channelId}/${model}`));
  for (const channel of channels.all()) {
    if (channel.status !== CHANNEL_STATUS.enabled) continue;
    for (const model of checkedModels(channel, models)) {
      if (signal.aborted) return;
      if (known.has(`${channel.id}/${model}`)) continue;
      try {
        await checkChannel(deps, channel, model);
      } catch (error) {
        if (!(error instanceof OperationError)) throw error;
        if (error.code === "channel_check_budget") return;
      }
    }
  }
  await db.delete(channelChecks).where(sql`${channelChecks.createdAt} < ${nowSeconds() - KEEP_S}`);
}

const KEEP_S = 90 * 86_400;

function checkedModels(
  { models, modelPrefix, testModel }: ChannelEntry,
  only: ReadonlySet<string> | null,
): readonly string[] {
  const names = models.map((name) => modelPrefix + name);
  if (only) return names.filter((name) => only.has(name));
  const [first] = testModel ? [testModel] : names;
  return first ? [first] : [];
}
