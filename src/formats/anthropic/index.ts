import type { ClientCodec, ProviderCodec } from "../conversation/codec.ts";
import { decodeError, encodeError } from "./error.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeRequest } from "./request/encode-request.ts";
import { decodeReply } from "./response/decode-reply.ts";
import { encodeReply } from "./response/encode-reply.ts";
import { MessagesStreamDecoder } from "./response/stream-decoder.ts";
import { MessagesStreamEncoder } from "./response/stream-encoder.ts";

/** Anthropic's Messages, as clients speak them. */
export const anthropicClientCodec: ClientCodec = {
  dialect: "anthropic",
  streamType: "text/event-stream; charset=utf-8",
  ping: 'event: ping\ndata: {"type": "ping"}\n\n',
  decodeRequest,
  encodeReply,
  streamEncoder: (context) => new MessagesStreamEncoder(context),
  encodeError,
};

/** Anthropic's Messages, as Anthropic, Bedrock and Vertex answer them. */
export const anthropicCodec: ProviderCodec = {
  dialect: "anthropic",
  encodeRequest,
  decodeReply,
  streamDecoder: () => new MessagesStreamDecoder(),
  decodeError,
};
