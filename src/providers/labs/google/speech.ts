import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { countOf, type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { Content, NativeFormat } from "../../contract/chat.ts";
import { OPENAI_VOICES } from "../../shared/openai-voices.ts";

const SUPPORTED_FIELDS = ["input", "voice", "instructions", "response_format"];
const DEFAULT_VOICE = "Kore";
const FORMATS: ReadonlySet<unknown> = new Set(["wav", "pcm"]);

const DEFAULT_RATE_HZ = 24_000;
const BYTES_PER_SAMPLE = 2;
const WAV_HEADER_BYTES = 44;

/** Speech by Gemini's TTS models (`:generateContent`), which return raw samples: one channel, 16 bits. */
export const googleSpeech: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, SUPPORTED_FIELDS, dropped);
    // For an absent or unsupported format the response is WAV.
    if (call.response_format != null && !FORMATS.has(call.response_format)) dropped.add("response_format");
    const voice = textOf(call.voice) ?? textOf(recordOf(call.voice)?.id) ?? "";
    const isForeign = OPENAI_VOICES.test(voice);
    if (isForeign) dropped.add("voice");
    const manner = textOf(call.instructions);
    const text = textOf(call.input) ?? "";
    return {
      contents: [{ role: "user", parts: [{ text: manner ? `${manner}:\n${text}` : text }] }],
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: {
          voiceConfig: { prebuiltVoiceConfig: { voiceName: isForeign || voice === "" ? DEFAULT_VOICE : voice } },
        },
      },
    };
  },
  decode: (answer) => (samplesOf(answer) ? { usage: usageOf(recordOf(answer.usageMetadata)) } : null),
  content(answer, call): Content | null {
    const samples = samplesOf(answer);
    if (!samples) return null;
    if (call.response_format === "pcm") return { body: samples.bytes, contentType: "audio/pcm" };
    return { body: wavOf(samples.bytes, samples.rateHz), contentType: "audio/wav" };
  },
  failure(answer) {
    const blocked = textOf(recordOf(answer.promptFeedback)?.blockReason);
    if (blocked) return { message: blocked, code: "content_policy_violation", status: 400 };
    const ended = recordsOf(answer.candidates).flatMap(({ finishReason }) => textOf(finishReason) ?? [])[0];
    if (!ended || samplesOf(answer)) return null;
    return { message: `The model ended without sound: ${ended}.`, code: "no_audio", status: 502 };
  },
};

/** All samples of a response and their rate; null if there are none. */
function samplesOf(answer: JsonObject): Readonly<{ bytes: Uint8Array<ArrayBuffer>; rateHz: number }> | null {
  const parts = recordsOf(answer.candidates).flatMap(({ content }) => recordsOf(recordOf(content)?.parts));
  const clips = parts.map(({ inlineData }) => recordOf(inlineData)).filter((clip) => clip !== null);
  const bytes = new Uint8Array(Buffer.concat(clips.map(({ data }) => Buffer.from(textOf(data) ?? "", "base64"))));
  if (bytes.length === 0) return null;
  const rate = /\brate=(\d+)/.exec(textOf(clips[0]?.mimeType) ?? "")?.[1];
  return { bytes, rateHz: rate ? Number(rate) : DEFAULT_RATE_HZ };
}

/** Writes samples as a WAV file. */
function wavOf(samples: Uint8Array<ArrayBuffer>, rateHz: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(WAV_HEADER_BYTES + samples.length);
  const header = new DataView(file.buffer);
  const word = (at: number, text: string) => file.set(Buffer.from(text, "latin1"), at);
  word(0, "RIFF");
  header.setUint32(4, file.length - 8, true);
  word(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, rateHz, true);
  header.setUint32(28, rateHz * BYTES_PER_SAMPLE, true);
  header.setUint16(32, BYTES_PER_SAMPLE, true);
  header.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  word(36, "data");
  header.setUint32(40, samples.length, true);
  file.set(samples, WAV_HEADER_BYTES);
  return file;
}

/** All output is audio, whatever modality the response reports. */
function usageOf(metadata: JsonObject | null): JsonObject | undefined {
  const input = countOf(metadata?.promptTokenCount);
  if (!metadata || input === null) return undefined;
  const output = countOf(metadata.candidatesTokenCount) ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    output_tokens_details: { audio_tokens: output },
  };
}
