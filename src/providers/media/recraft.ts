import { DecodeError } from "../../formats/conversation/codec.ts";
import { type JsonObject, textOf } from "../../formats/json.ts";
import { renamedImageFields } from "../shared/images.ts";
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

/** Recraft, whose image generation has OpenAI's shape: https://www.recraft.ai/docs/api-reference/endpoints. */
export const recraft = openAiCompatible({
  type: 1015,
  name: "Recraft",
  owner: "recraft",
  baseUrl: "https://external.api.recraft.ai",
  capabilities: ["images"],
  keyHint: "Recraft API token",
  models: ["recraftv4_1", "recraftv4_1_pro", "recraftv3"],
  withoutModelList: true,
  native: {
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
