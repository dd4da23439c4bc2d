import { eq } from "drizzle-orm";
import { channels } from "../../db/schema/channels.ts";
import type { Db } from "../../db/types.ts";
import { type ChatDialect, emptyConversation } from "../dialects/conversation.ts";
import type { JsonObject } from "../dialects/json.ts";
import { isErrorAnswer, readError } from "../dialects/openai-chat/error.ts";
import { providerCodecs } from "../dialects/provider-codecs.ts";
import { nowSeconds } from "../lib/clock.ts";
import { OperationError } from "../lib/operation-error.ts";
import { OutboundError } from "../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import { randomId } from "../lib/request-id.ts";
import type { Ask, Provider } from "../providers/provider.ts";
import { providerOf } from "../providers/registry.ts";
import { signingTools } from "../providers/signing-tools.ts";
import type { ChannelEntry } from "./entry.ts";
import { upstreamModelOf } from "./upstream-model.ts";

export type TestResult = Readonly<{
  success: boolean;
  /** Why it failed; empty on success. */
  message: string;
  /** Milliseconds until the whole answer was there. */
  elapsedMs: number;
  model: string;
}>;

const TIMEOUT_MS = 60_000;
/** Models of an embedding kind by their names (reference behaviour, 4.7). */
const EMBEDDING = /embedding|bge-|^m3e/i;

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
  if (!provider) throw new OperationError("channel_not_testable");
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
  return { success: problem === null, message: problem ?? "", elapsedMs, model: requested };
}

const firstKey = ({ keys, disabledKeys }: ChannelEntry): string =>
  keys.find((candidate) => !disabledKeys.has(candidate)) ?? keys[0] ?? "";

/** Returns what went wrong, or null. */
async function call(
  fetch: SafeFetch,
  channel: ChannelEntry,
  provider: Provider,
  requested: string,
  key: string,
): Promise<string | null> {
  const bare = requested.startsWith(channel.modelPrefix) ? requested.slice(channel.modelPrefix.length) : requested;
  const isEmbedding = EMBEDDING.test(bare) && provider.capabilities.includes("embeddings");
  const model = upstreamModelOf(channel, requested, bare);
  const dialect = provider.dialectOf?.(model) ?? provider.dialects[0];
  const ask: Ask = { capability: isEmbedding ? "embeddings" : "chat", dialect, model, stream: false };
  const body = isEmbedding ? { input: ["hello world"], model } : chatBody(dialect, model);
  const adapted = provider.adapt?.(body, ask);
  const name = adapted && "model" in body ? { model: adapted.model } : null;
  const sent = JSON.stringify(applyChanges({ ...body, ...name }, { ...adapted?.changes, ...channel.paramOverride }));
  const asked = { ...ask, model: adapted?.model ?? model, key, requestedModel: requested };
  const url = provider.url(channel, asked);
  const headers = { ...provider.authHeaders(channel, key, asked), "content-type": "application/json" };
  try {
    const signed = await provider.sign?.({ url, headers, body: sent }, channel, key, signingTools(fetch));
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...signed },
      body: sent,
      proxy: typeof channel.setting.proxy === "string" ? channel.setting.proxy : "",
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    const text = answer.text();
    if (answer.status !== 200) return describe(answer.status, text, key);
    const parsed: unknown = JSON.parse(text);
    return isErrorAnswer(parsed) || (!isEmbedding && providerCodecs[dialect].decodeError(200, parsed))
      ? describe(answer.status, text, key)
      : null;
  } catch (error) {
    if (error instanceof OutboundError) return error.message;
    if (error instanceof SyntaxError) return "the answer is not JSON";
    throw error;
  }
}

/** The smallest talk there is, in the provider's own format. */
function chatBody(dialect: ChatDialect, model: string): JsonObject {
  const conversation = emptyConversation(dialect, model);
  conversation.turns.push({ role: "user", parts: [{ type: "text", text: "hi" }] });
  conversation.sampling.maxOutputTokens = model.includes("gemini") ? 300 : model.includes("thinking") ? 50 : 10;
  const target = { model, defaultMaxTokens: conversation.sampling.maxOutputTokens, newId: randomId };
  const body = providerCodecs[dialect].encodeRequest(conversation, target, new Set());
  // Some services stream unless they are told not to.
  return dialect === "openai-chat" ? { ...body, stream: false } : body;
}

/** Undefined takes a field away. */
function applyChanges(body: JsonObject, changes: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries({ ...body, ...changes }).filter(([, value]) => value !== undefined));
}

/** Upstreams like to repeat the key they refuse. */
const describe = (status: number, body: string, key: string): string =>
  `HTTP ${status}: ${readError(status, body).message}`.replaceAll(key || "\0", "***").slice(0, 500);
