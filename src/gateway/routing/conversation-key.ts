import { type JsonObject, recordsOf, textOf } from "../../formats/json.ts";

/** Of long first messages the beginning tells conversations apart. */
const MOST_CHARACTERS = 4_000;

/** A call as far as its conversation is recognized by it. */
export type Speaking = Readonly<{
  userId: number;
  /** 0: no API key, but the playground. */
  tokenId: number;
  /** As the client named it. */
  model: string;
  body: JsonObject;
  /** The prompt in the shape of an OpenAI request. */
  prompt: JsonObject;
  /** `promptTokensBound` of the prompt. */
  promptBound: number;
}>;

/** Providers cache no shorter prompts (https://platform.openai.com/docs/guides/prompt-caching). */
const LEAST_CACHED_TOKENS = 1_024;
/** The bound of a prompt counts two bytes a token, where usual texts have four. */
const LEAST_CACHED_BOUND = 2 * LEAST_CACHED_TOKENS;

/** By which of its members a conversation is recognized. */
export type RecognizedBy = "prompt_cache_key" | "user" | "prompt";

export type ConversationKey = Readonly<{ key: bigint; by: RecognizedBy }>;

/**
 * What calls of one conversation have in common: who calls, the model, and the client's own cache key, or else how the
 * prompt begins (instructions and first message) together with the end user, if one is named: many an application names
 * the same for all its calls, which must not all go to one channel. Null where there is nothing to go by, and where no cache
 * can matter: a short prompt that goes on from no answer follows the weights.
 */
export function conversationKey({
  userId,
  tokenId,
  model,
  body,
  prompt,
  promptBound,
}: Speaking): ConversationKey | null {
  const keyOf = (by: RecognizedBy, text: string): ConversationKey => {
    return { key: BigInt(Bun.hash(`${userId}/${tokenId}/${model}\n${by}\n${text}`)), by };
  };
  const cacheKey = textOf(body.prompt_cache_key);
  if (cacheKey !== null) return keyOf("prompt_cache_key", cacheKey);
  if (promptBound < LEAST_CACHED_BOUND && !hasAssistantTurn(prompt)) return null;
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
  return JSON.stringify(messages.slice(0, first + 1)).slice(0, MOST_CHARACTERS);
}
