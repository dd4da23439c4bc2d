import type { Price } from "../../../../billing/types.ts";
import type { Catalog } from "../../../../catalog/catalog.ts";
import type { Megapixels, Usage } from "../../../../formats/conversation/reply.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { readOpenAi } from "../../../../formats/openai-chat/request/summary.ts";
import { readUsage } from "../../../../formats/openai-chat/response/usage.ts";
import { MAX_CHOICES } from "../../../../formats/request-rules.ts";
import { type Decimal, decimal, integer, multiply } from "../../../../lib/values/decimal.ts";
import { lookupTable } from "../../../../lib/values/lookup-table.ts";
import type { Capability } from "../../../../providers/contract/provider.ts";
import { isImageField } from "../../../../providers/shared/images.ts";
import type { Endpoint } from "../../../call/endpoint.ts";
import { invalidRequest } from "../../client-body.ts";
import { base, usageOf, wantsStream } from "./media.ts";

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
      if (price?.kind !== "per_call" || price.images === undefined) return usage;
      const reported = reportedImages(answer);
      if (reported !== null) return { ...usage, images: reported };
      if (groupLimit(prompt) === null && !price.megapixels) return usage;
      const drawn = withDrawn(usage, answer);
      return price.megapixels ? { ...drawn, megapixels: drawnMegapixels(prompt, answer) } : drawn;
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

/** How many images a provider says that it made and bills, as Volcano Ark does; null: it does not say. */
const reportedImages = (answer: JsonObject | null): number | null =>
  numberOf(recordOf(answer?.usage)?.generated_images);

/** The usage with the number of images in the response; unchanged where the response does not show it. */
function withDrawn(usage: Usage, answer: JsonObject | null): Usage {
  if (!Array.isArray(answer?.data)) return usage;
  return { ...usage, images: recordsOf(answer.data).filter(({ error }) => error == null).length };
}

/** Pixels of a megapixel, as providers price it: an image of 1024 x 1024 is one. */
const MEGAPIXEL = 1_048_576;
/** The most that FLUX.2 reads and draws. */
const MAX_MEGAPIXELS = 4;

/** The megapixels of a request, in full ones; `unsized`: of each image whose size it does not state. */
function megapixelsOf(body: JsonObject, unsized: number): Megapixels {
  const [width, height] = pixelsOf(textOf(body.size) ?? "") ?? [];
  const images = Object.entries(body).flatMap(([name, value]) =>
    isImageField(name) || name === "images" ? [value].flat() : [],
  ).length;
  const stated = width && height ? Math.ceil((width * height) / MEGAPIXEL) : null;
  return { output: stated ?? (images === 0 ? 1 : unsized), input: images * unsized };
}

/**
 * The megapixels of a response, as the provider counts them; where it does not, an image of unknown size counts as one. Providers
 * round to two decimals, and 1024 x 1024 pixels are 1.05 million.
 */
function drawnMegapixels(body: JsonObject, answer: JsonObject | null): Megapixels {
  const requested = megapixelsOf(body, 1);
  const reported = recordOf(answer?.megapixels);
  const full = (millions: number | null) =>
    millions === null ? null : Math.ceil(Math.round((millions * 10_000_000) / MEGAPIXEL) / 10);
  return {
    output: full(numberOf(reported?.output)) ?? requested.output,
    input: full(numberOf(reported?.input)) ?? requested.input,
  };
}

/** Treats the output of image models as image tokens, even if not reported as such. */
const drawnUsage = (usage: Usage | null): Usage | null =>
  usage && { imageOutputTokens: usage.completionTokens, ...usage };

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
  if (price.kind === "per_call" && price.usdPerMegapixel) {
    const { usdPerMegapixel } = price;
    const megapixels = megapixelsOf(body, MAX_MEGAPIXELS);
    return { ...common, usdPerCall: usd, usdPerMegapixel, megapixels, images: countOf(body) };
  }
  const group = groupLimit(body);
  if (group !== null) return { ...common, usdPerCall: usdPerImage, images: group * countOf(body) };
  const count = countOf(body);
  // A provider may draw fewer than were requested and say so.
  return count > 1 ? { ...common, usdPerCall: usdPerImage, images: count } : { ...common, usdPerCall: usdPerImage };
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
