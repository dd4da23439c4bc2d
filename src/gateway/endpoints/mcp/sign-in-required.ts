import { randomUUID } from "node:crypto";
import type { ToolResult } from "../../../domain/models/mcp/connection.ts";
import { type JsonObject, recordOf } from "../../../formats/json.ts";
import { sayReason } from "../../../lib/reason.ts";
import { GatewayError } from "../../call/errors.ts";
import { SIGN_IN_REQUIRED } from "./server-call.ts";

/** Begins the id of a session whose client opens addresses for people: each message is answered by itself, wherever it arrives. */
const OPENS_URLS = "url-";

/** The id of a new session, by what its client says that it can do. */
export function newSessionId(initialize: JsonObject): string {
  const { capabilities } = recordOf(initialize.params) ?? {};
  const { elicitation } = recordOf(capabilities) ?? {};
  return `${recordOf(recordOf(elicitation)?.url) ? OPENS_URLS : ""}${randomUUID()}`;
}

/** Says in the protocol's own way that somebody must open an address (`URLElicitationRequired`); null: the client does not know it. */
export function urlElicitation({ code, reason }: GatewayError, session: string, id: string): JsonObject | null {
  const url = typeof reason === "string" ? undefined : reason.params?.url;
  if (code !== SIGN_IN_REQUIRED || !session.startsWith(OPENS_URLS) || !URL.canParse(String(url))) return null;
  return { elicitations: [{ mode: "url", elicitationId: id, url, message: sayReason(reason, "en") }] };
}

/** The same as a result, which every client shows to its model; null: the call failed for another reason. */
export function signInResult(error: unknown, session: string): ToolResult | null {
  if (!(error instanceof GatewayError) || error.code !== SIGN_IN_REQUIRED || session.startsWith(OPENS_URLS))
    return null;
  return { content: [{ type: "text", text: sayReason(error.reason, "en") }], isError: true };
}
