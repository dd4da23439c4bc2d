import type { McpError } from "@modelcontextprotocol/sdk/types.js";
import type { ToolResult } from "../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../domain/models/mcp/directory.ts";
import { type JsonObject, recordOf, recordsOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { sayReason } from "../../../lib/reason.ts";
import { GatewayError } from "../../call/errors.ts";
import { abilitiesOf, isWebAddress } from "./questions/client-abilities.ts";

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
    case "database_unavailable":
      return new GatewayError(503, "database_unavailable", { code, params }, { retryAfterSeconds: RENEWED_AFTER_S });
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

/** The protocol's code, which its SDK has too; this file is loaded before that is needed. */
const URL_ELICITATION_REQUIRED = -32042;

/** A server's own refusal until somebody opens addresses. */
class AddressesRequiredError extends GatewayError {
  constructor(
    text: string,
    readonly elicitations: readonly JsonObject[],
  ) {
    super(400, URL_ELICITATION_REQUIRED, text, { type: "upstream_error" });
  }
}

const MAX_ADDRESSES = 10;

/** Such a refusal; null: the server refused for another reason, or may not ask users to open addresses. */
export function addressesRequired({ code, data }: McpError, server: McpServer, text: string): GatewayError | null {
  if (code !== URL_ELICITATION_REQUIRED || !server.asks.elicitation) return null;
  const { elicitations } = recordOf(data) ?? {};
  const known = recordsOf(elicitations).filter(
    ({ mode, url, elicitationId, message }) =>
      mode === "url" && isWebAddress(url) && typeof elicitationId === "string" && typeof message === "string",
  );
  return known.length > 0 ? new AddressesRequiredError(text, known.slice(0, MAX_ADDRESSES)) : null;
}

/** Says in the protocol's own way that somebody must open an address (`URLElicitationRequired`); null: the client does not know it. */
export function urlElicitation(error: GatewayError, session: string, id: string): JsonObject | null {
  const { code, reason } = error;
  if (!abilitiesOf(session).opensUrls) return null;
  if (error instanceof AddressesRequiredError) return { elicitations: error.elicitations };
  const url = typeof reason === "string" ? undefined : reason.params?.url;
  if (code !== SIGN_IN_REQUIRED || !URL.canParse(String(url))) return null;
  return { elicitations: [{ mode: "url", elicitationId: id, url, message: sayReason(reason, "en") }] };
}

/** The same as a result, which every client shows to its model; null: the call failed for another reason. */
export function signInResult(error: unknown, session: string): ToolResult | null {
  if (!(error instanceof GatewayError) || error.code !== SIGN_IN_REQUIRED || abilitiesOf(session).opensUrls)
    return null;
  return { content: [{ type: "text", text: sayReason(error.reason, "en") }], isError: true };
}
