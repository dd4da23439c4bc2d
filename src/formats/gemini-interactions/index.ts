import type { ClientCodec, ProviderCodec } from "../conversation/codec.ts";
import { decodeError, encodeError } from "./error.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeRequest } from "./request/encode-request.ts";
import { decodeReply, encodeReply } from "./response/reply.ts";
import { InteractionsStreamDecoder } from "./response/stream-decoder.ts";
import { InteractionsStreamEncoder } from "./response/stream-encoder.ts";
import { INTERACTIONS } from "./steps.ts";

/** The client side of Google's Interactions API: https://ai.google.dev/gemini-api/docs/interactions */
export const interactionsClientCodec: ClientCodec = {
  dialect: INTERACTIONS,
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: (context, request) => new InteractionsStreamEncoder(context, request),
  encodeError,
};

/** The provider side of the Interactions API, as the Gemini API responds. */
export const interactionsCodec: ProviderCodec = {
  dialect: INTERACTIONS,
  encodeRequest,
  decodeReply,
  streamDecoder: () => new InteractionsStreamDecoder(),
  decodeError,
};
