import type { ClientCodec, ProviderCodec } from "../conversation/codec.ts";
import { decodeError, encodeError } from "./error.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeRequest } from "./request/encode-request.ts";
import { decodeReply, encodeReply } from "./response/reply.ts";
import { MessagesStreamDecoder } from "./response/stream-decoder.ts";
import { MessagesStreamEncoder } from "./response/stream-encoder.ts";

/** The client side of Anthropic's Messages API. */
export const anthropicClientCodec: ClientCodec = {
  dialect: "anthropic",
  streamType: "text/event-stream; charset=utf-8",
  ping: 'event: ping\ndata: {"type": "ping"}\n\n',
  decodeRequest,
  encodeReply,
  streamEncoder: (context) => new MessagesStreamEncoder(context),
  encodeError,
};

/** The provider side of Anthropic's Messages API, as Anthropic, Bedrock and Vertex respond. */
export const anthropicCodec: ProviderCodec = {
  dialect: "anthropic",
  encodeRequest,
  decodeReply,
  streamDecoder: () => new MessagesStreamDecoder(),
  decodeError,
};
