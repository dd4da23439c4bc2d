import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/native-format.ts";
import { embeddingList, inputsOf } from "../../shared/embeddings.ts";
import { hunyuanCodec } from "./codec.ts";

const responseOf = (answer: JsonObject): JsonObject => recordOf(answer.Response) ?? {};

/** Embeddings by Hunyuan's own API (GetEmbedding), which reports failures with status 200. */
export const hunyuanEmbeddings: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, ["input", "encoding_format"], dropped);
    return { InputList: inputsOf(call) };
  },
  decode(answer) {
    const { Data, Usage } = responseOf(answer);
    if (!Array.isArray(Data)) return null;
    const ordered = recordsOf(Data).toSorted((one, other) => Number(one.Index) - Number(other.Index));
    const usage = recordOf(Usage);
    return embeddingList(
      ordered.map(({ Embedding }) => Embedding),
      numberOf(usage?.PromptTokens) ?? numberOf(usage?.TotalTokens),
    );
  },
  failure(answer) {
    if (!recordOf(responseOf(answer).Error)) return null;
    const error = hunyuanCodec.decodeError(200, answer);
    return error && { message: error.message, code: textOf(error.code) ?? "", status: error.status };
  },
};
