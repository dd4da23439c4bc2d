import { compact } from "../../formats/compact.ts";
import { ernieProvider } from "../../formats/ernie/index.ts";
import { textOf } from "../../formats/json.ts";
import { noteUnsaid } from "../../formats/unsaid.ts";
import { inputsOf } from "../embeddings-answer.ts";
import type { OwnFormat } from "../own-format.ts";

/** Vectors by Qianfan's first API: OpenAI's answers, but failures with status 200. */
export const qianfanEmbeddings: OwnFormat = {
  encode(call, _model, dropped) {
    noteUnsaid(call, ["input", "user", "encoding_format"], dropped);
    return compact({ input: inputsOf(call), user_id: textOf(call.user) });
  },
  decode: (answer) => (Array.isArray(answer.data) ? answer : null),
  failure(answer) {
    if (typeof answer.error_code !== "number") return null;
    const error = ernieProvider.decodeError(200, answer);
    return error && { message: error.message, code: textOf(error.code) ?? "", status: error.status };
  },
};
