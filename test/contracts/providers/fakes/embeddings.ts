import { type JsonObject, recordOf, recordsOf } from "../../../../src/formats/json.ts";
import { REFUSED, type Seen } from "./fake-type.ts";

/** Tokens of every call. */
export const TOKENS = 17;
export const TEXTS = ["It rains.", "It snows."] as const;
export const EMBEDDINGS = [
  [0.5, 0.25],
  [0.125, 1],
] as const;
/** How well the texts fit the question, the best first. */
export const RANKS = [
  { index: 1, relevance_score: 0.75 },
  { index: 0, relevance_score: 0.25 },
] as const;

/** A service of embeddings or rankings alone: it checks address, key and body as the service does. */
export type VectorFake = Readonly<{
  type: number;
  call: "embeddings" | "rerank";
  model: string;
  /** What the service refuses the request for; null: nothing. */
  objection(seen: Seen): string | null;
  answer: object;
  /** Its answers have no token counts: they are counted here. */
  silentOnUsage?: boolean;
  /** A refusal in the service's own words; its status where that is not 400. */
  refusal: object;
  refusalStatus?: number;
  /** Where its models are listed, and how. */
  list: Readonly<{ path: string; answer: object }> | null;
}>;

const texts = ({ body }: Seen): unknown[] => (Array.isArray(body.input) ? body.input : []);
const openaiEmbeddings = (usage: JsonObject) => ({
  object: "list",
  data: EMBEDDINGS.map((embedding, index) => ({ object: "embedding", index, embedding })),
  usage,
});
const openaiList = { object: "list", data: [{ id: "model-b" }, { id: "model-a" }] };
const bearer = ({ headers, path }: Seen, page: string): string | null => {
  if (headers.get("authorization") !== "Bearer upstream") return "no such key";
  return path === page ? null : `no such page: ${path}`;
};

const openaiRefusal = { error: { message: REFUSED, type: "invalid_request_error" } };
const wantsTexts = (seen: Seen): string | null => (texts(seen).length > 0 ? null : "input: required");
/** Cohere's and others' documents are texts. */
const wantsDocuments = ({ body }: Seen): string | null => {
  const { query, documents } = body;
  if (typeof query !== "string") return "query: required";
  const areTexts = Array.isArray(documents) && documents.every((document) => typeof document === "string");
  return areTexts ? null : "documents: texts are required";
};
/** Cohere's second version requires what the embeddings are for and their form. */
const wantsCohere = ({ body }: Seen): string | null => {
  const others = Object.keys(body).filter((name) => !/^(model|texts|input_type|embedding_types)$/.test(name));
  if (others.length > 0) return `unknown field: ${others.join()}`;
  if (!Array.isArray(body.texts)) return "texts: required";
  return body.input_type === "search_document" ? null : "input_type: required";
};
const named = { models: [{ name: "model-b" }, { name: "model-a" }] };

const jinaRefusal = { detail: REFUSED };
const google = ({ headers, path }: Seen, page: string): string | null => {
  if (headers.get("x-goog-api-key") !== "upstream") return "API key not valid";
  return path === page ? null : `no such page: ${path}`;
};
const googleRefusal = { error: { code: 400, message: REFUSED, status: "INVALID_ARGUMENT" } };

