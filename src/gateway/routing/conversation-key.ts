import { type JsonObject, recordsOf, textOf } from "../../formats/json.ts";

/** The beginning of a long first message suffices to distinguish conversations. */
const MAX_CHARACTERS = 4_000;

/** The parts of a call that identify its conversation. */
export type ConversationSource = Readonly<{
  userId: number;
  /** 0: the playground, which has no API key. */
  tokenId: number;
  /** As the client named it. */
  model: string;
  body: JsonObject;
  /** The prompt in the shape of an OpenAI request. */
  prompt: JsonObject;
  /** `boundPrompt` of the prompt. */
  promptBound: number;
}>;

/** Providers cache no shorter prompts (https://platform.openai.com/docs/guides/prompt-caching). */
const MIN_CACHED_TOKENS = 1_024;
/** The bound assumes two bytes per token, where typical texts have four. */
const MIN_CACHED_BOUND = 2 * MIN_CACHED_TOKENS;

/** The member that identifies a conversation. */
export type RecognizedBy = "prompt_cache_key" | "user" | "prompt";

export type ConversationKey = Readonly<{ key: bigint; by: RecognizedBy }>;

/**
 * A key that all calls of one conversation share: the caller, the model, and the client's own cache key; without one,
 * the beginning of the prompt (instructions and first message) and the end user, if the client names one. The end user
 * alone is not enough: many applications send the same for all calls, which must not all go to one channel. Null if
 * nothing identifies the conversation or no cache can apply: a short prompt without earlier answers is routed by
 * weight.
 */
export function conversationKey({
  userId,
  tokenId,
  model,
  body,
  prompt,
  promptBound,
}: ConversationSource): ConversationKey | null {
  const keyOf = (by: RecognizedBy, text: string): ConversationKey => {
    return { key: BigInt(Bun.hash(`${userId}/${tokenId}/${model}\n${by}\n${text}`)), by };
  };
  const cacheKey = textOf(body.prompt_cache_key);
  if (cacheKey !== null) return keyOf("prompt_cache_key", cacheKey);
  if (promptBound < MIN_CACHED_BOUND && !hasAssistantTurn(prompt)) return null;
  const beginning = beginningOf(prompt);
  if (beginning === null) return null;
  const user = textOf(body.user);
  return user === null ? keyOf("prompt", beginning) : keyOf("user", `${user}\n${beginning}`);
}

const hasAssistantTurn = ({ messages }: JsonObject): boolean =>
  recordsOf(messages).some(({ role }) => role === "assistant");

function beginningOf(prompt: JsonObject): string | null {
  const messages = recordsOf(prompt.messages);
  const first = messages.findIndex(({ role }) => role === "user");
  if (first < 0) return null;
  return JSON.stringify(messages.slice(0, first + 1)).slice(0, MAX_CHARACTERS);
}
