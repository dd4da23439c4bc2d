import type { ClientCodec, ProviderCodec } from "../conversation/codec.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { JsonObject } from "../json.ts";
import { errorOf } from "./errors/decode-error.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeRequest, messagesOf } from "./request/encode-request.ts";
import { decodeReply } from "./response/decode-reply.ts";
import { encodeReply } from "./response/encode-reply.ts";
import { ChatStreamDecoder } from "./response/stream-decoder.ts";
import { chatStreamEncoder, errorBody } from "./response/stream-encoder.ts";

/** OpenAI's chat completions, as clients speak them. */
export const openaiChatClientCodec: ClientCodec = {
  dialect: "openai-chat",
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: chatStreamEncoder,
  encodeError: errorBody,
};

/** OpenAI's chat completions, as OpenAI and most others answer them. */
export const openaiChatCodec: ProviderCodec = {
  dialect: "openai-chat",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new ChatStreamDecoder(newId),
  decodeError: errorOf,
};

/** A chat of any format as messages and tools of OpenAI's shape: by these it is counted, checked and logged. */
export const promptAsChat = (conversation: Conversation): JsonObject => ({
  messages: messagesOf(conversation, new Set()),
  tools: conversation.tools.map((tool) => (tool.type === "hosted" ? tool.value : { function: tool })),
});
