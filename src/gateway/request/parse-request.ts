import { DecodeError } from "../../formats/conversation/codec.ts";
import { type JsonObject, textOf } from "../../formats/json.ts";
import { boundPrompt } from "../../formats/openai-chat/request/summary.ts";
import { spliceTopLevel, type TopLevelChanges } from "../../lib/values/json/json-splice.ts";
import type { ClientBody, Endpoint, EndpointRequest, ParsedRequest } from "../call/endpoint.ts";
import type { CallTiming } from "../call/progress.ts";
import type { Arrival } from "./arrival.ts";
import { FREE_BYTES, isWide, takeMemory } from "./body-memory.ts";
import { invalidRequest, jsonBody, type ReadBodyContext, readBody, withBodyDeadline } from "./client-body.ts";
import { readPreferences } from "./read-preferences.ts";

const NO_CHANGES: TopLevelChanges = {};

/**
 * Reads the request's body and records the time that this takes. Rejects GatewayError. The caller must discard a form.
 */
export async function readRequest(
  context: ReadBodyContext,
  { request, endpoint }: Arrival,
  timing: CallTiming,
): Promise<ClientBody> {
  const { config } = context.services;
  const from = performance.now();
  const { headers } = request;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  // As most are: JSON without encoding, which is the request's text.
  const isPlain =
    length <= config.maxRequestBodyBytes &&
    !headers.has("content-encoding") &&
    !headers.get("content-type")?.startsWith("multipart/form-data");
  const isLarge = isPlain && length > FREE_BYTES;
  if (isLarge) takeMemory(context, request, length);
  const body = isPlain
    ? jsonBody(await withBodyDeadline(request.text(), length, config.requestBodyTimeoutMs), length, endpoint.rules)
    : await readBody(context, request, endpoint.rules, config.maxUploadBytes);
  if (isLarge && isWide(body)) takeMemory(context, request, length);
  timing.waitedMs += performance.now() - from;
  return endpoint.normalize ? normalizeBody(endpoint.normalize, body) : body;
}

/** Decodes the request. Throws GatewayError. */
export function parseRequest({ endpoint, path, signedIn }: Arrival, received: ClientBody): ParsedRequest {
  const { body: single, fallbacks } = Object.hasOwn(received.json, "models")
    ? readFallbacks(endpoint, received, path?.model ?? null)
    : { body: received, fallbacks: NO_FALLBACKS };
  const hasPreferences = Object.hasOwn(single.json, "provider") && isText(endpoint);
  const { body, preferences } = hasPreferences ? readPreferences(single) : { body: single, preferences: null };
  let decoded: EndpointRequest;
  try {
    decoded = endpoint.read(body.json, path ?? null);
  } catch (error) {
    throw asGatewayError(error);
  }
  const { summary: read, prompt, conversation } = decoded;
  const { model } = read;
  if (model === "") throw invalidRequest({ code: "gateway_field_missing", params: { field: "model" } }, "model");
  const summary = read.stream && !endpoint.streams ? { ...read, stream: false } : read;
  const own = signedIn?.changes ?? NO_CHANGES;
  const isOpenAiChat = endpoint.codec.dialect === "openai-chat";
  const isNamed = !isOpenAiChat || body.json.model === model;
  const changes = isNamed ? own : { ...own, model };
  const { promptBound, promptAudioTokens } = boundPrompt(prompt, body.size);
  return {
    body,
    preferences,
    summary,
    prompt,
    conversation,
    changes,
    fallbacks,
    promptBound,
    typicalTokens: promptBound / 2,
    storesParts: isOpenAiChat ? endpoint.capability === "chat" && body.json.audio != null : body.json.store !== false,
    promptAudioTokens,
  };
}

const isText = ({ capability }: Endpoint): boolean => capability === "chat" || capability === "completions";

const NO_FALLBACKS: readonly string[] = [];
const MAX_FALLBACKS = 8;

/**
 * Models to try one after the other, as OpenRouter's clients list them (`models`,
 * https://openrouter.ai/docs/features/model-routing); the request without them, because no upstream may choose by itself what
 * the call costs. `named`: the model of the path, as in Gemini's; null: the body names it.
 */
function readFallbacks(
  endpoint: Endpoint,
  received: ClientBody,
  named: string | null,
): Readonly<{ body: ClientBody; fallbacks: readonly string[] }> {
  const { models, route, ...json } = received.json;
  const without = (changes: JsonObject): ClientBody => ({
    ...received,
    json: { ...json, ...changes },
    // A form has no text.
    text:
      received.form === undefined
        ? spliceTopLevel(received.text, { models: undefined, route: undefined, ...changes }, received.json)
        : received.text,
  });
  if (!isText(endpoint) || models === null) return { body: without({}), fallbacks: NO_FALLBACKS };
  const names = Array.isArray(models) ? models.map((name) => textOf(name) ?? "") : [];
  if (names.length === 0 || names.includes("")) {
    throw invalidRequest({ code: "gateway_list_empty", params: { field: "models", entry: "string" } }, "models");
  }
  if (names.length > MAX_FALLBACKS) {
    throw invalidRequest(
      { code: "gateway_too_many_entries", params: { field: "models", count: MAX_FALLBACKS } },
      "models",
    );
  }
  const first = named ?? textOf(json.model);
  const model = first ?? names[0];
  return {
    body: without(first === null ? { model } : {}),
    fallbacks: [...new Set(names)].filter((name) => name !== model),
  };
}

function normalizeBody(normalize: (json: JsonObject) => JsonObject, body: ClientBody): ClientBody {
  try {
    const json = normalize(body.json);
    const text = JSON.stringify(json);
    return { text, size: Buffer.byteLength(text), json };
  } catch (error) {
    throw asGatewayError(error);
  }
}

const asGatewayError = (error: unknown): unknown =>
  error instanceof DecodeError ? invalidRequest(error.reason, error.param) : error;
