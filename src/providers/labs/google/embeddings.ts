import { DecodeError } from "../../../formats/conversation/codec.ts";
import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { partsOfEntry } from "../../../formats/gemini/embedded-contents.ts";
import { compact, countOf, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import { embeddingList, inputsOf } from "../../shared/embeddings.ts";

const SUPPORTED_FIELDS = ["input", "encoding_format", "dimensions", "task_type", "title"];

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
      content: { parts: partsOfEntry(entry) ?? [{ text: textOfEntry(entry) }] },
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

/** Embeddings by Vertex AI's text models (`:predict`), which report the tokens of each text. */
export const vertexEmbeddings: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, SUPPORTED_FIELDS, dropped);
    const wishes = compact({ task_type: textOf(call.task_type), title: textOf(call.title) });
    const outputDimensionality = numberOf(call.dimensions);
    return {
      instances: textsOf(call).map((content) => ({ content, ...wishes })),
      ...(outputDimensionality !== null && { parameters: { outputDimensionality } }),
    };
  },
  decode({ predictions }) {
    if (!Array.isArray(predictions)) return null;
    const made = recordsOf(predictions).map(({ embeddings }) => recordOf(embeddings));
    const counts = made.flatMap((embeddings) => countOf(recordOf(embeddings?.statistics)?.token_count) ?? []);
    const isComplete = counts.length > 0 && counts.length === made.length;
    return embeddingList(
      made.map((embeddings) => embeddings?.values),
      isComplete ? counts.reduce((sum, count) => sum + count, 0) : null,
    );
  },
};

const textsOf = (call: JsonObject): string[] => inputsOf(call).map(textOfEntry);

/** Throws DecodeError for token ids, which belong to OpenAI's tokenizers. */
function textOfEntry(entry: unknown): string {
  if (typeof entry === "string") return entry;
  throw new DecodeError("Google's models take “input” as a text or a list of texts, not as tokens.", "input");
}
