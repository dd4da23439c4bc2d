import type { JsonObject } from "../../formats/json.ts";

/** The inputs of an embeddings call, which may be a list or a single value. */
export const inputsOf = ({ input }: JsonObject): readonly unknown[] => (Array.isArray(input) ? input : [input]);

/** OpenAI's response with embeddings in the order of their inputs; `tokens` null: the provider reported none. */
export function embeddingList(embeddings: readonly unknown[], tokens: number | null): JsonObject {
  const data = embeddings.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return { object: "list", data, ...(tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }) };
}
