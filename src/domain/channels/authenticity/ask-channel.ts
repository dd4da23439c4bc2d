import { shippedCatalog } from "../../../catalog/shipped.ts";
import { replyOf } from "../../../formats/conversation/collect-reply.ts";
import { emptyConversation } from "../../../formats/conversation/conversation.ts";
import type { Usage } from "../../../formats/conversation/reply.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { readError } from "../../../formats/openai-chat/errors.ts";
import { randomId } from "../../../lib/http/request-id.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { sayReason } from "../../../lib/reason.ts";
import { formatFor } from "../../../providers/contract/chat.ts";
import { codecOf, providerOf } from "../../../providers/registry.ts";
import type { ChannelEntry } from "../entry.ts";
import { firstKey } from "../keys/first-key.ts";
import { upstreamFailure } from "../status/upstream-failure.ts";
import { postRequest } from "../upstream/post-request.ts";
import { upstreamModelOf } from "../upstream/request-options.ts";

/** What a channel answered; an error says why it did not. */
export type ChatAnswer = Readonly<{
  error: string | null;
  text: string;
  usage: Usage | null;
  /** The tokens of the text with their log probabilities, in OpenAI's form; null: none were asked for or returned. */
  logprobs: readonly JsonObject[] | null;
  upstreamModel: string;
}>;

type Ask = Readonly<{ prompt: string; maxTokens: number; wantsLogprobs?: boolean }>;

/**
 * Sends a chat of one message through a channel, in the provider's own format. Nothing is charged or logged. Throws OperationError:
 * the channel serves no chats.
 */
export async function askChannel(
  fetch: SafeFetch,
  channel: ChannelEntry,
  model: string,
  { prompt, maxTokens, wantsLogprobs = false }: Ask,
): Promise<ChatAnswer> {
  const provider = providerOf(channel.type);
  if (!provider?.capabilities.includes("chat")) throw new OperationError("channel_not_testable");
  const key = firstKey(channel);
  const bare = model.startsWith(channel.modelPrefix) ? model.slice(channel.modelPrefix.length) : model;
  const upstreamModel = upstreamModelOf(channel, model, bare);
  const dialect = formatFor(provider, upstreamModel, key, bare);
  const codec = codecOf(dialect);
  const stream = provider.chat?.streaming.mode?.(upstreamModel) === "always";
  const conversation = { ...emptyConversation(dialect, upstreamModel), stream };
  conversation.turns.push({ role: "user", parts: [{ type: "text", text: prompt }] });
  conversation.sampling.maxOutputTokens = maxTokens;
  if (wantsLogprobs) Object.assign(conversation.sampling, { logprobs: true, topLogprobs: 2 });
  const info = shippedCatalog.find(upstreamModel);
  const target = { model: upstreamModel, info, defaultMaxTokens: maxTokens, newId: randomId };
  const encoded = codec.encodeRequest(conversation, target, new Set());
  const body = dialect === "openai-chat" ? { ...encoded, stream: false } : encoded;
  const ask = { capability: "chat" as const, dialect, model: upstreamModel, stream };
  const failed = (error: string): ChatAnswer => ({ error, text: "", usage: null, logprobs: null, upstreamModel });
  try {
    const { status, text } = await postRequest(fetch, channel, { provider, key, requestedModel: model, ask, body });
    if (status !== 200) return failed(`HTTP ${status}: ${sayReason(readError(status, text).message, "en")}`);
    const reply = replyOf(codec, text, randomId);
    if (!reply) return failed("the response is no complete chat");
    const [choice] = reply.choices;
    const parts = choice?.parts ?? [];
    const content = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    return { error: null, text: content, usage: reply.usage, logprobs: choice?.logprobs ?? null, upstreamModel };
  } catch (error) {
    const reason = upstreamFailure(error);
    if (reason === null) throw error;
    return failed(sayReason(reason, "en"));
  }
}
