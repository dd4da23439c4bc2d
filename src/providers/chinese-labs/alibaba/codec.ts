import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import { recordOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { DashScopeStreamDecoder, decodeReply } from "./decode.ts";
import { encodeRequest } from "./encode-request.ts";

/** DashScope's own generation API (text and multimodal). */
export const dashscopeCodec: ProviderCodec = {
  dialect: "dashscope",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new DashScopeStreamDecoder(newId),
  decodeError(status, body) {
    const answer = recordOf(body);
    // Errors inside a stream also have the shape {code, message, request_id}.
    const failed = answer && !answer.output && textOf(answer.code) && textOf(answer.message) !== null;
    if (!failed) return errorOf(status, body);
    const { code, message } = answer;
    return errorOf(status < 400 ? 502 : status, { error: { type: "upstream_error", code, message } });
  },
};
