import { DecodeError } from "../../formats/conversation/codec.ts";
import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, textOf } from "../../formats/json.ts";
import { type AddressForms, resolveBase } from "../contract/base-address.ts";
import type { FormFile, NativeFormat } from "../contract/chat.ts";
import type { Provider } from "../contract/provider.ts";
import { editedImages, imageCount, isImageField } from "../shared/images.ts";

/** The quality decides what an image costs, so it is part of the name: `ideogram-v4.5-low`. */
const QUALITY = /^ideogram-v4\.5(?:-(low|high))?$/;
const MAX_REFERENCES = 4;

/** Whether the model is Ideogram 4.5, which has paths and members of its own. */
const isIdeogram45 = (model: string): boolean => QUALITY.test(model);

const qualityOf = (model: string): string => QUALITY.exec(model)?.[1] ?? "medium";

/**
 * Ideogram 4.5, by forms. Its edits keep the size of the original; those of high quality cost more than an image of that name.
 * Sources: https://developer.ideogram.ai/api-reference/images/generate, https://ideogram.ai/blog/ideogram-api-pricing
 *
 * @param shared what all versions have in common
 * @param fileOf a file of the form from a data URI; throws DecodeError for other addresses
 */
function ideogram45(
  shared: Pick<NativeFormat, "decode" | "failure">,
  fileOf: (name: string, image: string) => FormFile,
  isEdit: boolean,
): NativeFormat {
  return {
    ...shared,
    encode(order, model, dropped) {
      const images = Object.keys(order).filter(isImageField);
      const known = [
        "prompt",
        "n",
        "size",
        "response_format",
        "seed",
        ...(isEdit ? ["images", "mask", ...images] : []),
      ];
      recordDropped(order, known, dropped);
      if (order.response_format === "b64_json") dropped.add("response_format");
      const size = textOf(order.size);
      if (isEdit && size !== null) dropped.add("size");
      return compact({
        prompt: order.prompt,
        num_images: imageCount({ n: Number(order.n ?? 1) }),
        quality: qualityOf(model),
        seed: order.seed,
        size: isEdit || size === "auto" ? null : size,
      });
    },
    formFiles(order, model, files) {
      if (!isEdit) return [];
      const { images, mask } = editedImages(order, files);
      const [first, ...references] = images;
      if (mask !== null) throw new DecodeError("Ideogram 4.5 takes no mask. Use ideogram-v3 for one.", "mask");
      if (first === undefined || references.length > MAX_REFERENCES) {
        throw new DecodeError(`Ideogram 4.5 edits one image, with up to ${MAX_REFERENCES} references.`, "image");
      }
      if (qualityOf(model) === "high") {
        throw new DecodeError("Edits of high quality have no price. Use ideogram-v4.5 or ideogram-v4.5-low.", "model");
      }
      return [fileOf("image", first), ...references.map((reference) => fileOf("reference_images", reference))];
    },
    urlTail: () => (isEdit ? "/precise-edit/ideogram-4-5" : "/generate/ideogram-4-5"),
  };
}

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

/** The fields of an order; version 4 calls its prompt another name. */
function fieldsOf(order: JsonObject, model: string): JsonObject {
  const [, version, speed] = SPEED.exec(model) ?? [];
  const size = textOf(order.size);
  return compact({
    [version === "ideogram-v4" ? "text_prompt" : "prompt"]: order.prompt,
    num_images: imageCount({ n: Number(order.n ?? 1) }),
    ...Object.fromEntries(OWN.map((name) => [name, order[name]])),
    resolution: order.aspect_ratio != null || size === null || size === "auto" ? null : size,
    rendering_speed: (speed ?? "default").toUpperCase(),
  });
}

