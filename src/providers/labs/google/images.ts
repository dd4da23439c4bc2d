import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { countOf, type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import { aspectOf, imageCount, imageList } from "../../shared/images.ts";

/** Whether the model is Imagen, which has its own method; Gemini's image models generate images in a chat. */
export const isImagen = (model: string): boolean => model.startsWith("imagen");

/** Imagen (`:predict`) and Gemini's image models (`:generateContent`), on the Gemini API and on Vertex. */
export const googleImages: NativeFormat = {
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "n", "size", "response_format"], dropped);
    if (order.response_format === "url") dropped.add("response_format");
    if (!isImagen(model) && imageCount(order) > 1) dropped.add("n");
    const prompt = textOf(order.prompt) ?? "";
    const aspectRatio = aspectOf(order);
    if (isImagen(model))
      return { instances: [{ prompt }], parameters: { sampleCount: imageCount(order), aspectRatio } };
    return {
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio } },
    };
  },
  decode(answer) {
    const drawn = recordsOf(answer.predictions).map(({ bytesBase64Encoded }) => bytesBase64Encoded);
    const shown = recordsOf(answer.candidates).flatMap(({ content }) =>
      recordsOf(recordOf(content)?.parts).map((part) => recordOf(part.inlineData)?.data),
    );
    const data = [...drawn, ...shown].flatMap((bytes) => (textOf(bytes) ? [{ b64_json: bytes }] : []));
    return imageList(data, usageOf(recordOf(answer.usageMetadata)));
  },
  failure(answer) {
    const filtered = recordsOf(answer.predictions).find(({ raiFilteredReason }) => textOf(raiFilteredReason));
    const blocked = textOf(recordOf(answer.promptFeedback)?.blockReason);
    const reason = textOf(filtered?.raiFilteredReason) ?? blocked;
    return reason && this.decode(answer, {}) === null ? { message: reason, code: "content_policy_violation" } : null;
  },
};

function usageOf(metadata: JsonObject | null): JsonObject | undefined {
  const input = countOf(metadata?.promptTokenCount);
  if (!metadata || input === null) return undefined;
  const output = (countOf(metadata.candidatesTokenCount) ?? 0) + (countOf(metadata.thoughtsTokenCount) ?? 0);
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}
