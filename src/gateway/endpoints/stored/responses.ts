import { UNKNOWN_MODEL } from "../../../catalog/catalog.ts";
import { emptyConversation, type Turn } from "../../../formats/conversation/conversation.ts";
import { type JsonObject, recordsOf } from "../../../formats/json.ts";
import { openaiResponsesClientCodec, openaiResponsesCodec } from "../../../formats/openai-responses/index.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { randomId, requestIdOf } from "../../../lib/http/request.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import { StoredAnswers, type StoredAnswersContext } from "../../call/guardrails/answer/guard-stored.ts";
import type { GatewayServer } from "../../request/arrival.ts";
import { invalidRequest } from "../../request/client-body.ts";
import { type ReadObjectsContext, refresh, storeObject } from "../../state/files/read-objects.ts";
import { isFinal } from "../../state/objects/store.ts";
import { isTooLong, type StoredResponse } from "../../state/responses/store.ts";
import {
  followResponse,
  formatOfStored,
  type ResponseAction,
  requestStoredResponse,
} from "../../state/responses/stored-formats.ts";
import type { UsesStores } from "../../state/stores.ts";
import { type RespondToKeyContext, respondToKey } from "../lookup/models.ts";

/** What these functions work with. */
export type ResponsesContext = ReadObjectsContext & RespondToKeyContext & StoredAnswersContext;

/**
 * GET and DELETE /v1/responses/{id}, POST …/cancel, GET …/input_items, for the caller's own responses. Responses that
 * an upstream stores are requested from the channel that made them.
 */
export const storedResponse = (
  context: ResponsesContext,
  request: Request,
  server: GatewayServer | null,
  id: string,
  action: ResponseAction,
): Promise<Response> =>
  respondToKey(context, request, server, openaiResponsesClientCodec, async (caller) => {
    const stored = await find(context, caller, id);
    const guardrails = new StoredAnswers(context, caller, requestIdOf(request));
    const { search, searchParams } = new URL(request.url);
    if (searchParams.get("stream") === "true") {
      guardrails.refuseStream();
      if (stored.isNative && action === "retrieve")
        return followResponse(context, { ...stored, dialect: formatOfStored(stored).dialect }, search);
      throw invalidRequest({ code: "gateway_response_not_streamed" }, "stream");
    }
    const answer = stored.isNative
      ? await fetchFromUpstream(context, stored, action, search)
      : ownAnswer(stored, action, searchParams);
    if (action === "delete") await context.services.responses.remove(id, caller.user.id);
    return stored.isNative && action !== "delete" ? guardrails.pass(answer, stored.masked) : answer;
  });

/** Requests a response from its upstream. A background response is charged before its end is reported. Rejects GatewayError. */
export async function fetchFromUpstream(
  context: ResponsesContext,
  stored: StoredResponse,
  action: ResponseAction,
  search: string,
): Promise<JsonObject> {
  const { kind, dialect } = formatOfStored(stored);
  const later = await context.services.objects.find(kind, stored.id, stored.userId);
  if (later?.settledAt === null && action === "delete" && !isFinal((await refresh(context, later)).body)) {
    throw new GatewayError(
      400,
      "response_in_progress",
      { code: "gateway_response_running" },
      {
        type: "invalid_request_error",
      },
    );
  }
  const answer = await requestStoredResponse(context, { ...stored, dialect }, action, search);
  const isResponse = kind === "interaction" || answer.object === "response";
  if (later?.settledAt === null && isResponse && answer.status !== undefined) {
    await storeObject(context, later, answer);
  }
  return answer;
}

async function find({ services }: UsesStores<"responses">, caller: Caller, id: string): Promise<StoredResponse> {
  const stored = await services.responses.find(id, caller.user.id, nowSeconds());
  // Of a response that was too long to store, only the id remains.
  const isOwn = stored !== null && formatOfStored(stored).kind === "response";
  if (isOwn && (stored.isNative || Object.keys(stored.body).length > 0)) return stored;
  throw new GatewayError(
    404,
    "response_not_found",
    { code: "gateway_response_unknown", params: { id } },
    {
      type: "invalid_request_error",
      param: "response_id",
    },
  );
}

function ownAnswer(
  { id, body, turns, isNative }: StoredResponse,
  action: ResponseAction,
  wishes: URLSearchParams,
): JsonObject {
  switch (action) {
    case "retrieve":
      return body;
    case "delete":
      return { id, object: "response", deleted: true };
    case "cancel":
      throw new GatewayError(
        400,
        "not_cancellable",
        { code: "gateway_response_not_cancellable" },
        {
          type: "invalid_request_error",
        },
      );
    case "input_items": {
      if (isTooLong({ isNative, turns }))
        throw invalidRequest({ code: "gateway_conversation_too_long" }, "response_id");
      return pageOf(inputItems(turns.slice(0, -1)), wishes);
    }
  }
}

/** The turns as items of a request, each with an id. */
function inputItems(turns: readonly Turn[]): JsonObject[] {
  const conversation = { ...emptyConversation("openai-responses", ""), turns: [...turns] };
  const target = { model: "", info: UNKNOWN_MODEL, defaultMaxTokens: 0, newId: randomId };
  const { input } = openaiResponsesCodec.encodeRequest(conversation, target, new Set());
  return recordsOf(input).map((item, at) => ({ id: `item_${at}`, ...item }));
}

const PAGE_ITEMS = 20;
const MAX_PAGE_ITEMS = 100;

/** A page of a list as in OpenAI's API: newest first by default. */
function pageOf(items: readonly JsonObject[], wishes: URLSearchParams): JsonObject {
  const ordered = wishes.get("order") === "asc" ? items : items.toReversed();
  const after = wishes.get("after");
  const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== null && from === 0)
    throw invalidRequest({ code: "gateway_item_unknown", params: { id: after } }, "after");
  const limit = Number(wishes.get("limit") ?? PAGE_ITEMS);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_ITEMS)
    throw invalidRequest({ code: "gateway_page_limit", params: { most: MAX_PAGE_ITEMS } }, "limit");
  const data = ordered.slice(from, from + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < ordered.length,
  };
}
