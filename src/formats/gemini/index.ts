import type { ClientCodec, ProviderCodec } from "../conversation/codec.ts";
import { decodeError, encodeError } from "./error.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeRequest } from "./request/encode-request.ts";
import { decodeReply, GeminiDecoder } from "./response/decode-reply.ts";
import { encodeReply, geminiStreamEncoder } from "./response/encode-reply.ts";

/** The client side of Google's generateContent with `alt=sse`. */
export const geminiClientCodec: ClientCodec = {
  dialect: "gemini",
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: geminiStreamEncoder("events"),
  encodeError,
};

/** The same without `alt=sse`: a JSON array, in which whitespace keeps the connection open. */
export const geminiArrayClientCodec: ClientCodec = {
  ...geminiClientCodec,
  streamType: "application/json",
  ping: "\n",
  streamEncoder: geminiStreamEncoder("array"),
};

/** The provider side of Google's generateContent, as Gemini and Vertex respond. */
export const geminiCodec: ProviderCodec = {
  dialect: "gemini",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new GeminiDecoder(newId),
  decodeError,
};
