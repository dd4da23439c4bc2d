import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/native-format.ts";
import { imageCount, imageList } from "../../shared/images.ts";

/** Models that respond immediately, in the shape of a chat; the others create a job to poll. */
const SYNCHRONOUS = /^(qwen-image|z-image|wan2\.[5-9])/;

const isSynchronous = (model: string): boolean => SYNCHRONOUS.test(model);

const RUNNING: ReadonlySet<unknown> = new Set(["PENDING", "RUNNING"]);
const FAILED: ReadonlySet<unknown> = new Set(["FAILED", "CANCELED", "UNKNOWN"]);

/** Image generation by Alibaba's DashScope; `base` returns the base URL of its own API. */
export const dashscopeImages = (base: (channel: { baseUrl: string }) => string): NativeFormat => ({
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "n", "size", "response_format"], dropped);
    if (order.response_format === "b64_json") dropped.add("response_format");
    const prompt = textOf(order.prompt) ?? "";
    const size = textOf(order.size)?.replace("x", "*");
    const parameters = { n: imageCount(order), ...(size && size !== "auto" && { size }) };
    const input = isSynchronous(model) ? { messages: [{ role: "user", content: [{ text: prompt }] }] } : { prompt };
    return { model, input, parameters };
  },
  decode({ output }) {
    const made = recordOf(output);
    const results = recordsOf(made?.results).map(({ url }) => url);
    const shown = recordsOf(made?.choices).flatMap(({ message }) =>
      recordsOf(recordOf(message)?.content).map(({ image }) => image),
    );
    return imageList([...results, ...shown].flatMap((url) => (textOf(url) ? [{ url }] : [])));
  },
  failure(answer) {
    const output = recordOf(answer.output);
    const failed = FAILED.has(output?.task_status) ? output : recordsOf(output?.results).find(({ code }) => code);
    if (!failed || (failed !== output && this.decode(answer, {}) !== null)) return null;
    return {
      message: textOf(failed.message) ?? "The picture could not be made.",
      code: textOf(failed.code) ?? "failed",
    };
  },
  pending(channel, answer) {
    const output = recordOf(answer.output);
    const id = textOf(output?.task_id);
    return id && RUNNING.has(output?.task_status) ? `${base(channel)}/api/v1/tasks/${encodeURIComponent(id)}` : null;
  },
});

/** The path of image generation for a model, after the base URL. */
export const dashscopeImagePath = (model: string): string =>
  `/api/v1/services/aigc/${isSynchronous(model) ? "multimodal-generation/generation" : "text2image/image-synthesis"}`;

/** Models with jobs reject requests without the asynchronous header. */
export const dashscopeImageHeaders = (model: string): Record<string, string> =>
  isSynchronous(model) ? {} : { "x-dashscope-async": "enable" };
