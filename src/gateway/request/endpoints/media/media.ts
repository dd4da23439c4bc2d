import type { Usage } from "../../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf, textsOf } from "../../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../../formats/openai-chat/index.ts";
import { openaiRules } from "../../../../formats/openai-chat/request/request-rules.ts";
import { readOpenAi } from "../../../../formats/openai-chat/request/summary.ts";
import { readUsage } from "../../../../formats/openai-chat/response/usage.ts";
import { textOfBytes } from "../../../../lib/values/bytes.ts";
import { integer, multiply } from "../../../../lib/values/decimal.ts";
import type { Capability } from "../../../../providers/contract/provider.ts";
import type { Endpoint, EndpointRequest } from "../../../call/endpoint.ts";
import { invalidRequest } from "../../client-body.ts";

/** What endpoints other than chat have in common: OpenAI's format, one response. */
export const base = { codec: openaiChatClientCodec, rules: openaiRules, streams: false, emptyIsFree: false } as const;

/** The usage of a call that is billed by what it asks for. */
export const usageOf = (promptTokens: number, completionTokens = 0): Usage => ({
  promptTokens,
  completionTokens,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
});

/** POST /v1/moderations */
export const moderations: Endpoint = {
  ...base,
  capability: "moderations",
  read(body, path) {
    if (body.input == null || body.input === "")
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "input" } }, "input");
    const parsed = readOpenAi(body, path);
    const model = parsed.summary.model || "omni-moderation-latest";
    return { ...parsed, summary: { ...parsed.summary, model } };
  },
};

/** Cohere's models, whose fixed price is per search. */
const PRICED_BY_SEARCH = /^rerank-/;
const DOCUMENTS_PER_SEARCH = 100;
const MAX_DOCUMENTS = 10_000;

/** POST /v1/rerank: query and documents are the prompt; upstreams report usage in several ways, or not at all. */
export const rerank: Endpoint = {
  ...base,
  capability: "rerank",
  read(body, path) {
    if (!textOf(body.query))
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "query" } }, "query");
    if (!Array.isArray(body.documents) || body.documents.length === 0) {
      throw invalidRequest(
        { code: "gateway_list_empty", params: { field: "documents", entry: "document" } },
        "documents",
      );
    }
    if (body.documents.length > MAX_DOCUMENTS)
      throw invalidRequest(
        { code: "gateway_too_many_entries", params: { field: "documents", count: MAX_DOCUMENTS } },
        "documents",
      );
    const texts = [...textsOf(body.documents), ...recordsOf(body.documents).flatMap(({ text }) => textOf(text) ?? [])];
    const prompt = { input: [textOf(body.query) ?? "", ...texts], documentCount: body.documents.length };
    return { ...readOpenAi(body, path), prompt };
  },
  priceOf(price, { prompt }) {
    if (price.kind !== "per_call" || !PRICED_BY_SEARCH.test(price.pricedAs)) return price;
    const searches = Math.ceil(Number(prompt.documentCount) / DOCUMENTS_PER_SEARCH);
    return { ...price, usdPerCall: multiply(price.usdPerCall, integer(searches)) };
  },
  meter(_request, answer) {
    const meta = recordOf(answer?.meta);
    const usage = [
      recordOf(answer?.usage)?.total_tokens,
      recordOf(meta?.billed_units)?.input_tokens,
      recordOf(meta?.tokens)?.input_tokens,
      recordOf(answer?.tokens)?.input_tokens,
    ].find((count): count is number => typeof count === "number");
    return usage === undefined ? null : usageOf(usage);
  },
  amend(request, answer) {
    const body = request.return_documents === true ? recordOf(parseJson(textOfBytes(answer))) : null;
    return (
      body && { ...body, results: recordsOf(body.results).map((result) => withDocument(result, request.documents)) }
    );
  },
};

/**
 * Adds the document from the request for upstreams that return only indexes and scores. Plain texts become `{text}`.
 */
function withDocument(result: JsonObject, documents: unknown): JsonObject {
  if (typeof result.document === "string") return { ...result, document: { text: result.document } };
  const document = Array.isArray(documents) ? documents[Number(result.index)] : undefined;
  if (result.document != null || document === undefined) return result;
  return { ...result, document: typeof document === "string" ? { text: document } : document };
}

/** POST /v1/audio/speech: models of the tts family are billed by character, others by the tokens of their text. */
export const speech: Endpoint = {
  ...base,
  capability: "speech",
  streams: true,
  read(body, path) {
    if (!textOf(body.input))
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "input" } }, "input");
    const parsed = readOpenAi(body, path);
    return { ...parsed, summary: { ...parsed.summary, stream: body.stream_format === "sse" } };
  },
  meter: ({ prompt, summary }, answer, price, catalog) =>
    readUsage(answer?.usage) ??
    (catalog.find(price?.pricedAs ?? summary.model).billed_by === "character"
      ? usageOf([...(textOf(prompt.input) ?? "")].length)
      : null),
};

/** POST /v1/audio/transcriptions and /translations, forms: one minute counts as 1,000 tokens. */
export const transcriptions: Endpoint = audioEndpoint("transcriptions");
export const translations: Endpoint = audioEndpoint("translations");

function audioEndpoint(capability: Capability): Endpoint {
  return {
    ...base,
    capability,
    streams: capability === "transcriptions",
    read(body, path) {
      if (body.file === undefined)
        throw invalidRequest({ code: "gateway_field_missing", params: { field: "file" } }, "file");
      const parsed = readOpenAi(body, path);
      return { ...parsed, summary: { ...parsed.summary, stream: wantsStream(body) } };
    },
    meter(request, answer) {
      const usage = recordOf(answer?.usage);
      const seconds = usage?.type === "duration" ? usage.seconds : answer?.duration;
      return readUsage(usage) ?? byMinutes(typeof seconds === "number" ? seconds : secondsOf(request));
    },
  };
}

/** Whether a body requests a stream. Form fields are always text. */
export const wantsStream = ({ stream }: JsonObject): boolean => stream === true || stream === "true";

const byMinutes = (seconds: number): Usage => usageOf(Math.round((Math.ceil(seconds) * 1000) / 60));

/** The length of the audio file in seconds, as determined on arrival. */
const secondsOf = ({ prompt }: EndpointRequest): number => (typeof prompt.seconds === "number" ? prompt.seconds : 0);
