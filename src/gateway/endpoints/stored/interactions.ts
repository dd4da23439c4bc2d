import { interactionsClientCodec } from "../../../formats/gemini-interactions/index.ts";
import { writeSteps } from "../../../formats/gemini-interactions/request/encode-request.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { requestIdOf } from "../../../lib/http/request.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import { StoredAnswers } from "../../call/guardrails/answer/guard-stored.ts";
import type { GatewayServer } from "../../request/arrival.ts";
import { invalidRequest } from "../../request/client-body.ts";
import type { StoredResponse } from "../../state/responses/store.ts";
import { followResponse, formatOfStored } from "../../state/responses/stored-formats.ts";
import type { UsesStores } from "../../state/stores.ts";
import { respondToKey } from "../lookup/models.ts";
import type { ResponsesContext } from "../stored/responses.ts";
import { fetchFromUpstream } from "../stored/responses.ts";

/** Actions on a stored interaction. */
export type InteractionAction = "retrieve" | "delete" | "cancel";

/**
 * GET and DELETE /v1beta/interactions/{id} and POST …/cancel, for the caller's own interactions. Those that Google stores are
 * requested from the channel and key that made them. Source: https://ai.google.dev/api/interactions-api
 */
export const storedInteraction = (
  context: ResponsesContext,
  request: Request,
  server: GatewayServer | null,
  id: string,
  action: InteractionAction,
): Promise<Response> =>
  respondToKey(context, request, server, interactionsClientCodec, async (caller) => {
    const stored = await find(context, caller, id);
    const guardrails = new StoredAnswers(context, caller, requestIdOf(request));
    const { search, searchParams } = new URL(request.url);
    const wishes = new URLSearchParams(searchParams);
    // The client's key for the gateway.
    wishes.delete("key");
    const query = search === "" ? "" : `?${wishes}`;
    if (action === "retrieve" && searchParams.get("stream") === "true") {
      const { dialect } = formatOfStored(stored);
      guardrails.refuseStream();
      if (stored.isNative) return followResponse(context, { ...stored, dialect }, query);
      throw invalidRequest({ code: "gateway_response_not_streamed" }, "stream");
    }
    const answer = stored.isNative
      ? await fetchFromUpstream(context, stored, action, query)
      : ownAnswer(stored, action, searchParams.get("include_input") === "true");
    if (action === "delete") await context.services.responses.remove(id, caller.user.id);
    return stored.isNative && action !== "delete" ? guardrails.pass(answer, stored.masked) : answer;
  });

async function find({ services }: UsesStores<"responses">, caller: Caller, id: string): Promise<StoredResponse> {
  const stored = await services.responses.find(id, caller.user.id, nowSeconds());
  // Of an interaction that was too long to store, only the id remains.
  const isOwn = stored !== null && formatOfStored(stored).kind === "interaction";
  if (isOwn && (stored.isNative || stored.body.id !== undefined)) return stored;
  throw new GatewayError(
    404,
    "interaction_not_found",
    { code: "gateway_interaction_unknown", params: { id } },
    { type: "invalid_request_error", param: "id" },
  );
}

function ownAnswer({ body, turns }: StoredResponse, action: InteractionAction, includesInput: boolean): JsonObject {
  switch (action) {
    case "retrieve":
      return includesInput ? { ...body, input: writeSteps(turns.slice(0, -1), new Set()) } : body;
    case "delete":
      return {};
    case "cancel":
      throw new GatewayError(
        400,
        "not_cancellable",
        { code: "gateway_response_not_cancellable" },
        { type: "invalid_request_error" },
      );
  }
}
