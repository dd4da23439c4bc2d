import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { recordOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/native-format.ts";

/** Rankings in Cohere's second version: documents are texts, and its answers never hold them. */
export const cohereRankings: NativeFormat = {
  encode(call, model, dropped) {
    // Documents that are wanted back come from the request.
    recordDropped(call, ["query", "documents", "top_n", "max_tokens_per_doc", "return_documents"], dropped);
    const { query, top_n, max_tokens_per_doc } = call;
    const documents = Array.isArray(call.documents) ? call.documents.map(textOfDocument) : [];
    return compact({ model, query, documents, top_n, max_tokens_per_doc });
  },
  decode: (answer) => (Array.isArray(answer.results) ? answer : null),
};

/** A document of other fields than a text is read as JSON. */
const textOfDocument = (document: unknown): string =>
  textOf(document) ?? textOf(recordOf(document)?.text) ?? JSON.stringify(document);
