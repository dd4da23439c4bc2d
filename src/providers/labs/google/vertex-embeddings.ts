import { DecodeError } from "../../../formats/conversation/codec.ts";
import { type EmbeddedMedia, embeddedMedia, partsOfEntry } from "../../../formats/gemini/embedded-contents.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, countOf, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { NativeFormat } from "../../contract/chat.ts";
import { embeddingList, inputsOf, textInput } from "../../shared/embeddings.ts";
import { SUPPORTED_FIELDS } from "./embeddings.ts";

const IS_MULTIMODAL = /^multimodalembedding\b/;
/** Google's clients too decide by the name: https://github.com/googleapis/js-genai */
const EMBEDS_ONE_CONTENT = /gemini-(?!embedding-001$)|maas/;

/** The method of a Vertex AI model that embeds. */
export const vertexEmbeddingMethod = (model: string): string =>
  EMBEDS_ONE_CONTENT.test(model) ? "embedContent" : "predict";

/** How a Vertex AI model is asked for embeddings. */
export function vertexEmbeddings(model: string): NativeFormat {
  if (IS_MULTIMODAL.test(model)) return multimodal;
  return EMBEDS_ONE_CONTENT.test(model) ? oneContent : texts;
}

const wishesOf = (call: JsonObject) => ({ taskType: textOf(call.task_type), title: textOf(call.title) });

/** Text models (`:predict`), which report the tokens of each text. */
const texts: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, SUPPORTED_FIELDS, dropped);
    const { taskType: task_type, title } = wishesOf(call);
    const outputDimensionality = numberOf(call.dimensions);
    return {
      instances: inputsOf(call).map((entry) => compact({ content: onlyText(entry), task_type, title })),
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

/** Gemini's models since the second (`:embedContent`): one content a call, with any media. */
const oneContent: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, SUPPORTED_FIELDS, dropped);
    const [entry, ...others] = inputsOf(call);
    if (others.length > 0) throw new DecodeError("This model embeds one content a call on Vertex AI.", "input");
    const embedContentConfig = compact({ ...wishesOf(call), outputDimensionality: numberOf(call.dimensions) });
    return {
      content: { parts: partsOfEntry(entry) ?? [{ text: textInput(entry, "Google") }] },
      ...(Object.keys(embedContentConfig).length > 0 && { embedContentConfig }),
    };
  },
  decode({ embedding, usageMetadata }) {
    const values = recordOf(embedding)?.values;
    return Array.isArray(values) ? embeddingList([values], countOf(recordOf(usageMetadata)?.promptTokenCount)) : null;
  },
};

/**
 * The API embeds a video by intervals and has one vector for each, while a content has one embedding. An interval as long as
 * the longest part that it reads of a video makes one.
 */
const ONE_INTERVAL = { startOffsetSec: 0, endOffsetSec: 120, intervalSec: 120 };

/**
 * multimodalembedding (`:predict`), which embeds a text, an image or a video:
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/multimodal-embeddings-api. Responses report no usage:
 * text is billed by the character, images by number, videos by their seconds, which the response shows.
 */
const multimodal: NativeFormat = {
  encode(call, _model, dropped) {
    const dimension = numberOf(call.dimensions);
    recordDropped(call, ["input", "encoding_format", "dimensions"], dropped);
    const instances = inputsOf(call).map(instanceOf);
    return { instances, ...(dimension !== null && { parameters: { dimension } }) };
  },
  decode({ predictions }, call) {
    if (!Array.isArray(predictions)) return null;
    const made = recordsOf(predictions).map(readPrediction);
    const written = inputsOf(call).flatMap((entry) => partsOfEntry(entry)?.map(({ text }) => textOf(text)) ?? [entry]);
    return embeddingList(
      made.map(({ values }) => values),
      {
        tokens: written.reduce<number>((sum, text) => sum + (typeof text === "string" ? [...text].length : 0), 0),
        media: {
          embedded_image: made.filter(({ kind }) => kind === "image").length,
          embedded_video_second: made.reduce((sum, { seconds }) => sum + seconds, 0),
        },
      },
    );
  },
};

/** A content as an instance. Throws DecodeError for several parts, which would have a vector each, and for other media. */
function instanceOf(entry: unknown): JsonObject {
  const parts = partsOfEntry(entry);
  if (!parts) return { text: textInput(entry, "Google") };
  const [part = {}, ...others] = parts;
  const media = embeddedMedia(part);
  if (others.length > 0)
    throw new DecodeError("This model embeds one text, one image or one video at a time.", "content.parts");
  if (media?.mimeType.startsWith("image/")) return { image: { ...sourceOf(media), mimeType: media.mimeType } };
  if (media?.mimeType.startsWith("video/")) return { video: { ...sourceOf(media), videoSegmentConfig: ONE_INTERVAL } };
  throw new DecodeError("This model embeds texts, images and videos.", "content.parts");
}

/** Throws DecodeError for a file that is not in Cloud Storage. */
function sourceOf(media: EmbeddedMedia): JsonObject {
  if ("data" in media) return { bytesBase64Encoded: media.data };
  if (media.uri.startsWith("gs://")) return { gcsUri: media.uri };
  throw new DecodeError("This model reads files inside the request or from Cloud Storage (gs://).", "content.parts");
}

type Made = Readonly<{ kind: "text" | "image" | "video"; values: unknown; seconds: number }>;

function readPrediction({ textEmbedding, imageEmbedding, videoEmbeddings }: JsonObject): Made {
  if (imageEmbedding !== undefined) return { kind: "image", values: imageEmbedding, seconds: 0 };
  const segments = recordsOf(videoEmbeddings);
  const [first] = segments;
  if (!first) return { kind: "text", values: textEmbedding, seconds: 0 };
  const seconds = segments.reduce(
    (sum, { startOffsetSec, endOffsetSec }) =>
      sum + Math.max(0, (numberOf(endOffsetSec) ?? 0) - (numberOf(startOffsetSec) ?? 0)),
    0,
  );
  return { kind: "video", values: first.embedding, seconds: Math.ceil(seconds) };
}

/** Throws DecodeError for media and token ids. */
function onlyText(entry: unknown): string {
  if (partsOfEntry(entry)) throw new DecodeError("This model embeds only text.", "content.parts");
  return textInput(entry, "Google");
}
