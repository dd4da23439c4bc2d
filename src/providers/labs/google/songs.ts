import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { Content, NativeFormat } from "../../contract/chat.ts";

/** Whether the model is Lyria 2, which has Imagen's method (`:predict`). */
export const isPredictedSong = (model: string): boolean => model.startsWith("lyria-0");

/** Models that also make WAV files. */
const MAKES_WAV = /^lyria-\d-pro/;
/** The only length of Lyria 2 and of Lyria 3 Clip. */
const CLIP = /^lyria-0|-clip/;

/**
 * Songs by Lyria: version 2 on Vertex AI, https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/lyria-music-generation,
 * which makes instrumental clips of 30 seconds; later ones by `:generateContent`,
 * https://ai.google.dev/gemini-api/docs/music-generation, on Vertex AI in the region `global`, whose prompt states lyrics and length.
 */
export const googleSongs: NativeFormat = {
  encode(order, model, dropped) {
    const format = order.response_format ?? null;
    if (isPredictedSong(model)) {
      recordDropped(order, ["prompt", "instrumental", "negative_prompt", "seed", "response_format"], dropped);
      if (format !== null && format !== "wav") dropped.add("response_format");
      if (order.instrumental === false) dropped.add("instrumental");
      const { prompt, negative_prompt, seed } = order;
      return {
        instances: [compact({ prompt: prompt ?? "", negative_prompt, seed })],
        // Google takes only one of both.
        parameters: seed == null ? { sample_count: 1 } : {},
      };
    }
    recordDropped(order, ["prompt", "lyrics", "instrumental", "duration", "response_format"], dropped);
    if (CLIP.test(model) && order.duration != null) dropped.add("duration");
    const isWav = format === "wav" && MAKES_WAV.test(model);
    if (format !== null && format !== "mp3" && !isWav) dropped.add("response_format");
    return {
      contents: [{ role: "user", parts: [{ text: describe(order, model) }] }],
      generationConfig: { responseModalities: ["AUDIO", "TEXT"], ...(isWav && { responseMimeType: "audio/wav" }) },
    };
  },
  decode: (answer) => (audioOf(answer) ? {} : null),
  content: audioOf,
  failure(answer) {
    if (audioOf(answer)) return null;
    const blocked =
      textOf(recordOf(answer.promptFeedback)?.blockReason) ??
      recordsOf(answer.predictions).flatMap(({ raiFilteredReason }) => textOf(raiFilteredReason) ?? [])[0];
    if (blocked) return { message: blocked, code: "content_policy_violation", status: 400 };
    const ended = recordsOf(answer.candidates).flatMap(({ finishReason }) => textOf(finishReason) ?? [])[0];
    return ended ? { message: `The model ended without audio: ${ended}.`, code: "no_audio", status: 502 } : null;
  },
};

/** The prompt with what later versions take as text: lyrics, length, and whether there are words. */
function describe({ prompt, lyrics, instrumental, duration }: JsonObject, model: string): string {
  const seconds = CLIP.test(model) ? null : numberOf(duration);
  const parts = [
    textOf(prompt),
    seconds === null ? null : `Length: ${seconds} seconds.`,
    instrumental === true ? "Instrumental only, no vocals." : null,
    textOf(lyrics) ? `Lyrics:\n${lyrics}` : null,
  ];
  return parts.filter(Boolean).join("\n\n");
}

/** The audio of a response; null if it has none. */
function audioOf(answer: JsonObject): Content | null {
  const [predicted] = recordsOf(answer.predictions);
  const parts = recordsOf(answer.candidates).flatMap(({ content }) => recordsOf(recordOf(content)?.parts));
  const inline = parts.map((part) => recordOf(part.inlineData ?? part.inline_data)).find((each) => each !== null);
  const encoded = textOf(predicted?.audioContent) ?? textOf(predicted?.bytesBase64Encoded) ?? textOf(inline?.data);
  if (!encoded) return null;
  const contentType = textOf(predicted?.mimeType) ?? textOf(inline?.mimeType ?? inline?.mime_type) ?? "audio/mpeg";
  return { body: new Uint8Array(Buffer.from(encoded, "base64")), contentType };
}
