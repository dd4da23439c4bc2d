import type { DoorCodec, ProviderCodec } from "../codec.ts";
import type { Conversation } from "../conversation.ts";
import type { JsonObject } from "../json.ts";
import { errorOf } from "./decode-error.ts";
import { decodeReply } from "./decode-reply.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeReply } from "./encode-reply.ts";
import { encodeRequest, messagesOf } from "./encode-request.ts";
import { ChatStreamDecoder } from "./stream-decoder.ts";
import { chatStreamEncoder, errorBody } from "./stream-encoder.ts";

/** OpenAI's chat completions, as clients speak them. */
export const openaiChatDoor: DoorCodec = {
  dialect: "openai-chat",
  streamType: "text/event-stream; charset=utf-8",
  ping: ": PING\n\n",
  decodeRequest,
  encodeReply,
  streamEncoder: chatStreamEncoder,
  encodeError: errorBody,
};

/** OpenAI's chat completions, as OpenAI and most others answer them. */
export const openaiChatProvider: ProviderCodec = {
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
