import { DecodeError } from "../../formats/conversation/codec.ts";
import type { MediaUnits } from "../../formats/conversation/reply.ts";
import { type JsonObject, numberOf, textOf } from "../../formats/json.ts";

/** The inputs of an embeddings call, which may be a list or a single value. */
export const inputsOf = ({ input }: JsonObject): readonly unknown[] => (Array.isArray(input) ? input : [input]);

/** An input as a text. Throws DecodeError for token ids, which belong to OpenAI's tokenizers. */
export function textInput(entry: unknown, service: string): string {
  if (typeof entry === "string") return entry;
  throw new DecodeError(`${service} takes “input” as a text or a list of texts, not as tokens.`, "input");
}

/** What a service billed for an embeddings call. */
type EmbeddingUsage = Readonly<{
  /** Tokens, or characters for models billed by them, that the price of a token applies to; images' tokens included. */
  tokens: number;
  /** Part of the tokens that images became, where they have a price of their own. */
  imageTokens?: number;
  /** What is billed by itself: images, pixels, seconds of video. */
  media?: MediaUnits;
}>;

/** OpenAI's response with embeddings in the order of their inputs; `usage` null: the provider reported none. */
export function embeddingList(embeddings: readonly unknown[], usage: EmbeddingUsage | number | null): JsonObject {
  const data = embeddings.map((embedding, index) => ({ object: "embedding", index, embedding }));
  if (usage === null) return { object: "list", data };
  const { tokens, imageTokens = 0, media = {} } = typeof usage === "number" ? { tokens: usage } : usage;
  const billed = Object.entries(media).filter(([, count]) => count > 0);
  return {
    object: "list",
    data,
    usage: {
      prompt_tokens: tokens,
      total_tokens: tokens,
      ...(imageTokens > 0 && { prompt_tokens_details: { image_tokens: imageTokens } }),
      ...(billed.length > 0 && { media: Object.fromEntries(billed) }),
    },
  };
}

const QUERY_TASKS: ReadonlySet<string> = new Set([
  "RETRIEVAL_QUERY",
  "QUESTION_ANSWERING",
  "FACT_VERIFICATION",
  "CODE_RETRIEVAL_QUERY",
]);

/** Whether Google's task type is the side of a search that asks, or the side that is found; null: neither. */
export function searchSideOf({ task_type: task }: JsonObject): "query" | "document" | null {
  const name = textOf(task);
  if (name === null) return null;
  return QUERY_TASKS.has(name) ? "query" : name === "RETRIEVAL_DOCUMENT" ? "document" : null;
}

/** The dimensions by OpenAI's name for them, or by that of the services. */
export const dimensionsOf = ({ dimensions, output_dimension }: JsonObject): number | null =>
  numberOf(dimensions ?? output_dimension);
