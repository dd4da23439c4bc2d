import { shippedCatalog } from "../../../catalog/catalog.ts";
import { replyOf } from "../../../formats/conversation/collect-reply.ts";
import { emptyConversation } from "../../../formats/conversation/conversation.ts";
import type { Usage } from "../../../formats/conversation/reply.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { readError } from "../../../formats/openai-chat/errors.ts";
import { randomId } from "../../../lib/http/request.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { sayReason } from "../../../lib/reason.ts";
import { formatFor } from "../../../providers/contract/chat.ts";
import { codecOf, providerOf } from "../../../providers/registry.ts";
import type { ChannelEntry } from "../entry.ts";
import { firstKey } from "../keys/keys.ts";
import { upstreamModelOf } from "../routing/routing-index.ts";
import { upstreamFailure } from "../status/refusal.ts";
import { postRequest } from "../upstream/post-request.ts";
import type { Pattern } from "./judge-evidence.ts";

/**
 * Questions whose answers distinguish models. The set is versioned: a result names the version that it was made with. Operators
 * add their own, for example facts that only a recent model knows.
 */
export const PROBES_VERSION = "2026-11-24";

/** A question to a model, and what its answer must or must not contain. Patterns ignore case. */
export type Probe = Readonly<{
  id: string;
  /** The models that it is for. */
  models: Pattern;
  prompt: string;
  /** The answer contains it. */
  expects: Pattern | null;
  /** The answer does not contain it, unless it also contains what is expected. */
  rejects: Pattern | null;
}>;

const MAKER =
  "Which company trained the language model that writes this answer? Answer with the name of the company and nothing else.";
const MAKERS = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google|deepmind",
  others: "alibaba|qwen|deepseek|zhipu|moonshot|minimax|baidu|tencent|bytedance|meta|mistral|xai|cohere",
};

const except = (own: keyof typeof MAKERS): RegExp =>
  new RegExp(
    Object.entries(MAKERS)
      .filter(([name]) => name !== own)
      .map(([, pattern]) => pattern)
      .join("|"),
    "i",
  );

/** Only makers whose models are known to say it right: others learned from answers of these, and say their names. */
export const PROBES: readonly Probe[] = [
  {
    ...{ id: "maker-openai", models: /^(gpt-|chatgpt-|o[134](-|$))/i, prompt: MAKER },
    ...{ expects: new RegExp(MAKERS.openai, "i"), rejects: except("openai") },
  },
  {
    ...{ id: "maker-anthropic", models: /^claude-/i, prompt: MAKER },
    ...{ expects: new RegExp(MAKERS.anthropic, "i"), rejects: except("anthropic") },
  },
  {
    ...{ id: "maker-google", models: /^gemini-/i, prompt: MAKER },
    ...{ expects: new RegExp(MAKERS.google, "i"), rejects: except("google") },
  },
];

/** Common words, which every tokenizer has as one token: counts of their text differ little between tokenizers. */
const WORDS =
  "time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea body information back parent face others level office garden health person art war history party result change morning reason research girl guy moment air teacher force education".split(
    " ",
  );

/** `count` common words, which depend on `seed` alone. */
export function wordsOf(seed: number, count: number): string {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const words: string[] = [];
  for (let at = 0; at < count; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words.push(WORDS[(state >>> 16) % WORDS.length] ?? "time");
  }
  return words.join(" ");
}

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
  const dialect = formatFor(provider, upstreamModel, key, bare, undefined, channel.baseUrl);
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
