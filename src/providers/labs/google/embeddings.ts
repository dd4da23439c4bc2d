import { partsOfEntry } from "../../../formats/gemini/embedded-contents.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, countOf, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import { embeddingList, inputsOf, textInput } from "../../shared/embeddings.ts";

/** Members of an embeddings call that Google's models take, by the names of calls in OpenAI's format. */
export const SUPPORTED_FIELDS = ["input", "encoding_format", "dimensions", "task_type", "title"];

/** Embeddings by the Gemini API (`:batchEmbedContents`, also for a single text). */
export const geminiEmbeddings: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, SUPPORTED_FIELDS, dropped);
    const wishes = compact({
      taskType: textOf(call.task_type),
      title: textOf(call.title),
      outputDimensionality: numberOf(call.dimensions),
    });
    const requests = inputsOf(call).map((entry) => ({
      model: `models/${model}`,
      content: { parts: partsOfEntry(entry) ?? [{ text: textInput(entry, "Google") }] },
      ...wishes,
    }));
    return { requests };
  },
  decode({ embeddings, usageMetadata }) {
    if (!Array.isArray(embeddings)) return null;
    return embeddingList(
      recordsOf(embeddings).map(({ values }) => values),
      countOf(recordOf(usageMetadata)?.promptTokenCount),
    );
  },
};
