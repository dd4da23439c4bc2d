import { proxyOf } from "../../channels/proxy-of.ts";
import { type JsonObject, parseJson, recordOf } from "../../dialects/json.ts";
import { readError } from "../../dialects/openai-chat/error.ts";
import { providerOf } from "../../providers/registry.ts";
import { notAnswered, refusedByUpstream } from "../attempt-failure.ts";
import type { RelayContext } from "../context.ts";
import { hashOf, makerOf } from "../objects/ask-upstream.ts";
import { toldOf } from "../try-channels.ts";

/** What can be done with a response that an upstream keeps. */
export type ResponseAction = "retrieve" | "delete" | "cancel" | "input_items";

const TIMEOUT_MS = 60_000;
const METHODS: Readonly<Record<ResponseAction, "GET" | "POST" | "DELETE">> = {
  retrieve: "GET",
  delete: "DELETE",
  cancel: "POST",
  input_items: "GET",
};

/** A response and who made it; an empty `keyHash`: the channel's first key. */
type Made = Readonly<{ id: string; channelId: number; keyHash: string }>;

/**
 * Asks the channel and key that made a response; `search`: what the client's address has behind its path. Rejects RelayError
 * with what it answered.
 */
export async function askResponseMaker(
  context: RelayContext,
  { id, channelId, keyHash }: Made,
  action: ResponseAction,
  search = "",
): Promise<JsonObject> {
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
