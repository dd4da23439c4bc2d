import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { decodeReply, OllamaStreamDecoder } from "./decode.ts";
import { encodeRequest } from "./encode-request.ts";

/** Ollama's own chat. Its stream is newline-delimited JSON: each line is an event's data. */
export const ollamaCodec: ProviderCodec = {
  dialect: "ollama",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new OllamaStreamDecoder(newId),
  decodeError: errorOf,
};
