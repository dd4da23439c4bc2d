import type { DoorCodec, ProviderCodec } from "../codec.ts";
import { decodeReply } from "./decode-reply.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeReply } from "./encode-reply.ts";
import { encodeRequest } from "./encode-request.ts";
import { decodeError, encodeError } from "./error.ts";
import { MessagesStreamDecoder } from "./stream-decoder.ts";
import { MessagesStreamEncoder } from "./stream-encoder.ts";

/** Anthropic's Messages, as clients speak them. */
export const anthropicDoor: DoorCodec = {
  dialect: "anthropic",
  streamType: "text/event-stream; charset=utf-8",
  ping: 'event: ping\ndata: {"type": "ping"}\n\n',
  decodeRequest,
  encodeReply,
  streamEncoder: (context) => new MessagesStreamEncoder(context),
  encodeError,
};

/** Anthropic's Messages, as Anthropic, Bedrock and Vertex answer them. */
export const anthropicProvider: ProviderCodec = {
  dialect: "anthropic",
  encodeRequest,
  decodeReply,
  streamDecoder: () => new MessagesStreamDecoder(),
  decodeError,
};
