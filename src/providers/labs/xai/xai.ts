import { type ModelInfo, shippedCatalog } from "../../../catalog/catalog.ts";
import { isEffort, nearestEffort } from "../../../catalog/nearest-effort.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, recordOf, recordsOf } from "../../../formats/json.ts";
import { mediaTypeOf } from "../../../lib/http/media-type.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import type { CallParams, Preparation, Provider } from "../../contract/provider.ts";
import type { RequestDifferences } from "../../contract/request-differences.ts";
import { aspectOf, isImageField, renamedImageFields } from "../../shared/images.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { xaiVideos } from "./videos.ts";

const KNOWN_FIELDS = ["prompt", "n", "size", "response_format", "aspect_ratio", "resolution", "image", "images"];

/** xAI accepts images to edit only in JSON: files of forms become data URIs. */
const xaiEdits: NativeFormat = {
  encode(order, model, dropped, files) {
    const images = files.filter(({ name }) => isImageField(name)).map(({ bytes }) => dataUri(bytes));
    const imageFields = Object.keys(order).filter(isImageField);
    recordDropped(order, [...KNOWN_FIELDS, ...imageFields], dropped);
    const [only, ...further] = images.map((url) => ({ type: "image_url", url }));
    return compact({
      model,
      prompt: order.prompt,
      n: order.n == null ? undefined : Number(order.n),
      response_format: order.response_format,
      resolution: order.resolution,
      aspect_ratio: order.aspect_ratio ?? (order.size == null || order.size === "auto" ? undefined : aspectOf(order)),
      ...(further.length > 0 ? { images: [only, ...further] } : { image: only ?? order.image, images: order.images }),
    });
  },
  decode: (answer) => (Array.isArray(answer.data) && answer.data.length > 0 ? answer : null),
};

const dataUri = (bytes: Uint8Array): string =>
  `data:${mediaTypeOf(bytes) ?? "image/png"};base64,${Buffer.from(bytes).toString("base64")}`;

/** xAI has aspect ratios instead of sizes. */
const xaiImages: NativeFormat = renamedImageFields(["aspect_ratio", "resolution"], (order) => ({
  n: order.n,
  response_format: order.response_format,
  ...(order.size != null && order.size !== "auto" && { aspect_ratio: order.aspect_ratio ?? aspectOf(order) }),
}));

const SEARCH_SUFFIX = "-search";

/** Efforts of a model that the catalog does not know. */
const USUAL_EFFORTS = ["none", "low", "medium", "high"] as const;

/** The effort that comes closest to the requested one; undefined for a model that has none to choose. */
function effortOf({ reasoning }: ModelInfo, requested: unknown): unknown {
  if (typeof requested !== "string") return requested;
  if (reasoning && reasoning.style !== "effort") return undefined;
  return isEffort(requested) ? nearestEffort(reasoning?.efforts ?? USUAL_EFFORTS, requested) : requested;
}

/** The name without suffix, and what the suffix requests: an effort or a web search. */
function readName(model: string): Readonly<{ name: string; suffix: string | undefined; searches: boolean }> {
  const searches = model.startsWith("grok-") && model.endsWith(SEARCH_SUFFIX);
  const bareModel = searches ? model.slice(0, -SEARCH_SUFFIX.length) : model;
  const [, name = bareModel, suffix] = /^(grok-3-mini.*)-(high|medium|low)$/.exec(bareModel) ?? [];
  return { name, suffix, searches };
}

/** Web search is a tool of the Responses API; xAI removed search in chats. */
const grokFormatOf = (model: string): "openai-responses" | null =>
  readName(model).searches ? "openai-responses" : null;

/** xAI's Grok: suffixes for effort and web search, no sampling fields that reasoning models reject. */
const grokRequests: RequestDifferences = {
  limitField: "max_completion_tokens",
  rewrite(body, { model, catalog = shippedCatalog }) {
    const { name, suffix, searches } = readName(model);
    const info = catalog.find(name);
    const refused = info.refuses ?? [];
    const requested = suffix ?? body.reasoning_effort;
    const effort = effortOf(info, requested);
    return {
      ...Object.fromEntries(refused.map((field) => [field, undefined])),
      ...(name !== model && { model: name }),
      ...(effort !== body.reasoning_effort && { reasoning_effort: effort }),
      // Compatible servers without the Responses API still use the former options.
      ...(searches && { search_parameters: body.search_parameters ?? { mode: "on" } }),
    };
  },
  responses: prepareResponse,
};

function prepareResponse(body: JsonObject, { model, catalog = shippedCatalog }: CallParams): Preparation | null {
  const { name, suffix, searches } = readName(model);
  const reasoning = recordOf(body.reasoning);
  const requested = suffix ?? reasoning?.effort;
  const effort = effortOf(catalog.find(name), requested);
  const tools = recordsOf(body.tools);
  const changes: Record<string, unknown> = {};
  if (effort !== reasoning?.effort) changes.reasoning = { ...reasoning, effort };
  if (searches && !tools.some(({ type }) => type === "web_search")) changes.tools = [...tools, { type: "web_search" }];
  if (name === model && Object.keys(changes).length === 0) return null;
  const isLost = requested != null && (effort === undefined || (requested === "none" && effort !== "none"));
  return { model: name, changes, dropped: isLost ? ["reasoning_effort"] : [] };
}

const ADDRESSES: AddressForms = { fallback: "https://api.x.ai", root: "/v1" };

const compatible = openAiCompatible({
  type: 48,
  name: "xAI",
  owner: "xai",
  baseUrl: ADDRESSES.fallback,
  capabilities: ["chat", "completions", "embeddings", "images", "image-edits"],
  native: { images: { format: xaiImages }, "image-edits": { format: xaiEdits } },
  responses: true,
  // https://docs.x.ai/docs/guides/tools/remote-mcp-tools
  runsMcp: true,
  keyHint: "xai-…",
  models: [
    "grok-4.7",
    "grok-4.6",
    "grok-4.5",
    "grok-4.3",
    "grok-4.20-reasoning",
    "grok-4.20-non-reasoning",
    "grok-3-mini",
  ],
  facts: {
    documented: { source: "https://docs.x.ai/developers/rest-api-reference", version: "v1", day: "2026-11-29" },
    chat: {
      countsReasoningApart: true,
      reasoning: [{ off: "lowest", effort: { path: ["reasoning_effort"], efforts: USUAL_EFFORTS } }],
    },
    requests: grokRequests,
    // https://docs.x.ai/developers/advanced-api-usage/priority-processing
    tiers: { auto: "default", default: "default", priority: "priority", fast: "priority" },
    // xAI: its codes say the kind of failure, its words what failed.
    errors: {
      no_credit: [
        { status: 403, message: /doesn['’]t have any credits/i },
        { status: 429, message: /used all available credits|monthly spending limit/i },
        { status: 403, message: /used all available credits|monthly spending limit/i },
      ],
    },
  },
  formatOf: grokFormatOf,
});

/** xAI. */
export const xai: Provider = {
  ...compatible,
  ...xaiVideos(({ baseUrl }) => resolveBase(baseUrl, ADDRESSES).api),
  capabilities: [...compatible.capabilities, "video"],
  models: [...compatible.models, "grok-imagine-video", "grok-imagine-video-1.5"],
};
