import { type JsonObject, recordOf, recordsOf } from "../../dialects/json.ts";
import { REFUSED, type Seen } from "./fake-type.ts";

/** Tokens of every call. */
export const TOKENS = 17;
export const TEXTS = ["It rains.", "It snows."] as const;
export const VECTORS = [
  [0.5, 0.25],
  [0.125, 1],
] as const;
/** How well the texts fit the question, the best first. */
export const RANKS = [
  { index: 1, relevance_score: 0.75 },
  { index: 0, relevance_score: 0.25 },
] as const;

/** A service of vectors or rankings alone: it checks address, key and words as the service does. */
export type VectorFake = Readonly<{
  type: number;
  call: "embeddings" | "rerank";
  model: string;
  /** What the service refuses the request for; null: nothing. */
  objection(seen: Seen): string | null;
  answer: object;
  /** A refusal in the service's own words. */
  refusal: object;
  /** Where its models are listed, and how. */
  list: Readonly<{ path: string; answer: object }> | null;
}>;

const texts = ({ body }: Seen): unknown[] => (Array.isArray(body.input) ? body.input : []);
const openaiVectors = (usage: JsonObject) => ({
  object: "list",
  data: VECTORS.map((embedding, index) => ({ object: "embedding", index, embedding })),
  usage,
});
const openaiList = { object: "list", data: [{ id: "model-b" }, { id: "model-a" }] };
const bearer = ({ headers, path }: Seen, page: string): string | null => {
  if (headers.get("authorization") !== "Bearer upstream") return "no such key";
  return path === page ? null : `no such page: ${path}`;
};

const jinaRefusal = { detail: REFUSED };
const google = ({ headers, path }: Seen, page: string): string | null => {
  if (headers.get("x-goog-api-key") !== "upstream") return "API key not valid";
  return path === page ? null : `no such page: ${path}`;
};
const googleRefusal = { error: { code: 400, message: REFUSED, status: "INVALID_ARGUMENT" } };

/** Services without chats, and those that have words of their own for vectors. */
export const vectorFakes: readonly VectorFake[] = [
  {
    type: 38,
    call: "embeddings",
    model: "jina-embeddings-v3",
    objection: (seen) => bearer(seen, "/v1/embeddings") ?? (texts(seen).length > 0 ? null : "input: required"),
    answer: openaiVectors({ prompt_tokens: TOKENS, total_tokens: TOKENS }),
    refusal: jinaRefusal,
    list: { path: "/v1/models", answer: openaiList },
  },
  {
    type: 38,
    call: "rerank",
    model: "jina-reranker-v3",
    objection: (seen) =>
      bearer(seen, "/v1/rerank") ?? (Array.isArray(seen.body.documents) ? null : "documents: required"),
    answer: {
      model: "jina-reranker-v3",
      object: "list",
      results: RANKS.map((rank) => ({ ...rank, document: { text: TEXTS[rank.index] } })),
      usage: { total_tokens: TOKENS },
    },
    refusal: jinaRefusal,
    list: null,
  },
  {
    type: 44,
    call: "embeddings",
    model: "m3e-base",
    objection: (seen) => bearer(seen, "/embeddings") ?? (texts(seen).length > 0 ? null : "input must be a list"),
    answer: openaiVectors({ prompt_tokens: TOKENS, total_tokens: TOKENS }),
    refusal: { error: { message: REFUSED, type: "invalid_request_error" } },
    list: { path: "/models", answer: openaiList },
  },
  {
    type: 24,
    call: "embeddings",
    model: "gemini-embedding-2",
    objection: (seen) =>
      google(seen, "/v1beta/models/gemini-embedding-2:batchEmbedContents") ??
      (recordsOf(seen.body.requests).every(({ content }) => recordsOf(recordOf(content)?.parts).length === 1)
        ? null
        : "content: required"),
    answer: {
      embeddings: VECTORS.map((values) => ({ values })),
      usageMetadata: { promptTokenCount: TOKENS, totalTokenCount: TOKENS },
    },
    refusal: googleRefusal,
    list: { path: "/v1beta/models", answer: { models: [{ name: "models/model-b" }, { name: "models/model-a" }] } },
  },
  {
    type: 41,
    call: "embeddings",
    model: "text-embedding-005",
    objection: (seen) =>
      google(seen, "/v1/publishers/google/models/text-embedding-005:predict") ??
      (recordsOf(seen.body.instances).length > 0 ? null : "instances: required"),
    answer: {
      predictions: VECTORS.map((values, at) => ({
        embeddings: { values, statistics: { token_count: at === 0 ? 8 : TOKENS - 8 } },
      })),
    },
    refusal: googleRefusal,
    list: null,
  },
];
