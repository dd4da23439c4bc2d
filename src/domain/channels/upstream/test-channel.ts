import { eq } from "drizzle-orm";
import { channels } from "../../../../db/schema/gateway/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { shippedCatalog } from "../../../catalog/shipped.ts";
import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import { replyOf } from "../../../formats/conversation/collect-reply.ts";
import { type ChatDialect, emptyConversation } from "../../../formats/conversation/conversation.ts";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import { isErrorAnswer, readError } from "../../../formats/openai-chat/errors.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { randomId } from "../../../lib/http/request-id.ts";
import { readEvents } from "../../../lib/http/sse.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Reason } from "../../../lib/reason.ts";
import { formatFor } from "../../../providers/contract/chat.ts";
import type { CallParams, Provider } from "../../../providers/contract/provider.ts";
import { codecOf, providerOf } from "../../../providers/registry.ts";
import type { ChannelEntry } from "../entry.ts";
import { firstKey } from "../keys/keys.ts";
import type { UpstreamRefusal } from "../status/refusal.ts";
import { upstreamFailure } from "../status/refusal.ts";
import { postRequest } from "./post-request.ts";
import { upstreamModelOf } from "./request-options.ts";

export type TestResult = Readonly<{
  success: boolean;
  /** Why it failed; empty on success. */
  message: Reason;
  /** What the upstream refused it with; null: it did not, or did not answer. */
  refusal: UpstreamRefusal | null;
  /** Milliseconds until the whole answer was there. */
  elapsedMs: number;
  model: string;
}>;

/** Models of an embedding kind by their names. */
const EMBEDDING = /embed|bge-|^m3e|^embo-/i;

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
  const requested = model || channel.testModel || channel.models[0];
  if (!requested) throw new OperationError("channel_test_model_missing");
  const started = performance.now();
  const problem = await call(deps.fetch, channel, provider, requested, key ?? firstKey(channel));
  const elapsedMs = Math.round(performance.now() - started);
  if (key === undefined) {
    await deps.db
      .update(channels)
      .set({ testTime: nowSeconds(), ...(problem === null && { responseTime: elapsedMs }) })
      .where(eq(channels.id, channel.id));
  }
  const { message, refusal } = problem ?? { message: "", refusal: null };
  return { success: problem === null, message, refusal, elapsedMs, model: requested };
}

/** Whether there is a small call to make: drawings, music and videos are tested by ordering one. */
export const isTestable = ({ type }: ChannelEntry): boolean =>
  providerOf(type)?.capabilities.some((capability) => capability === "chat" || capability === "embeddings") === true;

type Problem = Pick<TestResult, "message" | "refusal">;

/** Returns what went wrong, or null. */
async function call(
  fetch: SafeFetch,
  channel: ChannelEntry,
  provider: Provider,
  requested: string,
  key: string,
): Promise<Problem | null> {
  const bare = requested.startsWith(channel.modelPrefix) ? requested.slice(channel.modelPrefix.length) : requested;
  const isEmbedding =
    provider.capabilities.includes("embeddings") && (EMBEDDING.test(bare) || !provider.capabilities.includes("chat"));
  const model = upstreamModelOf(channel, requested, bare);
  const dialect = formatFor(provider, model, key, bare);
  const stream = !isEmbedding && provider.chat?.streaming.mode?.(model) === "always";
  const ask: CallParams = { capability: isEmbedding ? "embeddings" : "chat", dialect, model, stream };
  const own = isEmbedding ? provider.nativeFormat?.({ capability: "embeddings", model }, key) : null;
  const embeddingRequest = { input: ["hello world"], model };
  const body = isEmbedding
    ? (own?.encode(embeddingRequest, model, new Set(), []) ?? embeddingRequest)
    : chatBody(dialect, model, stream);
  try {
    const { status, text } = await postRequest(fetch, channel, { provider, key, requestedModel: requested, ask, body });
    if (status !== 200) return refused(status, readError(status, text), key);
    const failure = own?.failure?.(recordOf(parseJson(text)) ?? {});
    if (failure) return refused(failure.status ?? 200, { ...failure, type: "upstream_error" }, key);
    return isEmbedding ? problemInJson(text, key) : problemInChat(codecOf(dialect), text, key);
  } catch (error) {
    const reason = upstreamFailure(error);
    if (reason === null) throw error;
    return { message: reason, refusal: null };
  }
}

/** Answers with status 200 may be errors all the same; those that only stream report it in an event. */
function problemInChat(codec: ProviderCodec, text: string, key: string): Problem | null {
  const parsed = parseJson(text);
  const reported = parsed === undefined ? readEvents(text).map(({ data }) => parseJson(data)) : [parsed];
  const failed = reported.map((answer) => codec.decodeError(200, answer)).find((error) => error !== null);
  if (failed) return refused(failed.status, failed, key);
  if (parsed !== undefined) return problemInJson(text, key);
  return replyOf(codec, text, randomId) ? null : { message: { code: "why_no_json" }, refusal: null };
}

function problemInJson(text: string, key: string): Problem | null {
  return isErrorAnswer(JSON.parse(text)) ? refused(200, readError(200, text), key) : null;
}

/** The smallest conversation there is, in the provider's own format. */
function chatBody(dialect: ChatDialect, model: string, stream: boolean): JsonObject {
  const conversation = { ...emptyConversation(dialect, model), stream };
  conversation.turns.push({ role: "user", parts: [{ type: "text", text: "hi" }] });
  conversation.sampling.maxOutputTokens = model.includes("gemini") ? 300 : model.includes("thinking") ? 50 : 10;
  const info = shippedCatalog.find(model);
  const target = { model, info, defaultMaxTokens: conversation.sampling.maxOutputTokens, newId: randomId };
  const body = codecOf(dialect).encodeRequest(conversation, target, new Set());
  // Some services stream unless the request says not to.
  return dialect === "openai-chat" ? { ...body, stream: false } : body;
}

/** Upstreams like to repeat the key they refuse. `error.status`: what the error means, where that is another status. */
const refused = (
  status: number,
  error: UpstreamRefusal["error"] & Readonly<{ status?: number }>,
  key: string,
): Problem => ({
  message: `HTTP ${status}: ${error.message}`.replaceAll(key || "\0", "***").slice(0, 500),
  refusal: { status: error.status ?? status, error },
});