const ideogramImages: NativeFormat = {
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "n", "size", "response_format", ...OWN], dropped);
    if (order.response_format === "b64_json") dropped.add("response_format");
    return fieldsOf(order, model);
  },
  // Version 4 takes forms only; earlier ones take JSON, too.
  formFiles: (_order, model) => (model.startsWith("ideogram-v4") ? [] : null),
  urlTail: () => "/generate",
  decode: (answer) => (Array.isArray(answer.data) && answer.data.length > 0 ? answer : null),
  failure({ data }) {
    const images: unknown[] = Array.isArray(data) ? data : [];
    const isUnsafe = images.length > 0 && images.every(isFiltered);
    return isUnsafe
      ? { message: "The image was filtered as unsafe.", code: "content_policy_violation", status: 400 }
      : null;
  },
};

/** Edits, as forms: with a mask (black is drawn again) as inpainting, without one as a remix, whose `image_weight` is its own. */
const ideogramEdits: NativeFormat = {
  ...ideogramImages,
  encode(order, model, dropped) {
    const members = Object.keys(order).filter(isImageField);
    const known = ["prompt", "n", "size", "response_format", "mask", "images", "image_weight", ...members, ...OWN];
    recordDropped(order, known, dropped);
    if (order.response_format === "b64_json") dropped.add("response_format");
    const { resolution, ...fields } = fieldsOf(order, model);
    // A masked image has the size of the original.
    return compact(order.mask == null ? { ...fields, resolution, image_weight: order.image_weight } : fields);
  },
  formFiles(order, _model, files) {
    const { images, mask } = editedImages(order, files);
    if (images.length !== 1) throw new DecodeError("Ideogram edits one image per request.", "image");
    const named = [["image", images[0]], ...(mask === null ? [] : [["mask", mask]])] as const;
    return named.map(([name, image]) => fileOf(name ?? "", image ?? ""));
  },
  urlTail: (order) => (order.mask == null ? "/remix" : "/inpaint"),
};

function fileOf(name: string, image: string): FormFile {
  const [, type, data] = /^data:([^;,]*);base64,(.*)$/s.exec(image) ?? [];
  if (data === undefined) throw new DecodeError("Ideogram takes images as files or data URIs, not by URL.", name);
  return { name, type: type ?? "", bytes: new Uint8Array(Buffer.from(data, "base64")) };
}

const isFiltered = (image: unknown): boolean =>
  typeof image === "object" && image !== null && "is_image_safe" in image && image.is_image_safe === false;

const ADDRESSES: AddressForms = { fallback: DEFAULT_BASE_URL, root: "/v1" };

/** Ideogram, https://developer.ideogram.ai/api-reference. */
export const ideogram: Provider = {
  type: 1014,
  name: "Ideogram",
  owner: "ideogram",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["images", "image-edits"],
  keyHint: "Ideogram API key",
  facts: {
    documented: { source: "https://developer.ideogram.ai/api-reference", version: "v2", day: "2026-11-29" },
  },
  models: [
    "ideogram-v4.5-low",
    "ideogram-v4.5",
    "ideogram-v4.5-high",
    "ideogram-v4-turbo",
    "ideogram-v4",
    "ideogram-v4-quality",
    "ideogram-v3-turbo",
    "ideogram-v3",
    "ideogram-v3-quality",
  ],
  url: ({ baseUrl }, { model, urlTail = "" }) => {
    const { service: root } = resolveBase(baseUrl, ADDRESSES);
    if (isIdeogram45(model)) return `${root}/v2/image${urlTail}`;
    const version = SPEED.exec(model)?.[1] ?? model;
    return `${root}/v1/${encodeURIComponent(version)}${urlTail}`;
  },
  authHeaders: (_channel, key) => ({ "api-key": key }),
  nativeFormat({ capability, model }) {
    if (isIdeogram45(model) && (capability === "images" || capability === "image-edits")) {
      return ideogram45(ideogramImages, fileOf, capability === "image-edits");
    }
    if (capability === "image-edits") return ideogramEdits;
    return capability === "images" ? ideogramImages : null;
  },
};
