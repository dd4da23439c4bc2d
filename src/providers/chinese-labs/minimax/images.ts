import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { recordOf, textsOf } from "../../../formats/json.ts";
import { baseFailure } from "../../../formats/openai-chat/errors/base-resp.ts";
import type { NativeFormat } from "../../contract/native-format.ts";
import { aspectOf, imageCount, imageList } from "../../shared/images.ts";

/** Image generation by MiniMax, which reports failures with status 200. */
export const minimaxImages: NativeFormat = {
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "n", "size", "response_format"], dropped);
    return {
      model,
      prompt: order.prompt,
      n: imageCount(order),
      aspect_ratio: aspectOf(order),
      response_format: order.response_format === "b64_json" ? "base64" : "url",
    };
  },
  decode({ data }) {
    const made = recordOf(data);
    return imageList([
      ...textsOf(made?.image_urls).map((url) => ({ url })),
      ...textsOf(made?.image_base64).map((b64_json) => ({ b64_json })),
    ]);
  },
  failure: baseFailure,
};
