import { speaksByCharacter } from "../../../billing/pricing/rules/price-unit.ts";
import type { ReportedUsage } from "../../../formats/conversation/usage.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf, textsOf } from "../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { openaiRules } from "../../../formats/openai-chat/request/request-rules.ts";
import { readUsage } from "../../../formats/openai-chat/response/usage.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import { multiply, whole } from "../../../lib/values/decimal.ts";
import type { Capability } from "../../../providers/contract/provider.ts";
import { invalidRequest } from "../client-body.ts";
import type { Endpoint, EndpointRequest } from "./endpoint.ts";
import { countOf, pixelsOf, priceOfImages } from "./image-price.ts";
import { readOpenAi } from "./text.ts";

/** What the calls beside chats have in common: OpenAI's format, one answer. */
const base = { codec: openaiChatClientCodec, rules: openaiRules, streams: false, emptyIsFree: false } as const;

const usageOf = (promptTokens: number, completionTokens = 0): ReportedUsage => ({
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
    const asked = readOpenAi(body, path);
    const model = asked.summary.model || "omni-moderation-latest";
    return { ...asked, summary: { ...asked.summary, model } };
  },
};

/** Cohere's models: their fixed price is that of a search. */
const PRICED_BY_SEARCH = /^rerank-/;
const DOCUMENTS_PER_SEARCH = 100;
const MOST_DOCUMENTS = 10_000;

/** POST /v1/rerank: query and documents are the prompt; upstreams tell tokens in several ways, or none. */
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
    if (body.documents.length > MOST_DOCUMENTS)
      throw invalidRequest(
        { code: "gateway_too_many_entries", params: { field: "documents", count: MOST_DOCUMENTS } },
        "documents",
      );
    const texts = [...textsOf(body.documents), ...recordsOf(body.documents).flatMap(({ text }) => textOf(text) ?? [])];
    const prompt = { input: [textOf(body.query) ?? "", ...texts], documentCount: body.documents.length };
    return { ...readOpenAi(body, path), prompt };
  },
  priceOf(price, { prompt }) {
    if (price.kind !== "per_call" || !PRICED_BY_SEARCH.test(price.pricedAs)) return price;
    const searches = Math.ceil(Number(prompt.documentCount) / DOCUMENTS_PER_SEARCH);
    return { ...price, usdPerCall: multiply(price.usdPerCall, whole(searches)) };
  },
  meter(_asked, answer) {
    const meta = recordOf(answer?.meta);
    const told = [
      recordOf(answer?.usage)?.total_tokens,
      recordOf(meta?.billed_units)?.input_tokens,
      recordOf(meta?.tokens)?.input_tokens,
      recordOf(answer?.tokens)?.input_tokens,
    ].find((count): count is number => typeof count === "number");
    return told === undefined ? null : usageOf(told);
  },
  amend(request, answer) {
    const body = request.return_documents === true ? recordOf(parseJson(textOfBytes(answer))) : null;
    return (
      body && { ...body, results: recordsOf(body.results).map((result) => withDocument(result, request.documents)) }
    );
  },
};

/** Upstreams that tell only places and scores: the document comes from the request. Bare texts become `{text}`. */
function withDocument(result: JsonObject, documents: unknown): JsonObject {
  if (typeof result.document === "string") return { ...result, document: { text: result.document } };
  const document = Array.isArray(documents) ? documents[Number(result.index)] : undefined;
  if (result.document != null || document === undefined) return result;
  return { ...result, document: typeof document === "string" ? { text: document } : document };
}

/** POST /v1/images/generations */
export const images: Endpoint = imageEndpoint("images");
/** POST /v1/images/edits, a form */
export const imageEdits: Endpoint = imageEndpoint("image-edits");
/** POST /v1/images/variations, a form */
export const imageVariations: Endpoint = imageEndpoint("image-variations");

function imageEndpoint(capability: Capability): Endpoint {
  return {
    ...base,
    capability,
    streams: capability !== "image-variations",
    read(body, path) {
      if (capability !== "image-variations" && !textOf(body.prompt))
        throw invalidRequest({ code: "gateway_field_missing", params: { field: "prompt" } }, "prompt");
      if (textOf(body.size)?.includes("×")) throw invalidRequest({ code: "gateway_size_letter" }, "size");
      const pixels = pixelsOf(textOf(body.size) ?? "");
      if (pixels?.some((side) => side < 1 || side > MOST_PIXELS))
        throw invalidRequest({ code: "gateway_size_range", params: { most: MOST_PIXELS } }, "size");
      const asked = readOpenAi(body, path);
      const model = asked.summary.model || (capability === "images" ? "dall-e-3" : "dall-e-2");
      return { ...asked, summary: { ...asked.summary, model, stream: wantsStream(body) } };
    },
    priceOf: (price, { prompt }, upstreamModel) => priceOfImages(price, prompt, upstreamModel),
    meter: ({ prompt }, answer) => drawnUsage(readUsage(answer?.usage)) ?? usageOf(countOf(prompt)),
  };
}

/** Of a side; no provider draws larger. */
const MOST_PIXELS = 16_384;

/** What models answer here are pictures, also where they do not say so. */
const drawnUsage = (usage: ReportedUsage | null): ReportedUsage | null =>
  usage && { imageOutputTokens: usage.completionTokens, ...usage };

/** POST /v1/audio/speech: models of the tts kind are billed by character, others by the tokens of their text. */
export const speech: Endpoint = {
  ...base,
  capability: "speech",
  streams: true,
  read(body, path) {
    if (!textOf(body.input))
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "input" } }, "input");
    const asked = readOpenAi(body, path);
    return { ...asked, summary: { ...asked.summary, stream: body.stream_format === "sse" } };
  },
  meter: ({ prompt, summary }, answer, price) =>
    readUsage(answer?.usage) ??
    (speaksByCharacter(price?.pricedAs ?? summary.model) ? usageOf([...(textOf(prompt.input) ?? "")].length) : null),
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
      const asked = readOpenAi(body, path);
      return { ...asked, summary: { ...asked.summary, stream: wantsStream(body) } };
    },
    meter(asked, answer) {
      const usage = recordOf(answer?.usage);
      const seconds = usage?.type === "duration" ? usage.seconds : answer?.duration;
      return readUsage(usage) ?? byMinutes(typeof seconds === "number" ? seconds : secondsOf(asked));
    },
  };
}

/** In forms everything is text. */
const wantsStream = ({ stream }: JsonObject): boolean => stream === true || stream === "true";

const byMinutes = (seconds: number): ReportedUsage => usageOf(Math.round((Math.ceil(seconds) * 1000) / 60));

/** Seconds of the file as they were read from it on arrival. */
const secondsOf = ({ prompt }: EndpointRequest): number => (typeof prompt.seconds === "number" ? prompt.seconds : 0);