/** Services without chats, and those with a format of their own for embeddings. */
export const vectorFakes: readonly VectorFake[] = [
  {
    type: 38,
    call: "embeddings",
    model: "jina-embeddings-v3",
    objection: (seen) =>
      bearer(seen, "/v1/embeddings") ??
      ("encoding_format" in seen.body ? "encoding_format: Extra inputs are not permitted" : wantsTexts(seen)),
    answer: openaiEmbeddings({ prompt_tokens: TOKENS, total_tokens: TOKENS }),
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
    answer: openaiEmbeddings({ prompt_tokens: TOKENS, total_tokens: TOKENS }),
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
      embeddings: EMBEDDINGS.map((values) => ({ values })),
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
      predictions: EMBEDDINGS.map((values, at) => ({
        embeddings: { values, statistics: { token_count: at === 0 ? 8 : TOKENS - 8 } },
      })),
    },
    refusal: googleRefusal,
    list: null,
  },
  {
    type: 4,
    call: "embeddings",
    model: "nomic-embed-text",
    objection: (seen) => bearer(seen, "/v1/embeddings") ?? wantsTexts(seen),
    answer: openaiEmbeddings({ prompt_tokens: TOKENS, total_tokens: TOKENS }),
    refusal: openaiRefusal,
    list: { path: "/api/tags", answer: named },
  },
  {
    type: 15,
    call: "embeddings",
    model: "Embedding-V1",
    objection: (seen) => {
      if (seen.query.get("access_token") !== "upstream") return "Access token invalid";
      if (seen.path !== "/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/embedding-v1") return seen.path;
      const others = Object.keys(seen.body).filter((name) => name !== "input");
      return others.length > 0 ? `unknown: ${others.join()}` : wantsTexts(seen);
    },
    answer: { id: "as-1", created: 1, ...openaiEmbeddings({ prompt_tokens: TOKENS, total_tokens: TOKENS }) },
    refusal: { error_code: 336_003, error_msg: REFUSED, id: "as-1" },
    refusalStatus: 200,
    list: null,
  },
  {
    type: 34,
    call: "embeddings",
    model: "embed-v4.0",
    objection: (seen) => bearer(seen, "/v2/embed") ?? wantsCohere(seen),
    answer: {
      id: "e",
      embeddings: { float: EMBEDDINGS },
      texts: TEXTS,
      meta: { api_version: { version: "2" }, billed_units: { input_tokens: TOKENS } },
      response_type: "embeddings_by_type",
    },
    refusal: { id: "e", message: REFUSED },
    list: { path: "/v1/models", answer: named },
  },
  {
    type: 34,
    call: "rerank",
    model: "rerank-v4.0-fast",
    objection: (seen) =>
      bearer(seen, "/v2/rerank") ??
      ("return_documents" in seen.body ? "unknown field: return_documents" : wantsDocuments(seen)),
    // A search is reported, its tokens are not.
    answer: { id: "r", results: RANKS, meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } } },
    silentOnUsage: true,
    refusal: { id: "e", message: REFUSED },
    list: null,
  },
  {
    type: 40,
    call: "embeddings",
    model: "BAAI/bge-m3",
    objection: (seen) => bearer(seen, "/v1/embeddings") ?? wantsTexts(seen),
    answer: openaiEmbeddings({ prompt_tokens: TOKENS, completion_tokens: 0, total_tokens: TOKENS }),
    refusal: { code: 20_012, message: REFUSED, data: null },
    list: { path: "/v1/models", answer: openaiList },
  },
  {
    type: 40,
    call: "rerank",
    model: "BAAI/bge-reranker-v2-m3",
    objection: (seen) => bearer(seen, "/v1/rerank") ?? wantsDocuments(seen),
    answer: {
      id: "r",
      results: RANKS.map((rank) => ({ ...rank, document: { text: TEXTS[rank.index] } })),
      meta: { billed_units: { input_tokens: TOKENS }, tokens: { input_tokens: TOKENS, output_tokens: 0 } },
    },
    refusal: { code: 20_012, message: REFUSED, data: null },
    list: null,
  },
  {
    type: 46,
    call: "embeddings",
    model: "embedding-v1",
    objection: (seen) => bearer(seen, "/v2/embeddings") ?? wantsTexts(seen),
    answer: { id: "as-1", created: 1, ...openaiEmbeddings({ prompt_tokens: TOKENS, total_tokens: TOKENS }) },
    refusal: { error: { code: "invalid_argument", message: REFUSED, type: "invalid_request_error" }, id: "as-1" },
    list: { path: "/v2/models", answer: openaiList },
  },
  {
    type: 46,
    call: "rerank",
    model: "bce-reranker-base",
    objection: (seen) => bearer(seen, "/v2/rerank") ?? wantsDocuments(seen),
    answer: {
      id: "as-1",
      object: "rerank_list",
      results: RANKS.map((rank) => ({ ...rank, document: TEXTS[rank.index] })),
      usage: { prompt_tokens: TOKENS, total_tokens: TOKENS },
    },
    refusal: { error: { code: "invalid_argument", message: REFUSED, type: "invalid_request_error" }, id: "as-1" },
    list: null,
  },
  {
    type: 47,
    call: "embeddings",
    model: "bge-small-en-v1.5",
    objection: (seen) => bearer(seen, "/v1/embeddings") ?? wantsTexts(seen),
    answer: { model: "bge", ...openaiEmbeddings({ prompt_tokens: TOKENS, total_tokens: TOKENS }) },
    refusal: { detail: REFUSED },
    list: { path: "/v1/models", answer: openaiList },
  },
  {
    type: 47,
    call: "rerank",
    model: "bge-reranker-base",
    objection: (seen) => bearer(seen, "/v1/rerank") ?? wantsDocuments(seen),
    answer: { id: "r", results: RANKS.map((rank) => ({ ...rank, document: { text: TEXTS[rank.index] } })) },
    silentOnUsage: true,
    refusal: { detail: REFUSED },
    list: null,
  },
  {
    type: 1016,
    call: "embeddings",
    model: "voyage-4",
    objection: (seen) =>
      bearer(seen, "/v1/embeddings") ??
      ("encoding_format" in seen.body ? "Argument 'encoding_format' must be base64" : wantsTexts(seen)),
    answer: { ...openaiEmbeddings({ total_tokens: TOKENS }), model: "voyage-4" },
    refusal: { detail: REFUSED },
    list: null,
  },
  {
    type: 1016,
    call: "embeddings",
    model: "voyage-multimodal-3.5",
    objection: (seen) =>
      bearer(seen, "/v1/multimodalembeddings") ??
      (recordsOf(seen.body.inputs).every(({ content }) => recordsOf(content)[0]?.type === "text")
        ? null
        : "inputs: required"),
    answer: openaiEmbeddings({ text_tokens: TOKENS, image_pixels: 0, video_pixels: 0, total_tokens: TOKENS }),
    refusal: { detail: REFUSED },
    list: null,
  },
  {
    type: 1016,
    call: "rerank",
    model: "rerank-2.5",
    objection: (seen) =>
      bearer(seen, "/v1/rerank") ?? ("top_n" in seen.body ? "unknown argument: top_n" : wantsDocuments(seen)),
    answer: {
      object: "list",
      data: RANKS.map((rank) => ({ ...rank, document: TEXTS[rank.index] })),
      model: "rerank-2.5",
      usage: { total_tokens: TOKENS },
    },
    refusal: { detail: REFUSED },
    list: null,
  },
];
