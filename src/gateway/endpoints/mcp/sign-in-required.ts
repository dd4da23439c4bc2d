import { randomUUID } from "node:crypto";
import type { ToolResult } from "../../../domain/models/mcp/connection.ts";
import { type JsonObject, recordOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { sayReason } from "../../../lib/reason.ts";
import { GatewayError } from "../../call/errors.ts";

/** The code of a call whose account must sign in at the server first. */
const SIGN_IN_REQUIRED = "mcp_sign_in_required";
/** A token that could not be renewed is renewed again. */
const RENEWED_AFTER_S = 5;

/** The failure of a call without a token of its account; null: it failed otherwise. */
export function signInFailure(thrown: unknown): GatewayError | null {
  if (!(thrown instanceof OperationError)) return null;
  const { code, params } = thrown;
  switch (code) {
    case "gateway_mcp_sign_in_required":
      return new GatewayError(403, "mcp_sign_in_required", { code: "gateway_mcp_sign_in_required", params });
    case "gateway_mcp_sign_in_refused":
      return new GatewayError(403, "mcp_sign_in_required", { code: "gateway_mcp_sign_in_refused", params });
    case "gateway_mcp_sign_in_scope":
      return new GatewayError(403, "mcp_sign_in_required", { code: "gateway_mcp_sign_in_scope", params });
    case "gateway_mcp_sign_in_not_renewed": {
      const details = { retryAfterSeconds: RENEWED_AFTER_S };
      return new GatewayError(
        503,
        "mcp_sign_in_not_renewed",
        { code: "gateway_mcp_sign_in_not_renewed", params },
        details,
      );
    }
    default:
      return null;
  }
}

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
