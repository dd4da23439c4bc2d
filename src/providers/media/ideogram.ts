import { recordDropped } from "../../formats/conversation/dropped-fields.ts";
import { compact, textOf } from "../../formats/json.ts";
import type { NativeFormat } from "../contract/chat.ts";
import type { Provider } from "../contract/provider.ts";
import { trimBaseUrl } from "../contract/tasks.ts";
import { imageCount } from "../shared/images.ts";

const DEFAULT_BASE_URL = "https://api.ideogram.ai";

/** Members of the API's own that clients may set: none of them changes the price. */
const OWN = [
  "seed",
  "aspect_ratio",
  "magic_prompt",
  "negative_prompt",
  "style_type",
  "style_preset",
  "style_codes",
  "color_palette",
] as const;

/** `ideogram-v3-turbo` is version 3 at the speed `TURBO`: the speed decides what an image costs, so it is part of the name. */
const SPEED = /^(ideogram-v\d+)(?:-(flash|turbo|quality))?$/;

const ideogramImages: NativeFormat = {
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "n", "size", "response_format", ...OWN], dropped);
    if (order.response_format === "b64_json") dropped.add("response_format");
    const size = textOf(order.size);
    const hasRatio = order.aspect_ratio != null;
    return compact({
      prompt: order.prompt,
      num_images: imageCount(order),
      ...Object.fromEntries(OWN.map((name) => [name, order[name]])),
      resolution: hasRatio || size === null || size === "auto" ? null : size,
      rendering_speed: (SPEED.exec(model)?.[2] ?? "default").toUpperCase(),
    });
  },
  decode: (answer) => (Array.isArray(answer.data) && answer.data.length > 0 ? answer : null),
  failure({ data }) {
    const images: unknown[] = Array.isArray(data) ? data : [];
    const isUnsafe = images.length > 0 && images.every(isFiltered);
    return isUnsafe
      ? { message: "The image was filtered as unsafe.", code: "content_policy_violation", status: 400 }
      : null;
  },
};

const isFiltered = (image: unknown): boolean =>
  typeof image === "object" && image !== null && "is_image_safe" in image && image.is_image_safe === false;

/** Ideogram, https://developer.ideogram.ai/api-reference. */
export const ideogram: Provider = {
  type: 1014,
  name: "Ideogram",
  owner: "ideogram",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["images"],
  keyHint: "Ideogram API key",
  models: ["ideogram-v3-turbo", "ideogram-v3", "ideogram-v3-quality"],
  url: ({ baseUrl }, { model }) => {
    const version = SPEED.exec(model)?.[1] ?? model;
    return `${trimBaseUrl(baseUrl || DEFAULT_BASE_URL).replace(/\/v1$/, "")}/v1/${encodeURIComponent(version)}/generate`;
  },
  authHeaders: (_channel, key) => ({ "api-key": key }),
  nativeFormat: ({ capability }) => (capability === "images" ? ideogramImages : null),
};
