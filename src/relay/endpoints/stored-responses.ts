import { proxyOf } from "../../channels/proxy-of.ts";
import { emptyConversation, type Turn } from "../../dialects/conversation.ts";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../dialects/json.ts";
import { readError } from "../../dialects/openai-chat/error.ts";
import { openaiResponsesDoor, openaiResponsesProvider } from "../../dialects/openai-responses/index.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { randomId } from "../../lib/request-id.ts";
import { providerOf } from "../../providers/registry.ts";
import { notAnswered, refusedByUpstream } from "../attempt-failure.ts";
import type { Caller } from "../authenticate.ts";
import type { RelayContext } from "../context.ts";
import { RelayError } from "../errors.ts";
import type { RelayServer } from "../handle.ts";
import { hashOf, makerOf } from "../objects/ask-upstream.ts";
import type { StoredResponse } from "../responses/store.ts";
import { toldOf } from "../try-channels.ts";
import { answerFor } from "./models.ts";

type Action = "retrieve" | "delete" | "cancel" | "input_items";

/**
 * GET and DELETE /v1/responses/{id}, POST …/cancel, GET …/input_items: of the caller's own responses. What an upstream
 * stores is asked of the channel that made it.
 */
export const storedResponse = (
  context: RelayContext,
  request: Request,
  server: RelayServer | null,
  id: string,
  action: Action,
): Promise<Response> =>
  answerFor(context, request, server, openaiResponsesDoor, async (caller) => {
    const stored = await find(context, caller, id);
    const { search } = new URL(request.url);
    const answer = stored.isNative ? await askMaker(context, stored, action, search) : ownAnswer(stored, action);
    if (action === "delete") await context.services.responses.remove(id, caller.user.id);
    return answer;
  });

async function find({ services }: RelayContext, caller: Caller, id: string): Promise<StoredResponse> {
  const stored = await services.responses.find(id, caller.user.id, nowSeconds());
  if (stored) return stored;
  throw new RelayError(404, "response_not_found", `Response with id '${id}' not found.`, {
    type: "invalid_request_error",
    param: "response_id",
  });
}

function ownAnswer({ id, body, turns }: StoredResponse, action: Action): object {
  switch (action) {
    case "retrieve":
      return body;
    case "delete":
      return { id, object: "response", deleted: true };
    case "cancel":
      throw new RelayError(400, "not_cancellable", "Only responses created in the background can be cancelled.", {
        type: "invalid_request_error",
      });
    case "input_items": {
      const items = inputItems(turns.slice(0, -1));
      return {
        object: "list",
        data: items,
        first_id: items[0]?.id ?? null,
        last_id: items.at(-1)?.id ?? null,
        has_more: false,
      };
    }
  }
}

/** The turns as items of a request, each with an id. */
function inputItems(turns: readonly Turn[]): JsonObject[] {
  const conversation = { ...emptyConversation("openai-responses", ""), turns: [...turns] };
  const target = { model: "", defaultMaxTokens: 0, newId: randomId };
  const { input } = openaiResponsesProvider.encodeRequest(conversation, target, new Set());
  return recordsOf(input).map((item, at) => ({ id: `item_${at}`, ...item }));
}

const TIMEOUT_MS = 60_000;
const METHODS: Readonly<Record<Action, "GET" | "POST" | "DELETE">> = {
  retrieve: "GET",
  delete: "DELETE",
  cancel: "POST",
  input_items: "GET",
};

/** Asks the channel and key that made the response, in the client's words. Rejects RelayError with what it answered. */
async function askMaker(
  context: RelayContext,
  { id, channelId, keyHash }: StoredResponse,
  action: Action,
  search: string,
): Promise<object> {
  const known = context.services.channels.get(channelId)?.keys[0] ?? "";
  const { channel, key } = makerOf(context, { channelId, keyHash: keyHash || hashOf(known) });
  const provider = providerOf(channel.type);
  if (!provider) throw toldOf(context, notAnswered(channel, key, "unsupported"));
  const ask = { capability: "chat", dialect: "openai-responses", model: "", stream: false, key } as const;
  const [path = "", query] = provider.url(channel, ask).split("?");
  const suffix = action === "retrieve" || action === "delete" ? "" : `/${action}`;
  const wishes = [query, search.slice(1)].filter((part) => part).join("&");
  const outgoing = {
    method: METHODS[action],
    url: `${path}/${encodeURIComponent(id)}${suffix}${wishes && `?${wishes}`}`,
    headers: provider.authHeaders(channel, key, ask),
    body: "",
    proxy: proxyOf(channel),
  };
  const response = await context.upstream.send(outgoing, AbortSignal.timeout(TIMEOUT_MS)).catch((error) => {
    throw toldOf(context, notAnswered(channel, key, "unreachable", error));
  });
  const text = await response.text();
  if (!response.ok) {
    const error = readError(response.status, text);
    throw toldOf(context, refusedByUpstream(channel, key, response.status, error, null));
  }
  const answer = recordOf(parseJson(text));
  if (!answer) throw toldOf(context, notAnswered(channel, key, "broken"));
  return answer;
}
