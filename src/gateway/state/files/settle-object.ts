import type { LRUCache } from "lru-cache";
import { charge } from "../../../billing/pricing/charge.ts";
import { priceAt } from "../../../billing/pricing/price-hours.ts";
import { type ContextTier, tierOf } from "../../../billing/pricing/price-rules.ts";
import { inTiers, tierNames } from "../../../billing/pricing/service-tiers.ts";
import type { Price, UsageRecord } from "../../../billing/types.ts";
import { upstreamModelOf } from "../../../domain/channels/routing/routing-index.ts";
import { NO_USAGE, type Usage } from "../../../formats/conversation/reply.ts";
import { countOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { readUsage } from "../../../formats/openai-chat/response/usage.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { integer, multiply } from "../../../lib/values/decimal.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Uses } from "../../call/services.ts";
import { costNote, NO_USER_RATIO, storedRow } from "../../money/log-row.ts";
import type { Pricing } from "../../money/price.ts";
import { ownerOf, requestUpstream, type SendContext } from "../objects/request-upstream.ts";
import { isChargedAtEnd, isFinal, type ObjectStore, type StoredObject } from "../objects/store.ts";
import { usedBy } from "../responses/background.ts";
import type { UsesStores } from "../stores.ts";
import { jsonLines } from "./json-lines.ts";

/** What these functions work with. */
export type SettleObjectContext = SendContext & Uses<"billing" | "channels" | "log"> & UsesStores<"objects"> & Pricing;

/** Batches are charged as a service tier: at half the price, where the model has no other price for it. */
export const BATCH_TIER: readonly string[] = ["batch"];

/** The name under which a model's training is priced. */
export const trainingOf = (model: string): string => `${model}-training`;

/**
 * Charges a finished batch, fine-tuning job or run of an eval for the usage that the upstream reports, with one log row per model. The
 * ids of the rows derive from the object's, so that repeating this charges nothing more.
 */
export async function settleObject(context: SettleObjectContext, object: StoredObject): Promise<void> {
  if (object.settledAt !== null || !isChargedAtEnd(object.kind) || !isFinal(object.body)) return;
  const { objects } = context.services;
  const settlings = settlingsOf.get(objects) ?? recentEntries<string, Promise<void>>(MAX_SETTLINGS);
  settlingsOf.set(objects, settlings);
  // Several requests may refresh an object concurrently, or have an old version of it.
  const begun = settlings.get(object.id);
  if (begun) return begun;
  const settling = settle(context, object);
  settlings.set(object.id, settling);
  settling.catch(() => settlings.delete(object.id));
  return settling;
}

const MAX_SETTLINGS = 1_000;
/** What this process has recently charged, or is charging. */
const settlingsOf = new WeakMap<ObjectStore, LRUCache<string, Promise<void>>>();

async function settle(context: SettleObjectContext, object: StoredObject): Promise<void> {
  const used = await usedByObject(context, object);
  const { billing, objects, settings } = context.services;
  const records = used.map((each) => storedRow(recordOfUse(context, object, each), settings));
  await billing.settleStored(holdOf(object), records);
  await objects.settled(object.id, nowSeconds());
}

async function usedByObject(context: SettleObjectContext, object: StoredObject): Promise<Used[]> {
  switch (object.kind) {
    case "batch":
      return usedByBatch(context, object);
    case "response":
    case "interaction":
      return usedByResponse(context, object, object.kind);
    case "eval_run":
      return usedByRun(context, object);
    default:
      return usedByJob(context, object);
  }
}

/** Ends an object whose usage will never be reported: charges nothing and releases its hold. */
export async function abandonObject(
  { services }: Uses<"billing"> & UsesStores<"objects">,
  object: StoredObject,
): Promise<void> {
  await services.billing.settleStored(holdOf(object), []);
  await services.objects.settled(object.id, nowSeconds());
}

const holdOf = ({ id, userId, tokenId, payer: { budgets } }: StoredObject) => ({
  ...{ name: id, userId, tokenId },
  ...(budgets && { budgets: budgets.map(({ id }) => id) }),
});

/** The usage of one model's responses whose prompts have the same price tier. */
type Used = Readonly<{
  model: string;
  price: Price | null;
  tier: ContextTier | undefined;
  usage: Usage;
  calls: number;
}>;

