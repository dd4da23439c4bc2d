import { DecodeError } from "../../../formats/conversation/codec.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, countOf, type JsonObject, recordsOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import { cohereEmbed } from "../../labs/cohere/cohere.ts";
import { dimensionsOf, embeddingList, inputsOf, searchSideOf, textInput } from "../../shared/embeddings.ts";

const SERVICE = "AWS Bedrock";

/** The only text of a call to a model that embeds one at a time. Throws DecodeError for several. */
function onlyText(call: JsonObject): string {
  const [entry, ...others] = inputsOf(call);
  if (others.length > 0) throw new DecodeError("This model of AWS Bedrock embeds one text per request.", "input");
  return textInput(entry, SERVICE);
}

/** Titan: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
const titan: NativeFormat = {
  encode(call, model, dropped) {
    const isFirst = model.includes("titan-embed-text-v1");
    recordDropped(call, ["input", "encoding_format", ...(isFirst ? [] : ["dimensions", "normalize"])], dropped);
    const options = isFirst ? {} : { dimensions: dimensionsOf(call), normalize: call.normalize };
    return compact({ inputText: onlyText(call), ...options });
  },
  decode: ({ embedding, inputTextTokenCount }) =>
    Array.isArray(embedding) ? embeddingList([embedding], countOf(inputTextTokenCount)) : null,
};

/** Cohere's own bodies without the model, which is part of the URL. */
const cohere: NativeFormat = {
  ...cohereEmbed,
  encode: (call, model, dropped, files) => ({ ...cohereEmbed.encode(call, model, dropped, files), model: undefined }),
};

/** Nova: https://docs.aws.amazon.com/nova/latest/userguide/embeddings-schema.html */
const nova: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, ["input", "encoding_format", "dimensions", "task_type", "embedding_purpose"], dropped);
    const purpose = searchSideOf(call) === "query" ? "GENERIC_RETRIEVAL" : "GENERIC_INDEX";
    return {
      schemaVersion: "nova-multimodal-embed-v1",
      taskType: "SINGLE_EMBEDDING",
      singleEmbeddingParams: compact({
        embeddingPurpose: textOf(call.embedding_purpose) ?? purpose,
        embeddingDimension: dimensionsOf(call),
        text: { truncationMode: "END", value: onlyText(call) },
      }),
    };
  },
  decode({ embeddings }) {
    const made = recordsOf(embeddings).map(({ embedding }) => embedding);
    return made.length > 0 ? embeddingList(made, null) : null;
  },
};

/** Ids may begin with the inference profile's region. */
const FORMATS: readonly (readonly [models: RegExp, format: NativeFormat])[] = [
  [/(^|\.)amazon\.titan-embed-text/, titan],
  [/(^|\.)cohere\.embed-/, cohere],
  [/(^|\.)amazon\.nova-.*-embeddings/, nova],
];

/** The format of an embedding model's bodies in InvokeModel; null: the model embeds nothing. */
export const bedrockEmbeddings = (model: string): NativeFormat | null =>
  FORMATS.find(([models]) => models.test(model))?.[1] ?? null;
