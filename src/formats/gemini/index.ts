import type { DoorCodec, ProviderCodec } from "../codec.ts";
import { decodeReply, GeminiDecoder } from "./decode-reply.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeReply, geminiStreamEncoder } from "./encode-reply.ts";
import { encodeRequest } from "./encode-request.ts";
import { decodeError, encodeError } from "./error.ts";

/** Google's generateContent, as clients speak it with `alt=sse`. */
export const geminiDoor: DoorCodec = {
  dialect: "gemini",
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: geminiStreamEncoder("events"),
  encodeError,
};

/** The same without `alt=sse`: a JSON array, in which blanks keep the connection alive. */
export const geminiArrayDoor: DoorCodec = {
  ...geminiDoor,
  streamType: "application/json",
  ping: "\n",
  streamEncoder: geminiStreamEncoder("array"),
};

/** Google's generateContent, as Gemini and Vertex answer it. */
export const geminiProvider: ProviderCodec = {
  dialect: "gemini",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new GeminiDecoder(newId),
  decodeError,
};
