import type { ChannelEntry } from "../../channels/entry.ts";
import { proxyOf } from "../../channels/proxy-of.ts";
import { type JsonObject, parseJson, recordOf } from "../../dialects/json.ts";
import { readError } from "../../dialects/openai-chat/error.ts";
import { Stopper } from "../../lib/outbound/stopper.ts";
import { EVENT_STREAM_HEADERS } from "../../lib/sse.ts";
import { providerOf } from "../../providers/registry.ts";
import { notAnswered, refusedByUpstream } from "../attempt-failure.ts";
import type { RelayContext } from "../context.ts";
import { hashOf, makerOf } from "../objects/ask-upstream.ts";
import { toldOf } from "../try-channels.ts";
import type { UpstreamAnswer } from "../upstream.ts";

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
  made: Made,
  action: ResponseAction,
  search = "",
): Promise<JsonObject> {
  const { response, channel, key } = await send(context, made, action, search, Stopper.after(TIMEOUT_MS));
  const answer = recordOf(parseJson(await response.text()));
  if (!answer) throw toldOf(context, notAnswered(channel, key, "broken"));
  return answer;
}

/** The stream of a response from its maker, from the beginning or from where `search` says. Rejects RelayError. */
export async function followResponse(context: RelayContext, made: Made, search: string): Promise<Response> {
  const head = new Stopper();
  const timer = setTimeout(() => head.stop(), TIMEOUT_MS);
  try {
    const { response } = await send(context, made, "retrieve", search, head);
    return new Response(response.body, { headers: { ...EVENT_STREAM_HEADERS, "content-type": "text/event-stream" } });
  } finally {
    clearTimeout(timer);
  }
}

async function send(
  context: RelayContext,
  { id, channelId, keyHash }: Made,
  action: ResponseAction,
  search: string,
  stopper: Stopper,
): Promise<Readonly<{ response: UpstreamAnswer; channel: ChannelEntry; key: string }>> {
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
  const response = await context.upstream.send(outgoing, stopper).catch((error) => {
    throw toldOf(context, notAnswered(channel, key, "unreachable", error));
  });
  if (response.ok) return { response, channel, key };
  const error = readError(response.status, await response.text());
  throw toldOf(context, refusedByUpstream(channel, key, response.status, error, null));
}
