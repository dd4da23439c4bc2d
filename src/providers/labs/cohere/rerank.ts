import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { recordOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/native-format.ts";

/** Rerank in Cohere's v2 API: documents are texts, and responses never contain them. */
export const cohereRerank: NativeFormat = {
  encode(call, model, dropped) {
    // If the client wants documents back, they come from the request.
    recordDropped(call, ["query", "documents", "top_n", "max_tokens_per_doc", "return_documents"], dropped);
    const { query, top_n, max_tokens_per_doc } = call;
    const documents = Array.isArray(call.documents) ? call.documents.map(textOfDocument) : [];
    return compact({ model, query, documents, top_n, max_tokens_per_doc });
  },
  decode: (answer) => (Array.isArray(answer.results) ? answer : null),
};

/** A document with fields other than a text is sent as JSON. */
const textOfDocument = (document: unknown): string =>
  textOf(document) ?? textOf(recordOf(document)?.text) ?? JSON.stringify(document);
