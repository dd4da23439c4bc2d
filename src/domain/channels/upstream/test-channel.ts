import { eq } from "drizzle-orm";
import { channels } from "../../../../db/schema/channels/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { shippedCatalog } from "../../../catalog/catalog.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Reason } from "../../../lib/reason.ts";
import { hasRecord } from "../../../providers/contract/facts.ts";
import type { Provider } from "../../../providers/contract/provider.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { ChannelEntry } from "../entry.ts";
import { firstKey } from "../keys/keys.ts";
import { upstreamModelOf } from "../routing/routing-index.ts";
import type { UpstreamRefusal } from "../status/refusal.ts";
import { isCostly, kindOfModel } from "./model-kind.ts";
import { callModel } from "./test-call.ts";

export type TestResult = Readonly<{
  success: boolean;
  /** Why it failed; empty on success. */
  message: Reason;
  /** What the upstream refused it with; null: it did not, or did not answer. */
  refusal: UpstreamRefusal | null;
  /** Milliseconds until the whole answer was there. */
  elapsedMs: number;
  model: string;
  /** Nothing is known of the service, so it was called as OpenAI's API. */
  isAssumed: boolean;
}>;

/**
 * Makes one small real call through a channel and keeps how long it took. Nothing is charged and nothing is logged.
 * `model` is a name as users call it; without it the channel's test model or its first one. With `key` that key of the
 * channel is tried, and nothing is kept. Throws OperationError when the channel cannot be tested at all; a failing upstream
 * is a result.
 */
export async function testChannel(
  deps: Readonly<{ db: Db; fetch: SafeFetch }>,
  channel: ChannelEntry,
  model = "",
  key?: string,
): Promise<TestResult> {
  const provider = providerOf(channel.type);
  if (!provider || !isTestable(channel)) throw new OperationError("channel_not_testable");
  const requested = model || channel.testModel || channel.models[0] || namesByPattern(channel, provider)[0];
  if (!requested) throw new OperationError("channel_test_model_missing");
  const started = performance.now();
  const { modelPrefix } = channel;
  const bare = requested.startsWith(modelPrefix) ? requested.slice(modelPrefix.length) : requested;
  const upstreamModel = upstreamModelOf(channel, requested, bare);
  // The upstream's name says the kind, unless that is a name of the operator's own (a deployment).
  const kind = kindOfModel(upstreamModel, provider, shippedCatalog) ?? "chat";
  const tested = { channel, provider, kind, requested, key: key ?? firstKey(channel) };
  const problem = await callModel(deps.fetch, tested);
  const elapsedMs = Math.round(performance.now() - started);
  if (key === undefined) {
    await deps.db
      .update(channels)
      .set({ testTime: nowSeconds(), ...(problem === null && { responseTime: elapsedMs }) })
      .where(eq(channels.id, channel.id));
  }
  const { message, refusal } = problem ?? { message: "", refusal: null };
  return { success: problem === null, message, refusal, elapsedMs, model: requested, isAssumed: isAssumed(provider) };
}

const isAssumed = (provider: Provider): boolean => !hasRecord(provider) && provider.chat?.formats[0] === "openai-chat";

/** Whether there is a call to make: drawings and songs of Suno have no endpoint of their own kind. */
const isTestable = ({ type }: ChannelEntry): boolean => {
  const provider = providerOf(type);
  return provider !== undefined && kindOfModel("", provider, shippedCatalog) !== null;
};

/**
 * The model with which a channel is tested without anybody's asking: its test model, else its first one whose test costs no more
 * than some tokens; null: none.
 */
export function modelOfRoutineTest(channel: ChannelEntry): string | null {
  const { type, testModel, models } = channel;
  const provider = providerOf(type);
  if (!provider) return null;
  if (testModel) return testModel;
  const isCheap = (model: string) => {
    const kind = kindOfModel(model, provider, shippedCatalog);
    return kind !== null && !isCostly(kind);
  };
  return models.find(isCheap) ?? namesByPattern(channel, provider).find(isCheap) ?? null;
}

/** Of the models that a provider is known to have those that the channel has by a pattern, as users call them. */
const namesByPattern = ({ modelPatterns, modelPrefix }: ChannelEntry, { models }: Provider): string[] =>
  modelPatterns
    ? models.filter((name) => modelPatterns.some((pattern) => pattern.test(name))).map((name) => modelPrefix + name)
    : [];
