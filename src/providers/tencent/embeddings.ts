import { hunyuanProvider } from "../../dialects/hunyuan/index.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../dialects/json.ts";
import { noteUnsaid } from "../../dialects/unsaid.ts";
import type { OwnFormat } from "../own-format.ts";

const responseOf = (answer: JsonObject): JsonObject => recordOf(answer.Response) ?? {};

/** Vectors by Hunyuan's own API (GetEmbedding), which answers failures with status 200. */
export const hunyuanEmbeddings: OwnFormat = {
  encode(call, _model, dropped) {
    noteUnsaid(call, ["input", "encoding_format"], dropped);
    return { InputList: Array.isArray(call.input) ? call.input : [call.input] };
  },
  decode(answer) {
    const { Data, Usage } = responseOf(answer);
    if (!Array.isArray(Data)) return null;
    const data = recordsOf(Data).map(({ Embedding, Index }) => ({
      object: "embedding",
      index: Index,
      embedding: Embedding,
    }));
    const usage = recordOf(Usage);
    const prompt_tokens = numberOf(usage?.PromptTokens) ?? numberOf(usage?.TotalTokens);
    return {
      object: "list",
      data,
      ...(prompt_tokens !== null && { usage: { prompt_tokens, total_tokens: prompt_tokens } }),
    };
  },
  failure(answer) {
    if (!recordOf(responseOf(answer).Error)) return null;
    const error = hunyuanProvider.decodeError(200, answer);
    return error && { message: error.message, code: textOf(error.code) ?? "", status: error.status };
  },
};
