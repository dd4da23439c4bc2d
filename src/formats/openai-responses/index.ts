import type { DoorCodec, ProviderCodec } from "../codec.ts";
import { errorBody } from "../openai-chat/stream-encoder.ts";
import { decodeReply } from "./decode-reply.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeReply } from "./encode-reply.ts";
import { encodeRequest } from "./encode-request.ts";
import { decodeError } from "./error.ts";
import { ResponsesStreamDecoder } from "./stream-decoder.ts";
import { ResponsesStreamEncoder } from "./stream-encoder.ts";

/** OpenAI's Responses, as clients speak them. */
export const openaiResponsesDoor: DoorCodec = {
  dialect: "openai-responses",
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: (context, request) => new ResponsesStreamEncoder(context, request),
  encodeError: errorBody,
};

/** OpenAI's Responses, as OpenAI, Azure and a few others answer them. */
export const openaiResponsesProvider: ProviderCodec = {
  dialect: "openai-responses",
  encodeRequest,
  decodeReply,
  streamDecoder: () => new ResponsesStreamDecoder(),
  decodeError,
};
