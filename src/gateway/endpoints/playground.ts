import { usableGroups } from "../../domain/accounts/users/usable-groups.ts";
import { textOf } from "../../formats/json.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { sessionCaller } from "../auth/session-caller.ts";
import { GatewayError } from "../call/errors.ts";
import { CallTiming } from "../call/progress.ts";
import { handleCall } from "../pipeline/pipeline.ts";
import type { GatewayServer } from "../request/arrival.ts";
import { invalidRequest, readBody } from "../request/client-body.ts";
import { chatCompletions } from "../request/endpoints/text.ts";
import { refuse } from "../request/refuse.ts";
import type { GatewayContext } from "./context.ts";

/**
 * POST /pg/chat/completions: a chat of a user signed in to the console, charged to the user or to the organization that they
 * act for. The body may name one of
 * the user's groups; `max_tokens: 0` means no limit.
 */
export async function handlePlayground(
  context: GatewayContext,
  request: Request,
  server: GatewayServer | null,
): Promise<Response> {
  const timing = new CallTiming(performance.now());
  server?.timeout(request, 0);
  try {
    const { services } = context;
    const session = await services.resolveSession(request).catch(toGatewayError);
    if (!session) throw notSignedIn(request);
    const { actor: user, person } = session;
    const body = await readBody(context, request, chatCompletions.rules);
    if (!textOf(body.json.model))
      throw new GatewayError(400, "model_required", { code: "gateway_field_missing", params: { field: "model" } });
    const group = groupOf(body.json.group) || user.group;
    if (!usableGroups(services.settings, user.group).has(group)) {
      throw new GatewayError(403, "group_not_allowed", { code: "gateway_group_closed", params: { group } });
    }
    const caller = sessionCaller(context, { user, person, group, ip: services.clientAddress.ip(request, server) });
    const changes = { group: undefined, ...(body.json.max_tokens === 0 && { max_tokens: undefined }) };
    const signedIn = { caller, timing, body, changes };
    return await handleCall(context, { request, server, endpoint: chatCompletions, signedIn });
  } catch (error) {
    return refuse(context, request, error);
  }
}

function groupOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  const group = textOf(value);
  if (group === null) throw invalidRequest({ code: "gateway_not_text", params: { field: "group" } }, "group");
  return group;
}

/** The person may not act for the organization that the request names. */
function toGatewayError(error: unknown): never {
  if (!(error instanceof OperationError)) throw error;
  const { status, code, params } = error;
  throw new GatewayError(status, "organization_not_allowed", { code, params });
}

const notSignedIn = (request: Request): GatewayError =>
  request.headers.has("authorization")
    ? new GatewayError(400, "access_token_not_supported", { code: "gateway_playground_session" })
    : new GatewayError(401, "not_logged_in", { code: "gateway_not_signed_in" });
