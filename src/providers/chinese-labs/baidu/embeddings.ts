import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/native-format.ts";
import { inputsOf } from "../../shared/embeddings.ts";
import { ernieCodec } from "./ernie-codec.ts";

/** Embeddings by Qianfan's v1 API: OpenAI's responses, but failures have status 200. */
export const qianfanEmbeddings: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, ["input", "user", "encoding_format"], dropped);
    return compact({ input: inputsOf(call), user_id: textOf(call.user) });
  },
  decode: (answer) => (Array.isArray(answer.data) ? answer : null),
  failure(answer) {
    if (typeof answer.error_code !== "number") return null;
    const error = ernieCodec.decodeError(200, answer);
    return error && { message: error.message, code: textOf(error.code) ?? "", status: error.status };
  },
};
