import { type JsonObject, parseJson, recordOf, textOf } from "../../../../formats/json.ts";
import { openaiResponsesClientCodec } from "../../../../formats/openai-responses/index.ts";
import type { GatewayError } from "../../../call/errors.ts";
import { invalidRequest } from "../../../request/client-body.ts";
import { toErrorObject } from "../../../request/error-response.ts";
import type { Frame } from "../pipe.ts";

/**
 * A request for one response. `streamId`: the lane of the connection in which the client runs it; null: the only one.
 */
export type Turn = Readonly<{ text: string; event: JsonObject; streamId: string | null }>;

/** What a client's frame requests. */
type ClientEvent =
  | Readonly<{ type: "create"; turn: Turn }>
  | Readonly<{ type: "cancel"; streamId: string | null }>
  | Readonly<{ type: "none" }>
  | Readonly<{ type: "invalid"; error: GatewayError; streamId: string | null }>;

const MAX_STREAM_ID_LENGTH = 128;

/**
 * Reads a frame of OpenAI's WebSocket mode.
 * Source: https://developers.openai.com/api/docs/guides/websocket-mode
 */
export function readFrame(frame: Frame): ClientEvent {
  const event = typeof frame === "string" ? recordOf(parseJson(frame)) : null;
  if (typeof frame !== "string" || !event) return invalid(invalidRequest({ code: "gateway_frame_no_object" }), null);
  const streamId = event.stream_id == null ? null : textOf(event.stream_id);
  if (event.stream_id != null && (!streamId || streamId.length > MAX_STREAM_ID_LENGTH))
    return invalid(invalidRequest({ code: "gateway_stream_id_invalid" }, "stream_id"), null);
  switch (event.type) {
    case "response.create":
      if (event.background !== true) return { type: "create", turn: { text: frame, event, streamId } };
      return invalid(invalidRequest({ code: "gateway_background_socket" }, "background"), streamId);
    case "response.cancel":
      return { type: "cancel", streamId };
    // Codex acknowledges responses; the gateway ignores that.
    case "response.processed":
      return { type: "none" };
    default: {
      const type = (textOf(event.type) ?? "").slice(0, 64);
      return invalid(invalidRequest({ code: "gateway_event_unknown", params: { type } }, "type"), streamId);
    }
  }
}

const invalid = (error: GatewayError, streamId: string | null): ClientEvent => ({ type: "invalid", error, streamId });

/** An error frame in OpenAI's WebSocket mode. */
export function errorFrame(error: GatewayError, requestId: string): string {
  const body = openaiResponsesClientCodec.encodeError(toErrorObject(error, "openai-responses"), requestId);
  const { retryAfterSeconds } = error;
  const headers = retryAfterSeconds === undefined ? null : { "retry-after": String(retryAfterSeconds) };
  return wrapError(error.status, body, headers);
}

/** The same for an error body. `headers`: the headers that the response would have over HTTP, if clients need them. */
export const wrapError = (status: number, body: unknown, headers: Readonly<Record<string, string>> | null): string =>
  JSON.stringify({ type: "error", status, error: recordOf(recordOf(body)?.error) ?? {}, ...(headers && { headers }) });

/** Adds the lane to an event's JSON. */
export const inLane = (json: string, streamId: string | null): string =>
  streamId === null ? json : `${json.slice(0, json.lastIndexOf("}"))},"stream_id":${JSON.stringify(streamId)}}`;
