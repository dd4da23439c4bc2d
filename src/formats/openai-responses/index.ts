import type { ClientCodec, ProviderCodec } from "../conversation/codec.ts";
import { errorBody } from "../openai-chat/response/stream-encoder.ts";
import { decodeError } from "./error.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeRequest } from "./request/encode-request.ts";
import { decodeReply, encodeReply } from "./response/reply.ts";
import { ResponsesStreamDecoder } from "./response/stream-decoder.ts";
import { ResponsesStreamEncoder } from "./response/stream-encoder.ts";

/** The client side of OpenAI's Responses API. */
export const openaiResponsesClientCodec: ClientCodec = {
  dialect: "openai-responses",
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: (context, request) => new ResponsesStreamEncoder(context, request),
  encodeError: errorBody,
  overflowsInStream: true,
};

/** The provider side of OpenAI's Responses API, as OpenAI, Azure and a few others respond. */
export const openaiResponsesCodec: ProviderCodec = {
  dialect: "openai-responses",
  encodeRequest,
  decodeReply,
  streamDecoder: () => new ResponsesStreamDecoder(),
  decodeError,
};
