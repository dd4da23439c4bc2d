import { DecodeError } from "../../formats/conversation/codec.ts";
import type { TopLevelChanges } from "../../lib/values/json-splice.ts";
import { promptTokensBound } from "../billing/estimate.ts";
import type { CallTiming } from "../call/call-timing.ts";
import type { GatewayServices } from "../call/services.ts";
import type { Arrival } from "./arrival.ts";
import { type ClientBody, invalidRequest, readBody } from "./client-body.ts";
import type { Endpoint, EndpointRequest } from "./endpoints/endpoint.ts";

/** A request as decoded by its endpoint. */
export type ParsedRequest = EndpointRequest &
  Readonly<{
    body: ClientBody;
    /** Changes to the body that the endpoint requires. */
    changes: TopLevelChanges;
    /** An upper bound of the prompt's tokens. */
    promptBound: number;
  }>;

const NO_CHANGES: TopLevelChanges = {};

/**
 * Reads the request's body and records the time that this takes. Rejects GatewayError. The caller must discard a form.
 */
export async function readRequest(
  { config }: Pick<GatewayServices, "config">,
  { request, endpoint, signedIn }: Arrival,
  timing: CallTiming,
): Promise<ClientBody> {
  if (signedIn) return signedIn.body;
  const from = performance.now();
  const body = await readBody(request, config, endpoint.rules, config.maxUploadBytes);
  timing.waitedMs += performance.now() - from;
  return normalized(endpoint, body);
}

/** Decodes the request. Throws GatewayError. */
export function parseRequest({ endpoint, path, signedIn }: Arrival, body: ClientBody): ParsedRequest {
  const { summary: read, prompt, conversation } = decoded(() => endpoint.read(body.json, path ?? null));
  const { model } = read;
  if (model === "") throw invalidRequest({ code: "gateway_field_missing", params: { field: "model" } }, "model");
  const summary = read.stream && !endpoint.streams ? { ...read, stream: false } : read;
  const own = signedIn?.changes ?? NO_CHANGES;
  const isNamed = endpoint.codec.dialect !== "openai-chat" || body.json.model === model;
  const changes = isNamed ? own : { ...own, model };
  return { body, summary, prompt, conversation, changes, promptBound: promptTokensBound(prompt, body.size) };
}

function normalized({ normalize }: Endpoint, body: ClientBody): ClientBody {
  if (!normalize) return body;
  const json = decoded(() => normalize(body.json));
  const text = JSON.stringify(json);
  return { text, size: Buffer.byteLength(text), json };
}

/** Converts a DecodeError to a GatewayError. */
function decoded<Result>(decode: () => Result): Result {
  try {
    return decode();
  } catch (error) {
    throw error instanceof DecodeError ? invalidRequest(error.reason, error.param) : error;
  }
}
