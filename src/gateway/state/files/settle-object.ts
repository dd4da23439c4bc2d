import { LRUCache } from "lru-cache";
import { charge } from "../../../billing/pricing/charge.ts";
import { type ContextTier, tierOf } from "../../../billing/pricing/rules/context-tiers.ts";
import { NO_USAGE, type Price, type Usage, type UsageRecord } from "../../../billing/types.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { readUsage } from "../../../formats/openai-chat/response/usage.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { type Decimal, decimal, multiply, ONE, whole } from "../../../lib/values/decimal.ts";
import { storedRow } from "../../billing/log-row.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import { usedBy } from "../responses/background.ts";
import { jsonLines } from "./json-lines.ts";
import { ownerOf, requestUpstream } from "./request-upstream.ts";
import type { ObjectStore, StoredObject } from "./store.ts";

/** Batches cost half of what the same calls cost at once. */
export const BATCH_SHARE = decimal("0.5");

/** The name under which training has its price, beside the model's own. */
export const trainingOf = (model: string): string => `${model}-training`;

const OVER: ReadonlySet<unknown> = new Set([
  ...["completed", "failed", "expired", "cancelled", "succeeded"],
  // A response that was cut off.
  "incomplete",
]);

/** It will not change any more. */
export const isOver = ({ status }: JsonObject): boolean => OVER.has(status);

/**
 * Charges a batch or a fine-tuning job that is over, by what the upstream says it used: a log row for each model. Each row
 * has an id that follows from the object's, so that whoever does this again charges nothing more.
 */
export async function settleObject(context: GatewayContext, object: StoredObject): Promise<void> {
  if (object.settledAt !== null || !isOver(object.body)) return;
  const { objects } = context.services;
  const settlings = settlingsOf.get(objects) ?? new LRUCache<string, Promise<void>>({ max: MOST_SETTLINGS });
  settlingsOf.set(objects, settlings);
  // Several may look at an object at once, or hold it as it was before.
  const begun = settlings.get(object.id);
  if (begun) return begun;
  const settling = settle(context, object);
  settlings.set(object.id, settling);
  settling.catch(() => settlings.delete(object.id));
  return settling;
}

const MOST_SETTLINGS = 1_000;
/** What this process has charged lately, or is charging. */
const settlingsOf = new WeakMap<ObjectStore, LRUCache<string, Promise<void>>>();

async function settle(context: GatewayContext, object: StoredObject): Promise<void> {
  const used = await usedByObject(context, object);
  const { billing, objects, settings } = context.services;
  const records = used.map((each) => storedRow(recordOfUse(context, object, each), settings));
  await billing.settleKept(holdOf(object), records);
  await objects.settled(object.id, nowSeconds());
}

function usedByObject(context: GatewayContext, object: StoredObject): Promise<Used[]> | Used[] {
  switch (object.kind) {
    case "batch":
      return usedByBatch(context, object);
    case "response":
      return usedByResponse(context, object);
    default:
      return usedByJob(context, object);
  }
}

/** Ends an object whose usage nobody will ever tell: nothing is charged, what is held for it goes back. */
export async function giveUp({ services }: GatewayContext, object: StoredObject): Promise<void> {
  await services.billing.settleKept(holdOf(object), []);
  await services.objects.settled(object.id, nowSeconds());
}

const holdOf = ({ id, userId, tokenId }: StoredObject) => ({ name: id, userId, tokenId });

/** What answers of one model used whose prompts are on one step of its prices. */
type Used = Readonly<{
  model: string;
  price: Price | null;
  tier: ContextTier | undefined;
  usage: Usage;
  calls: number;
}>;

/** All answers in the output file. */
async function usedByBatch(context: GatewayContext, object: StoredObject): Promise<Used[]> {
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

/** The model of each call by the call's own id: answers tell dated names. Empty where the input was deleted meanwhile. */
async function requestedModels(context: GatewayContext, object: StoredObject): Promise<ReadonlyMap<string, string>> {
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

function usedByJob(context: GatewayContext, object: StoredObject): Used[] {
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

function usedByResponse(context: GatewayContext, object: StoredObject): Used[] {
  const usage = usedBy(object.body);
  if (!usage) return [];
  const reportedModel = textOf(object.body.model) ?? "";
  const { requested, upstream } = object.payer.model ?? { requested: reportedModel, upstream: undated(reportedModel) };
  const price = priceOf(context, object, requested, upstream);
  return [{ model: requested, price, tier: undefined, usage, calls: 1 }];
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

/** The price of all of it: a fixed one for every answer, that of tokens on the step that each prompt is on. */
function priceOfAll({ price, tier, calls }: Used): Price | null {
  if (price?.kind === "per_call") return { ...price, usdPerCall: multiply(price.usdPerCall, whole(calls)) };
  // One answer finds its step by itself.
  if (calls === 1 && !tier) return price;
  return price && { ...price, contextTiers: tier && [{ ...tier, over: 0 }] };
}

const fineTuning = (id: string): string => `Fine-tuning ${id}`;
/** What a log row says of what was charged. */
const CONTENTS: Readonly<Record<StoredObject["kind"], (id: string) => string>> = {
  batch: (id) => `Batch ${id}, at half price`,
  response: (id) => `Response ${id}, made in the background`,
  job: fineTuning,
  file: fineTuning,
  upload: fineTuning,
};

function recordOfUse({ prices }: GatewayContext, object: StoredObject, used: Used): UsageRecord {
  const { model, tier, usage } = used;
  const price = priceOfAll(used);
  const charged = price && charge(price, usage, prices.quotaPerUnit());
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
    content: CONTENTS[object.kind](object.id),
    other: {
      request_id: requestId,
      usage_evidence: "reported",
      ending: "complete",
      status: 200,
      cache_tokens: usage.cachedTokens,
      ...(charged && { receipt: charged.receipt, group_ratio: Number(charged.receipt.groupRatio) }),
    },
  };
}

/** A dated name that an answer carries is that of the model that was asked for. */
const undated = (model: string): string => model.replace(/-\d{4}-\d{2}-\d{2}$/, "");

/** The price now of the model that was asked for, else under the other name. */
function priceOf(
  { prices, services }: GatewayContext,
  object: StoredObject,
  model: string,
  other: string,
): Price | null {
  const { group, acceptsUnset = false } = object.payer;
  const share: Decimal = object.kind === "batch" ? BATCH_SHARE : ONE;
  try {
    const price = prices.of({ group, user: { acceptUnsetPrice: acceptsUnset } }, model, other);
    return { ...price, groupRatio: multiply(price.groupRatio, share) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    services.log.error({ model, objectId: object.id }, "a batch or job used a model that has no price: not charged");
    return null;
  }
}
