import type { ClientCodec, ProviderCodec } from "../conversation/codec.ts";
import { errorBody } from "../openai-chat/response/stream-encoder.ts";
import { decodeError } from "./error.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeRequest } from "./request/encode-request.ts";
import { decodeReply } from "./response/decode-reply.ts";
import { encodeReply } from "./response/encode-reply.ts";
import { ResponsesStreamDecoder } from "./response/stream-decoder.ts";
import { ResponsesStreamEncoder } from "./response/stream-encoder.ts";

/** OpenAI's Responses, as clients speak them. */
export const openaiResponsesClientCodec: ClientCodec = {
  dialect: "openai-responses",
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: (context, request) => new ResponsesStreamEncoder(context, request),
  encodeError: errorBody,
};

/** OpenAI's Responses, as OpenAI, Azure and a few others answer them. */
export const openaiResponsesCodec: ProviderCodec = {
  dialect: "openai-responses",
  encodeRequest,
  decodeReply,
  streamDecoder: () => new ResponsesStreamDecoder(),
  decodeError,
};
