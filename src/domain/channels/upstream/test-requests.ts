import type { JsonObject } from "../../../formats/json.ts";
import type { FormFile } from "../../../providers/contract/chat.ts";
import type { ModelKind } from "./model-kind.ts";

/** The smallest request of each kind but chats and videos, in OpenAI's format. */
const REQUESTS: Readonly<Record<Exclude<ModelKind, "chat" | "video">, JsonObject>> = {
  embeddings: { input: ["hello world"] },
  rerank: { query: "hello", documents: ["hello world", "good night"] },
  moderations: { input: "hello world" },
  images: { prompt: "A red circle on white", n: 1 },
  speech: { input: "hi", voice: "alloy" },
  songs: { prompt: "A short calm piano tune" },
  transcriptions: { response_format: "json" },
};

/** The request that a test sends to a model that is no chat and makes no videos. */
export const testRequest = (kind: Exclude<ModelKind, "chat" | "video">, model: string): JsonObject => ({
  ...REQUESTS[kind],
  model,
});

const SAMPLE_RATE = 16_000;
const SECONDS = 1;
const WAV_HEADER_BYTES = 44;

/** A second of a quiet tone as a WAV file (16 kHz, 16 bits, mono), for transcriptions. */
export function testAudio(): FormFile {
  const samples = SAMPLE_RATE * SECONDS;
  const bytes = new Uint8Array(WAV_HEADER_BYTES + samples * 2);
  const view = new DataView(bytes.buffer);
  const write = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  write(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, SAMPLE_RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, "data");
  view.setUint32(40, samples * 2, true);
  for (let at = 0; at < samples; at += 1) {
    view.setInt16(
      WAV_HEADER_BYTES + at * 2,
      Math.round(1_000 * Math.sin((2 * Math.PI * 440 * at) / SAMPLE_RATE)),
      true,
    );
  }
  return { name: "file", bytes, type: "audio/wav" };
}
