import type { ProviderCodec } from "../../../../formats/conversation/codec.ts";
import { recordOf, textOf } from "../../../../formats/json.ts";
import { errorOf } from "../../../../formats/openai-chat/errors/decode-error.ts";
import { ConverseStreamDecoder, decodeReply } from "./decode.ts";
import { encodeRequest } from "./encode-request.ts";

/** Bedrock's Converse API: one format for models of every family. */
export const converseCodec: ProviderCodec = {
  dialect: "converse",
  encodeRequest,
  decodeReply,
  streamDecoder: () => new ConverseStreamDecoder(),
  decodeError(status, body) {
    // Errors have only a message, in either casing.
    const answer = recordOf(body);
    const message = textOf(answer?.message) ?? textOf(answer?.Message);
    if (message !== null && !answer?.output) return errorOf(status < 400 ? 502 : status, { message });
    return errorOf(status, body);
  },
};
