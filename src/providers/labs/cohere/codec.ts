import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import { recordOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { decodeReply } from "./decode-reply.ts";
import { encodeRequest } from "./encode-request.ts";
import { CohereStreamDecoder } from "./stream-decoder.ts";

/** Cohere's chat v2. It resembles OpenAI's chat, so requests are encoded in that format first. */
export const cohereCodec: ProviderCodec = {
  dialect: "cohere",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new CohereStreamDecoder(newId),
  decodeError(status, body) {
    // In an error, `message` is a text rather than an object.
    const answer = recordOf(body);
    if (status < 400 && textOf(answer?.message) !== null) return errorOf(502, answer);
    return errorOf(status, body);
  },
};