/** Usage of all responses in the output file. */
async function usedByBatch(context: SettleObjectContext, object: StoredObject): Promise<Used[]> {
  const used = new Map<string, Used>();
  const output = textOf(object.body.output_file_id);
  if (!output) return [];
  const path = `/files/${encodeURIComponent(output)}/content`;
  const file = await requestUpstream(context, ownerOf(context, object), { method: "GET", path });
  const requested = await requestedModels(context, object);
  const prices = new Map<string, Price | null>();
  for await (const line of jsonLines(file)) {
    const answer = recordOf(recordOf(line.response)?.body);
    const usage = readUsage(answer?.usage);
    const reportedModel = textOf(answer?.model);
    const model = requested.get(textOf(line.custom_id) ?? "") ?? reportedModel;
    if (!usage || !model) continue;
    if (!prices.has(model)) prices.set(model, priceOf(context, object, model, undated(model)));
    const price = prices.get(model) ?? null;
    const tier = price?.kind === "per_token" ? tierOf(price.contextTiers, usage.promptTokens) : undefined;
    const key = `${model}\n${tier?.over ?? 0}`;
    const before = used.get(key);
    const sums = { usage: sum(before?.usage ?? NO_USAGE, usage), calls: (before?.calls ?? 0) + 1 };
    used.set(key, { model, price, tier, ...sums });
  }
  return [...used.values()];
}

/**
 * The model of each call by its custom id, because responses contain dated names. Empty if the input was deleted
 * meanwhile.
 */
async function requestedModels(
  context: SettleObjectContext,
  object: StoredObject,
): Promise<ReadonlyMap<string, string>> {
  const requested = new Map<string, string>();
  const input = textOf(object.body.input_file_id);
  if (!input) return requested;
  const path = `/files/${encodeURIComponent(input)}/content`;
  try {
    for await (const line of jsonLines(
      await requestUpstream(context, ownerOf(context, object), { method: "GET", path }),
    )) {
      const model = textOf(recordOf(line.body)?.model);
      if (model) requested.set(textOf(line.custom_id) ?? "", model);
    }
  } catch (error) {
    if (!(error instanceof GatewayError && error.status === 404)) throw error;
  }
  return requested;
}

function usedByJob(context: Uses<"log"> & Pricing, object: StoredObject): Used[] {
  const tokens = countOf(object.body.trained_tokens) ?? 0;
  if (tokens === 0) return [];
  const reportedModel = textOf(object.body.model) ?? "";
  const { requested, upstream } = object.payer.model ?? {
    requested: trainingOf(reportedModel),
    upstream: trainingOf(undated(reportedModel)),
  };
  const price = priceOf(context, object, requested, upstream);
  return [{ model: requested, price, tier: undefined, usage: { ...NO_USAGE, promptTokens: tokens }, calls: 1 }];
}

function usedByResponse(
  context: Uses<"log"> & Pricing,
  object: StoredObject,
  kind: "response" | "interaction",
): Used[] {
  const used = usedBy(kind, object.body);
  if (!used) return [];
  const reportedModel = textOf(object.body.model) ?? "";
  const { requested, upstream } = object.payer.model ?? { requested: reportedModel, upstream: undated(reportedModel) };
  const standard = priceOf(context, object, requested, upstream);
  const price = standard && inTiers(standard, tierNames(used.processing));
  return [{ model: requested, price, tier: undefined, usage: used.usage, calls: 1 }];
}

/** A run of an eval reports the usage of each model, also of those that grade. */
function usedByRun(context: Uses<"log"> & Pricing, object: StoredObject): Used[] {
  const used = new Map<string, Used>();
  for (const row of recordsOf(object.body.per_model_usage)) {
    const reportedModel = textOf(row.model_name);
    if (!reportedModel) continue;
    const isSame = (name: string) => name === reportedModel || name === undated(reportedModel);
    const model = object.payer.models?.find(isSame) ?? reportedModel;
    const usage: Usage = {
      ...NO_USAGE,
      promptTokens: countOf(row.prompt_tokens) ?? 0,
      completionTokens: countOf(row.completion_tokens) ?? 0,
      cachedTokens: countOf(row.cached_tokens) ?? 0,
    };
    const calls = countOf(row.invocation_count) ?? 1;
    const before = used.get(model);
    const price = before?.price ?? priceOf(context, object, model, undated(model));
    const sums = { usage: sum(before?.usage ?? NO_USAGE, usage), calls: (before?.calls ?? 0) + calls };
    used.set(model, { model, price, tier: undefined, ...sums });
  }
  return [...used.values()].filter(({ calls }) => calls > 0);
}

