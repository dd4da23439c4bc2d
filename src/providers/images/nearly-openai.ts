import type { Dropped } from "../../dialects/codec.ts";
import { compact } from "../../dialects/compact.ts";
import type { JsonObject } from "../../dialects/json.ts";
import { noteUnsaid } from "../../dialects/unsaid.ts";
import type { OwnFormat } from "../own-format.ts";
import { aspectOf, ordered } from "./image-format.ts";

/** Orders with some members by other names, answered as OpenAI answers them. */
const nearly = (own: readonly string[], write: (order: JsonObject, dropped: Dropped) => JsonObject): OwnFormat => ({
  encode(order, model, dropped) {
    noteUnsaid(order, ["prompt", "n", "size", "response_format", ...own], dropped);
    const kept = Object.fromEntries(own.map((name) => [name, order[name]]));
    return compact({ ...kept, model, prompt: order.prompt, ...write(order, dropped) });
  },
  decode: (answer) => (Array.isArray(answer.data) && answer.data.length > 0 ? answer : null),
});

/** SiliconFlow's pictures come as addresses. */
export const siliconImages: OwnFormat = nearly(
  ["seed", "negative_prompt", "num_inference_steps", "guidance_scale", "image"],
  (order, dropped) => {
    if (order.response_format === "b64_json") dropped.add("response_format");
    return { image_size: order.size ?? "1024x1024", batch_size: ordered(order) };
  },
);

/** xAI knows ratios rather than sizes. */
export const xaiImages: OwnFormat = nearly(["aspect_ratio", "resolution"], (order) => ({
  n: order.n,
  response_format: order.response_format,
  ...(order.size != null && order.size !== "auto" && { aspect_ratio: order.aspect_ratio ?? aspectOf(order) }),
}));
