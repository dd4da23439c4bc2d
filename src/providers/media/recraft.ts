import { DecodeError } from "../../formats/conversation/codec.ts";
import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, textOf } from "../../formats/json.ts";
import type { NativeFormat } from "../contract/chat.ts";
import { editedImages, isImageField, renamedImageFields } from "../shared/images.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Members of the API's own that clients may set. */
const OWN = ["style", "style_id", "substyle", "controls", "negative_prompt", "text_layout"] as const;

/** A vector image costs twice as much, so it needs a model of its own. Throws DecodeError. */
function refuseVectorStyle({ style }: JsonObject): void {
  if (textOf(style)?.startsWith("vector"))
    throw new DecodeError("Vector images are made by the models whose names end in “_vector”.", "style");
}

const recraftImages = renamedImageFields(OWN, (order) => ({
  n: order.n,
  ...(order.size !== "auto" && { size: order.size }),
  response_format: order.response_format,
}));

/** How far an edit may depart from its image, where the request states no `strength`, which the API requires. */
const DEFAULT_STRENGTH = 0.5;
const EDIT_OWN = [...OWN, "strength"] as const;

/** Edits: with a mask (white is drawn again) as inpainting, without one from image to image. Files are sent as data URIs. */
const recraftEdits: NativeFormat = {
  ...recraftImages,
  encode(order, model, dropped, files) {
    if (!model.endsWith("_vector")) refuseVectorStyle(order);
    const { images, mask } = editedImages(order, files);
    const members = Object.keys(order).filter(isImageField);
    recordDropped(order, ["prompt", "n", "response_format", "images", "mask", ...members, ...EDIT_OWN], dropped);
    if (images.length !== 1) throw new DecodeError("Recraft edits one image per request.", "image");
    const strength = Number(order.strength ?? DEFAULT_STRENGTH);
    return compact({
      model,
      prompt: order.prompt,
      image: images[0],
      mask,
      n: order.n == null ? null : Number(order.n),
      response_format: order.response_format,
      ...Object.fromEntries(OWN.map((name) => [name, order[name]])),
      ...(mask === null && { strength }),
    });
  },
  urlTail: (order) => (order.mask == null ? "/imageToImage" : "/inpaint"),
};

/** Recraft, whose image generation has OpenAI's shape: https://www.recraft.ai/docs/api-reference/endpoints. */
export const recraft = openAiCompatible({
  type: 1015,
  name: "Recraft",
  owner: "recraft",
  baseUrl: "https://external.api.recraft.ai",
  capabilities: ["images", "image-edits"],
  keyHint: "Recraft API token",
  facts: {
    documented: { source: "https://www.recraft.ai/docs/api-reference/endpoints", version: "v1", day: "2026-11-29" },
  },
  models: ["recraftv4_1", "recraftv4_1_pro", "recraftv3"],
  withoutModelList: true,
  native: {
    "image-edits": { path: "/images", format: recraftEdits },
    images: {
      format: {
        ...recraftImages,
        encode(order, model, dropped, files) {
          if (!model.endsWith("_vector")) refuseVectorStyle(order);
          return recraftImages.encode(order, model, dropped, files);
        },
      },
    },
  },
});
