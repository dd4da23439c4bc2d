import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/native-format.ts";

/** Rerank in DashScope's own format. */
export const dashscopeRerank: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["query", "documents", "top_n", "return_documents"], dropped);
    const documents = Array.isArray(call.documents) ? call.documents : [];
    const texts = documents.map((document) => textOf(document) ?? textOf(recordOf(document)?.text) ?? "");
    const parameters = compact({ top_n: numberOf(call.top_n), return_documents: call.return_documents });
    return { model, input: { query: call.query, documents: texts }, parameters };
  },
  decode({ output, usage }) {
    const { results } = recordOf(output) ?? {};
    if (!Array.isArray(results)) return null;
    const total = numberOf(recordOf(usage)?.total_tokens);
    return {
      object: "list",
      results: recordsOf(results),
      ...(total !== null && { usage: { total_tokens: total } }),
    };
  },
};
