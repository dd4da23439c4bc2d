import type { Price } from "../../../../billing/types.ts";
import type { Catalog } from "../../../../catalog/catalog.ts";
import type { Usage } from "../../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf, textsOf } from "../../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../../formats/openai-chat/index.ts";
import { openaiRules } from "../../../../formats/openai-chat/request/request-rules.ts";
import { readUsage } from "../../../../formats/openai-chat/response/usage.ts";
import { MAX_CHOICES } from "../../../../formats/request-rules.ts";
import { textOfBytes } from "../../../../lib/values/bytes.ts";
import { type Decimal, decimal, integer, multiply } from "../../../../lib/values/decimal.ts";
import { lookupTable } from "../../../../lib/values/lookup-table.ts";
import type { Capability } from "../../../../providers/contract/provider.ts";
import { invalidRequest } from "../../client-body.ts";
import type { Endpoint, EndpointRequest } from "../endpoint.ts";
import { readOpenAi } from "../text.ts";

/** What endpoints other than chat have in common: OpenAI's format, one response. */
const base = { codec: openaiChatClientCodec, rules: openaiRules, streams: false, emptyIsFree: false } as const;

const usageOf = (promptTokens: number, completionTokens = 0): Usage => ({
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
      if (pixels?.some((side) => side < 1 || side > MAX_PIXELS))
        throw invalidRequest({ code: "gateway_size_range", params: { most: MAX_PIXELS } }, "size");
      const parsed = readOpenAi(body, path);
      const model = parsed.summary.model || (capability === "images" ? "dall-e-3" : "dall-e-2");
      return { ...parsed, summary: { ...parsed.summary, model, stream: wantsStream(body) } };
    },
    priceOf: (price, { prompt }, upstreamModel, catalog) => priceOfImages(price, prompt, upstreamModel, catalog),
    meter({ prompt }, answer, price) {
      const usage = drawnUsage(readUsage(answer?.usage)) ?? usageOf(countOf(prompt));
      return price?.kind === "per_call" && price.images !== undefined ? withDrawn(usage, answer) : usage;
    },
  };
}

/** Maximum width or height; no provider generates larger images. */
const MAX_PIXELS = 16_384;

/** Images of a group that may have as many as the model likes, for models of ByteDance: at most 15. */
const MAX_GROUP = 15;

/**
 * The most images of a group whose number the model decides; null if the request asks for none. Form fields are text.
 * https://www.volcengine.com/docs/82379/1541523
 */
function groupLimit(body: JsonObject): number | null {
  if (body.sequential_image_generation !== "auto") return null;
  const most = Number(recordOf(body.sequential_image_generation_options)?.max_images ?? MAX_GROUP);
  return Number.isInteger(most) ? Math.min(MAX_CHOICES, Math.max(1, most)) : MAX_GROUP;
}

/** The usage with the number of images in the response; unchanged where the response does not show it. */
function withDrawn(usage: Usage, answer: JsonObject | null): Usage {
  const reported = recordOf(answer?.usage)?.generated_images;
  if (typeof reported === "number") return { ...usage, images: reported };
  if (!Array.isArray(answer?.data)) return usage;
  return { ...usage, images: recordsOf(answer.data).filter(({ error }) => error == null).length };
}

/** Treats the output of image models as image tokens, even if not reported as such. */
const drawnUsage = (usage: Usage | null): Usage | null =>
  usage && { imageOutputTokens: usage.completionTokens, ...usage };

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

/** Form fields are always text. */
const wantsStream = ({ stream }: JsonObject): boolean => stream === true || stream === "true";

const byMinutes = (seconds: number): Usage => usageOf(Math.round((Math.ceil(seconds) * 1000) / 60));

/** The length of the audio file in seconds, as determined on arrival. */
const secondsOf = ({ prompt }: EndpointRequest): number => (typeof prompt.seconds === "number" ? prompt.seconds : 0);

/** USD per image for each unit of model ratio, for models with only a ratio. */
const USD_PER_RATIO = decimal("0.0025");

const SIZES = lookupTable<Decimal>({
  "256x256": decimal("0.4"),
  "512x512": decimal("0.45"),
  "1024x1792": integer(2),
  "1792x1024": integer(2),
});
const ONE = integer(1);

/**
 * The price of an image request, by number, size and quality. The model is identified by the name that has the price,
 * or the name after the channel's mapping: the requested name may be arbitrary.
 */
function priceOfImages(price: Price, body: JsonObject, upstreamModel: string, catalog: Catalog): Price {
  const names = [price.pricedAs, upstreamModel];
  if (price.kind === "per_token" && names.some((name) => catalog.find(name).billed_by === "token")) return price;
  const usd = price.kind === "per_call" ? price.usdPerCall : multiply(price.modelRatio, USD_PER_RATIO);
  const { groupRatio, discount, pricedAs } = price;
  const usdPerImage = multiply(usd, factorOf(body, names));
  const common = { kind: "per_call", pricedAs, groupRatio, discount } as const;
  const group = groupLimit(body);
  if (group !== null) return { ...common, usdPerCall: usdPerImage, images: group * countOf(body) };
  return { ...common, usdPerCall: multiply(usdPerImage, integer(countOf(body))) };
}

/** Number of requested images, from 1 to 128: the largest value among these names. Form fields are text. */
const countOf = (body: JsonObject): number => {
  const counts = [body.n, body.batch_size, body.num_images].map((count) => Number(count ?? 1));
  return Math.min(MAX_CHOICES, Math.max(1, ...counts.filter(Number.isInteger)));
};

/** Width and height of a size such as "1024x1792"; null for sizes such as "auto". */
function pixelsOf(size: string): readonly [width: number, height: number] | null {
  const [, width, height] = /^\s*(\d+)\s*[x*×]\s*(\d+)\s*$/i.exec(size) ?? [];
  return width === undefined || height === undefined ? null : [Number(width), Number(height)];
}

/** Models of Black Forest Labs, Ideogram, Recraft and Jimeng, whose images cost the same in every size. */
const PRICED_FLAT = /^(flux-|ideogram-|recraft|jimeng_)/;

function factorOf(body: JsonObject, names: readonly string[]): Decimal {
  if (names.some((name) => PRICED_FLAT.test(name))) return ONE;
  const size = pixelsOf(textOf(body.size) ?? "1024x1024")?.join("x") ?? "";
  const bySize = SIZES[size] ?? ONE;
  if (!names.includes("dall-e-3") || textOf(body.quality)?.trim().toLowerCase() !== "hd") return bySize;
  return multiply(bySize, size === "1024x1792" || size === "1792x1024" ? decimal("1.5") : integer(2));
}
