import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { mediaTypeOf } from "../../../lib/http/media-type.ts";
import type { NativeFormat } from "../../contract/native-format.ts";
import { aspectOf, renamedImageFields } from "../../shared/images.ts";

const KNOWN_FIELDS = ["prompt", "n", "size", "response_format", "aspect_ratio", "resolution", "image", "images"];

/** xAI accepts images to edit only in JSON: files of forms become data URIs. */
export const xaiEdits: NativeFormat = {
  encode(order, model, dropped, files) {
    const images = files.filter(({ name }) => IMAGE_FIELD.test(name)).map(({ bytes }) => dataUri(bytes));
    const imageFields = Object.keys(order).filter((name) => IMAGE_FIELD.test(name));
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

/** `image`, `image[]`, `image[0]`, as clients name it. */
const IMAGE_FIELD = /^image(\[\d*\])?$/;

const dataUri = (bytes: Uint8Array): string =>
  `data:${mediaTypeOf(bytes) ?? "image/png"};base64,${Buffer.from(bytes).toString("base64")}`;

/** xAI has aspect ratios instead of sizes. */
export const xaiImages: NativeFormat = renamedImageFields(["aspect_ratio", "resolution"], (order) => ({
  n: order.n,
  response_format: order.response_format,
  ...(order.size != null && order.size !== "auto" && { aspect_ratio: order.aspect_ratio ?? aspectOf(order) }),
}));
