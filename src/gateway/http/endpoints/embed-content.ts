import { DecodeError } from "../../../formats/conversation/codec.ts";
import { embeddedContent } from "../../../formats/gemini/embedded-contents.ts";
import { geminiClientCodec } from "../../../formats/gemini/index.ts";
import { geminiRules } from "../../../formats/gemini/request/request-rules.ts";
import {
  compact,
  countOf,
  type JsonObject,
  numberOf,
  parseJson,
  recordOf,
  recordsOf,
  textOf,
} from "../../../formats/json.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import { embeddings } from "./embeddings.ts";
import type { Endpoint } from "./endpoint.ts";

/** POST …/models/{model}:embedContent, one content: https://ai.google.dev/api/embeddings */
export const embedContent: Endpoint = {
  ...googleEmbeddings(
    (body) => [body],
    ([embedding]) => ({ embedding }),
  ),
};

/** POST …/models/{model}:batchEmbedContents, which Google's own clients call for any number of contents. */
export const batchEmbedContents: Endpoint = {
  ...googleEmbeddings(
    ({ requests }) => requestList(requests),
    (list) => ({ embeddings: list }),
  ),
};

/** Google's embeddings request as an OpenAI request, with the options that only Google's models have. */
function googleEmbeddings(
  requestsOf: (body: JsonObject) => readonly JsonObject[],
  answerOf: (list: readonly JsonObject[]) => JsonObject,
): Endpoint {
  return {
    ...embeddings,
    codec: geminiClientCodec,
    rules: geminiRules,
    nonOpenAiMembers: ["task_type", "title"],
    normalize(body) {
      const requests = requestsOf(body);
      return { ...commonOptions(requests), input: requests.map(({ content }) => embeddedContent(content)) };
    },
    amend(_request, answer) {
      const body = recordOf(parseJson(textOfBytes(answer)));
      if (!Array.isArray(body?.data)) return null;
      const list = recordsOf(body.data).map(({ embedding }) => ({ values: numbersOf(embedding) }));
      const promptTokenCount = countOf(recordOf(body.usage)?.prompt_tokens);
      return { ...answerOf(list), ...(promptTokenCount !== null && { usageMetadata: { promptTokenCount } }) };
    },
  };
}

function requestList(requests: unknown): readonly JsonObject[] {
  const list = recordsOf(requests);
  if (!Array.isArray(requests) || list.length === 0 || list.length !== requests.length) {
    throw new DecodeError({ code: "gateway_list_empty", params: { field: "requests", entry: "request" } }, "requests");
  }
  return list;
}

/**
 * The options shared by all requests of a batch. Throws DecodeError if they differ, because one OpenAI request has the
 * same options for all inputs.
 */
function commonOptions(requests: readonly JsonObject[]): JsonObject {
  const [first = {}, ...others] = requests.map((request) =>
    compact({
      task_type: textOf(request.taskType ?? request.task_type),
      title: textOf(request.title),
      dimensions: numberOf(request.outputDimensionality ?? request.output_dimensionality),
    }),
  );
  if (others.some((options) => !Bun.deepEquals(options, first))) {
    throw new DecodeError({ code: "gateway_batch_differs" }, "requests");
  }
  return first;
}

/** An embedding as numbers; OpenAI's base64 form is little-endian 32-bit floats. */
function numbersOf(embedding: unknown): readonly unknown[] {
  if (Array.isArray(embedding)) return embedding;
  const bytes = Buffer.from(textOf(embedding) ?? "", "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}
