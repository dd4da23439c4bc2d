import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { openaiRules } from "../../../formats/openai-chat/request/request-rules.ts";
import { readOpenAi } from "../../../formats/openai-chat/request/summary.ts";
import { randomId } from "../../../lib/http/request.ts";
import { indexOfBytes, textOfBytes } from "../../../lib/values/bytes.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { invalidRequest } from "../client-body.ts";

const VECTOR = Buffer.from('"embedding"');
/** Texts or token ids; OpenAI accepts 2,048 texts, self-hosted servers more. */
const MAX_INPUTS = 100_000;
const MAX_SPACE_LENGTH = 32;

/**
 * POST /v1/embeddings. OpenAI's own clients request base64; the gateway converts lists of numbers for upstreams that
 * support nothing else.
 */
export const embeddings: Endpoint = {
  capability: "embeddings",
  codec: openaiChatClientCodec,
  rules: openaiRules,
  streams: false,
  emptyIsFree: false,
  read(body, path) {
    if (body.input === undefined || body.input === "")
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "input" } }, "input");
    if (Array.isArray(body.input) && body.input.length > MAX_INPUTS)
      throw invalidRequest(
        { code: "gateway_too_many_entries", params: { field: "input", count: MAX_INPUTS } },
        "input",
      );
    return readOpenAi(body, path);
  },
  amend(request, answer) {
    if (request.encoding_format !== "base64" || !holdsLists(answer)) return withId(answer);
    const body = recordOf(parseJson(textOfBytes(answer)));
    return body && { id: randomId("embd-"), ...body, data: recordsOf(body.data).map(encodeEmbedding) };
  },
};

const ID = Buffer.from('"id"');
const OPENING = 123;

/**
 * Mistral's client requires an id, which OpenAI's API lacks. Numbers contain no quotes, so inspecting the bytes
 * suffices.
 */
function withId(answer: Uint8Array): string | null {
  if (answer[0] !== OPENING || indexOfBytes(answer, ID) >= 0 || indexOfBytes(answer, VECTOR) < 0) return null;
  return `{"id":${JSON.stringify(randomId("embd-"))},${textOfBytes(answer, 1)}`;
}

/**
 * Whether the response has lists of numbers. Inspected without parsing, because most responses have the requested form.
 */
function holdsLists(answer: Uint8Array): boolean {
  for (let at = indexOfBytes(answer, VECTOR); at >= 0; at = indexOfBytes(answer, VECTOR, at + 1)) {
    const end = at + VECTOR.length;
    const member = /^\s*:\s*(.)/.exec(textOfBytes(answer, end, Math.min(answer.length, end + MAX_SPACE_LENGTH)));
    // Otherwise this is the value of "object".
    if (member) return member[1] === "[";
  }
  return false;
}

/** The embedding as base64 of little-endian 32-bit floats. */
function encodeEmbedding(entry: JsonObject): JsonObject {
  const { embedding } = entry;
  if (!Array.isArray(embedding)) return entry;
  const bytes = Buffer.alloc(embedding.length * 4);
  for (const [at, value] of embedding.entries()) bytes.writeFloatLE(Number(value), at * 4);
  return { ...entry, embedding: bytes.toString("base64") };
}
