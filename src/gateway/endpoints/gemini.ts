import { DecodeError } from "../../formats/conversation/codec.ts";
import { embeddedContent } from "../../formats/gemini/embedded-contents.ts";
import { geminiClientCodec } from "../../formats/gemini/index.ts";
import { geminiRules } from "../../formats/gemini/request/request-rules.ts";
import {
  compact,
  countOf,
  type JsonObject,
  numberOf,
  parseJson,
  recordOf,
  recordsOf,
  textOf,
} from "../../formats/json.ts";
import { decodePath } from "../../lib/http/request.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import type { Endpoint } from "../call/endpoint.ts";
import { GatewayError } from "../call/errors.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { handleCall } from "../pipeline/pipeline.ts";
import type { GatewayServer } from "../request/arrival.ts";
import { generateContent, generateContentArray } from "../request/endpoints/conversations.ts";
import { embeddings } from "../request/endpoints/embeddings.ts";
import { refuse } from "../request/refuse.ts";
import type { GatewayContext } from "./context.ts";
import { countGeminiTokens } from "./count-tokens.ts";
import { geminiModel } from "./lookup/model-object.ts";
import { allowedModels, type RespondToKeyContext, refuseUnknownModel, respondToKey } from "./lookup/models.ts";

/** What these functions work with. */
export type GeminiContext = RespondToKeyContext & Uses<"channels"> & Pick<CallTools, "catalog">;

/** POST …/models/{model}:{method} of Google's clients; the model may contain slashes and be percent-encoded. */
export async function handleGemini(
  context: GatewayContext,
  request: Request,
  server: GatewayServer | null,
  path: string,
): Promise<Response> {
  const target = decodePath(path);
  const colon = target.lastIndexOf(":");
  const model = target.slice(0, colon < 0 ? undefined : colon);
  switch (colon < 0 ? "" : target.slice(colon + 1)) {
    case "generateContent":
      return handleCall(context, { request, server, endpoint: generateContent, path: { model, stream: false } });
    case "streamGenerateContent": {
      const asEvents = new URL(request.url).searchParams.get("alt") === "sse";
      const endpoint = asEvents ? generateContent : generateContentArray;
      return handleCall(context, { request, server, endpoint, path: { model, stream: true } });
    }
    case "embedContent":
      return handleCall(context, { request, server, endpoint: embedContent, path: { model } });
    case "batchEmbedContents":
      return handleCall(context, { request, server, endpoint: batchEmbedContents, path: { model } });
    case "countTokens":
      return countGeminiTokens(context, request, server, model);
    default: {
      const unknown = new GatewayError(404, "unknown_url", {
        code: "gateway_unknown_url",
        params: { method: request.method, path: `…/models/${target}` },
      });
      return refuse(context, request, unknown, geminiClientCodec);
    }
  }
}

/** GET /v1beta/models: the models available to this key, as Google lists them. */
export const listGeminiModels = (context: GeminiContext, request: Request, server: GatewayServer | null) =>
  respondToKey(context, request, server, geminiClientCodec, async (caller) => ({
    models: allowedModels(context, caller).map((model) => geminiModel(context, caller, model)),
  }));

/** GET /v1beta/models/{model} */
export const showGeminiModel = (
  context: GeminiContext,
  request: Request,
  server: GatewayServer | null,
  model: string,
) =>
  respondToKey(context, request, server, geminiClientCodec, async (caller) => {
    refuseUnknownModel(context, caller, model);
    return geminiModel(context, caller, model);
  });

/** POST …/models/{model}:embedContent, one content: https://ai.google.dev/api/embeddings */
const embedContent: Endpoint = {
  ...googleEmbeddings(
    (body) => [body],
    ([embedding]) => ({ embedding }),
  ),
};

/** POST …/models/{model}:batchEmbedContents, which Google's own clients call for any number of contents. */
const batchEmbedContents: Endpoint = {
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
