import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import { recordOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { decodeReply } from "./decode-reply.ts";
import { encodeRequest } from "./encode-request.ts";
import { CohereStreamDecoder } from "./stream-decoder.ts";

/** Cohere's chat v2. Its words are near OpenAI's, so requests are written in these first. */
export const cohereCodec: ProviderCodec = {
  dialect: "cohere",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new CohereStreamDecoder(newId),
  decodeError(status, body) {
    // Where an answer has its message object, an error has a text.
    const answer = recordOf(body);
    if (status < 400 && textOf(answer?.message) !== null) return errorOf(502, answer);
    return errorOf(status, body);
  },
};
