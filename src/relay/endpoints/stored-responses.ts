import type { ChannelEntry } from "../../channels/entry.ts";
import { openaiResponsesDoor } from "../../dialects/openai-responses/index.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { providerOf } from "../../providers/registry.ts";
import type { Caller } from "../authenticate.ts";
import type { RelayContext } from "../context.ts";
import { RelayError } from "../errors.ts";
import type { RelayServer } from "../handle.ts";
import type { StoredResponse } from "../responses/store.ts";
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
    const channel = stored.isNative ? context.services.channels.get(stored.channelId) : null;
    const answer = channel ? await askUpstream(context, channel, stored, action) : ownAnswer(stored, action);
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
      const items = turns.slice(0, -1).map(({ role, parts }, index) => ({
        id: `item_${index}`,
        type: "message",
        role,
        content: parts.flatMap((part) => (part.type === "text" ? [{ type: "input_text", text: part.text }] : [])),
      }));
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

const METHODS: Readonly<Record<Action, string>> = {
  retrieve: "GET",
  delete: "DELETE",
  cancel: "POST",
  input_items: "GET",
};

async function askUpstream(
  { mediaFetch }: RelayContext,
  channel: ChannelEntry,
  { id }: StoredResponse,
  action: Action,
): Promise<object> {
  const provider = providerOf(channel.type);
  const [key = ""] = channel.keys;
  if (!provider)
    throw new RelayError(503, "channel_unavailable", "The channel that keeps the response is not available.");
  const ask = { capability: "chat", dialect: "openai-responses", model: "", stream: false, key } as const;
  const [path = "", query] = provider.url(channel, ask).split("?");
  const suffix = action === "retrieve" || action === "delete" ? "" : `/${action}`;
  const answer = await mediaFetch(`${path}/${encodeURIComponent(id)}${suffix}${query ? `?${query}` : ""}`, {
    method: METHODS[action],
    headers: provider.authHeaders(channel, key, ask),
  });
  if (answer.status >= 400) {
    throw new RelayError(answer.status, "upstream_refused", "The upstream that keeps the response refused.");
  }
  return JSON.parse(answer.text()) as object;
}
