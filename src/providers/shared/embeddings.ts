import type { JsonObject } from "../../formats/json.ts";

/** What an embeddings call wants vectors of: its input is a list of that, or one. */
export const inputsOf = ({ input }: JsonObject): readonly unknown[] => (Array.isArray(input) ? input : [input]);

/** Vectors in the order of their inputs as OpenAI's API answers them, with the tokens that were counted; null: none were. */
export function embeddingList(vectors: readonly unknown[], tokens: number | null): JsonObject {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return { object: "list", data, ...(tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }) };
}