const sum = (a: Usage, b: Usage): Usage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  audioInputTokens: a.audioInputTokens + b.audioInputTokens,
  audioOutputTokens: a.audioOutputTokens + b.audioOutputTokens,
  imageInputTokens: (a.imageInputTokens ?? 0) + (b.imageInputTokens ?? 0),
  imageOutputTokens: (a.imageOutputTokens ?? 0) + (b.imageOutputTokens ?? 0),
});

/** The total price: fixed prices per response, token prices in the tier of each prompt. */
function priceOfAll({ price, tier, calls }: Used): Price | null {
  if (price?.kind === "per_call") return { ...price, usdPerCall: multiply(price.usdPerCall, integer(calls)) };
  // A single response finds its tier by its usage.
  if (calls === 1 && !tier) return price;
  return price && { ...price, contextTiers: tier && [{ ...tier, over: 0 }] };
}

const fineTuning = (id: string): string => `Fine-tuning ${id}`;
/** Texts of log rows. */
const CONTENTS: Readonly<Partial<Record<StoredObject["kind"], (id: string) => string>>> = {
  batch: (id) => `Batch ${id}, at the price of batches`,
  response: (id) => `Response ${id}, made in the background`,
  interaction: (id) => `Interaction ${id}, made in the background`,
  job: fineTuning,
  eval_run: (id) => `Run ${id} of an eval`,
};

function recordOfUse({ prices, services }: SettleObjectContext, object: StoredObject, used: Used): UsageRecord {
  const { model, tier, usage } = used;
  const price = priceOfAll(used);
  const unit = prices.quotaPerUnit();
  const charged = price && charge(price, usage, unit);
  const channel = services.channels.get(object.channelId);
  const upstreamModel = channel ? upstreamModelOf(channel, model, model) : model;
  const cost = costNote(channel, { upstreamModel, usage, price, receipt: charged?.receipt ?? null }, unit);
  const requestId = `${object.id}:${model}${tier ? `:${tier.over}` : ""}`.slice(0, 200);
  return {
    requestId,
    createdAt: object.createdAt,
    userId: object.userId,
    username: object.payer.username,
    tokenId: object.tokenId,
    tokenName: object.payer.tokenName,
    tokenLimited: object.payer.tokenLimited,
    modelName: model,
    channelId: object.channelId,
    group: object.payer.group,
    isStream: false,
    failed: false,
    elapsedMs: 0,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    quota: charged?.quota ?? 0,
    ip: "",
    ...(object.payer.budgets && { budgets: object.payer.budgets.map(({ id }) => id) }),
    content: CONTENTS[object.kind]?.(object.id) ?? "",
    other: {
      request_id: requestId,
      usage_evidence: "reported",
      ending: "complete",
      status: 200,
      cache_tokens: usage.cachedTokens,
      ...(charged?.receipt.serviceTier !== undefined && { service_tier: charged.receipt.serviceTier }),
      ...(charged && {
        receipt: charged.receipt,
        group_ratio: Number(charged.receipt.groupRatio),
        user_group_ratio: NO_USER_RATIO,
        group: object.payer.group,
      }),
      ...(object.payer.budgets && { budgets: object.payer.budgets }),
      ...cost,
    },
  };
}

/** Removes the date from a model name in a response. */
const undated = (model: string): string => model.replace(/-\d{4}-\d{2}-\d{2}$/, "");

/** The current price of the requested model, else of the upstream's name, for the hours in which the object was made. */
function priceOf(
  { prices, services }: Uses<"log"> & Pricing,
  object: StoredObject,
  model: string,
  other: string,
): Price | null {
  const { group, userGroup, acceptsUnset = false } = object.payer;
  try {
    const price = prices.of(
      { group, user: { acceptUnsetPrice: acceptsUnset, ...(userGroup && { group: userGroup }) } },
      model,
      other,
    );
    const asOfStart = priceAt(price, object.createdAt);
    return object.kind === "batch" ? inTiers(asOfStart, BATCH_TIER) : asOfStart;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    services.log.error(
      { model, objectId: object.id },
      "a batch, job or run used a model that has no price: not charged",
    );
    return null;
  }
}
