import { DecodeError } from "../../formats/conversation/codec.ts";
import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, recordOf, textOf } from "../../formats/json.ts";
import { type AddressForms, resolveBase } from "../contract/base-address.ts";
import type { FormFile, NativeFormat } from "../contract/chat.ts";
import type { Provider, ProviderChannel } from "../contract/provider.ts";
import { imageCount, imageList, isImageField } from "../shared/images.ts";

const DEFAULT_BASE_URL = "https://api.bfl.ai";

/** Members of the API's own that clients may set. */
const OWN = [
  "aspect_ratio",
  "seed",
  "output_format",
  "safety_tolerance",
  "prompt_upsampling",
  "raw",
  "steps",
  "guidance",
] as const;

const RUNNING: ReadonlySet<unknown> = new Set(["Pending", "Queued", "Processing"]);
const MODERATED: ReadonlySet<unknown> = new Set(["Request Moderated", "Content Moderated"]);

const ADDRESSES: AddressForms = { fallback: DEFAULT_BASE_URL, root: "/v1" };

const rootOf = ({ baseUrl }: Pick<ProviderChannel, "baseUrl">): string => resolveBase(baseUrl, ADDRESSES).api;

/** A job by its order; the images of an edit are part of the same order. */
const flux: NativeFormat = {
  encode(order, model, dropped, files) {
    const images = imagesOf(order, files);
    const fields = Object.keys(order).filter(isImageField);
    recordDropped(order, ["prompt", "n", "size", "response_format", ...OWN, ...fields], dropped);
    if (imageCount({ n: Number(order.n ?? 1) }) > 1)
      throw new DecodeError("Black Forest Labs makes one image per request.", "n");
    if (order.response_format === "b64_json") dropped.add("response_format");
    const named = images.map((image, at) => [at === 0 ? "input_image" : `input_image_${at + 1}`, image]);
    return compact({
      prompt: order.prompt,
      ...Object.fromEntries(OWN.map((name) => [name, order[name]])),
      ...sizeOf(order, model),
      ...Object.fromEntries(named),
    });
  },
  decode({ result }, _call, first) {
    const url = textOf(recordOf(result)?.sample);
    const made = url ? imageList([{ url }]) : null;
    const [output, input] = [numberOf(first?.output_mp), numberOf(first?.input_mp)];
    return made && output !== null ? { ...made, megapixels: { output, input: input ?? 0 } } : made;
  },
  failure(answer) {
    const { status, details } = answer;
    if (typeof status !== "string" || status === "Ready" || RUNNING.has(status)) return null;
    const reason = textOf(details) ?? textOf(recordOf(details)?.message) ?? status;
    return MODERATED.has(status)
      ? { message: reason, code: "content_policy_violation", status: 400 }
      : { message: reason, code: "image_generation_failed" };
  },
  pending(channel, { id, status, polling_url: address }) {
    const isOrdered = status === undefined && textOf(address) !== null;
    if (typeof id !== "string" || !(isOrdered || RUNNING.has(status))) return null;
    return pollingUrl(channel, id, textOf(address));
  },
};

/**
 * Where a job is looked up: jobs belong to a region, whose address the order's response states. The key goes nowhere but to the
 * service and the channel's own address.
 */
function pollingUrl(channel: ProviderChannel, id: string, address: string | null): string {
  const root = rootOf(channel);
  const stated = URL.parse(address ?? "");
  const isService = stated?.protocol === "https:" && /(^|\.)bfl\.(ai|ml)$/.test(stated.hostname);
  if (stated && (isService || stated.origin === URL.parse(root)?.origin)) return stated.href;
  return `${root}/get_result?id=${encodeURIComponent(id)}`;
}

/** Kontext and Ultra take an aspect ratio, the other models take pixels. */
function sizeOf({ size, aspect_ratio }: JsonObject, model: string): JsonObject {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(textOf(size) ?? "") ?? [];
  if (width === undefined || height === undefined) return {};
  if (!/kontext|ultra/.test(model)) return { width: Number(width), height: Number(height) };
  return { aspect_ratio: aspect_ratio ?? `${width}:${height}` };
}

/** The images of an edit as base64: files of a form, else data URIs or URLs of `image`. */
function imagesOf({ image, images }: JsonObject, files: readonly FormFile[]): string[] {
  const sent = files.filter(({ name }) => isImageField(name)).map(({ bytes }) => Buffer.from(bytes).toString("base64"));
  const named = [image, ...(Array.isArray(images) ? images : [])].flatMap((each) => textOf(each) ?? []);
  return [...sent, ...named.map((each) => each.replace(/^data:[^,]*;base64,/, ""))];
}

/**
 * Flux by Black Forest Labs, https://docs.bfl.ai/api-reference. FLUX.2 is priced by megapixel, which the response to an order
 * states: https://docs.bfl.ai/flux_2/flux2_image_editing.
 */
export const blackForestLabs: Provider = {
  type: 1013,
  name: "Black Forest Labs",
  owner: "black-forest-labs",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["images", "image-edits"],
  keyHint: "bfl_…",
  facts: {
    documented: { source: "https://docs.bfl.ai/api-reference", version: "v1", day: "2026-11-29" },
    hosts: [
      { region: null, url: "https://api.bfl.ai" },
      { region: "EU", url: "https://api.eu.bfl.ai" },
      { region: "US", url: "https://api.us.bfl.ai" },
    ],
  },
  models: [
    "flux-2-pro",
    "flux-2-max",
    "flux-2-flex",
    "flux-2-klein-9b",
    "flux-2-klein-4b",
    "flux-pro-1.1",
    "flux-pro-1.1-ultra",
    "flux-kontext-pro",
    "flux-kontext-max",
  ],
  url: (channel, { model }) => `${rootOf(channel)}/${encodeURIComponent(model)}`,
  authHeaders: (_channel, key) => ({ "x-key": key }),
  nativeFormat: ({ capability }) => (capability === "images" || capability === "image-edits" ? flux : null),
};
