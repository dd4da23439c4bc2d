import { type JsonObject, recordOf } from "../../../../formats/json.ts";
import { isLimited, type RateLimitContext, rateLimit } from "../../../auth/rate-limit.ts";
import type { Caller } from "../../../call/caller.ts";
import type { Uses } from "../../../call/services.ts";
import { sessionOf } from "../endpoint.ts";
import type { Questions } from "./questions.ts";

/**
 * Takes a client's message about a call that is under way, here or in another process: an answer to a question of the call's server, or
 * a cancellation. Resolves false for any other message. Rejects GatewayError.
 */
export async function takeClientMessage(
  context: RateLimitContext & Uses<"settings"> & Readonly<{ mcpQuestions: Questions }>,
  request: Request,
  { json, caller }: Readonly<{ json: JsonObject; caller: Caller }>,
): Promise<boolean> {
  const { mcpQuestions } = context;
  const session = sessionOf(request);
  if (json.method === undefined && json.id !== undefined) {
    mcpQuestions.answer(caller, session, json);
    return true;
  }
  if (json.method !== "notifications/cancelled" || session === "") return false;
  const canceled = mcpQuestions.cancel(caller, session, recordOf(json.params)?.requestId);
  if (canceled.isHere) return true;
  // What reaches all processes counts toward the limits of the caller.
  if (isLimited(context, caller)) await rateLimit(context, caller);
  canceled.passOn();
  return true;
}
