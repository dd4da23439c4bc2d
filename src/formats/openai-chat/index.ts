import type { ClientCodec, ProviderCodec } from "../conversation/codec.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { JsonObject } from "../json.ts";
import { errorOf } from "./errors.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeRequest, messagesOf } from "./request/encode-request.ts";
import { decodeReply, encodeReply } from "./response/reply.ts";
import { ChatStreamDecoder } from "./response/stream-decoder.ts";
import { chatStreamEncoder, errorBody } from "./response/stream-encoder.ts";

/** The client side of OpenAI's Chat Completions API. */
export const openaiChatClientCodec: ClientCodec = {
  dialect: "openai-chat",
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: chatStreamEncoder,
  encodeError: errorBody,
};

/** The provider side of OpenAI's Chat Completions API, as OpenAI and most other services respond. */
export const openaiChatCodec: ProviderCodec = {
  dialect: "openai-chat",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new ChatStreamDecoder(newId),
  decodeError: errorOf,
};

/** A chat of any format as OpenAI messages and tools: token counts, the word filter and the content log use these. */
export const promptAsChat = (conversation: Conversation): JsonObject => ({
  messages: messagesOf(conversation, new Set()),
  tools: conversation.tools.map((tool) => (tool.type === "hosted" ? tool.value : { function: tool })),
});
