import type { ChannelEntry } from "../../channels/entry.ts";
import { proxyOf } from "../../channels/proxy-of.ts";
import { type JsonObject, parseJson, recordOf } from "../../dialects/json.ts";
import { readError } from "../../dialects/openai-chat/error.ts";
import { hexDigest } from "../../lib/digest.ts";
import type { OutgoingForm } from "../../lib/multipart/form-stream.ts";
import { Stopper } from "../../lib/outbound/stopper.ts";
import { providerOf } from "../../providers/registry.ts";
import { notAnswered, refusedByUpstream } from "../attempt-failure.ts";
import type { RelayContext } from "../context.ts";
import { RelayError } from "../errors.ts";
import type { Choice } from "../scheduler/choose.ts";
import { toldOf } from "../try-channels.ts";
import type { UpstreamAnswer } from "../upstream.ts";
import type { KeptObject } from "./store.ts";

export type ObjectAsk = Readonly<{
  method: "GET" | "POST" | "DELETE";
  /** Behind the version, with its query. */
  path: string;
  body?: string | OutgoingForm;
}>;

const TIMEOUT_MS = 300_000;

/** Asks a channel for something it keeps. Rejects RelayError with what the upstream answered, or that it did not. */
export async function askUpstream(
  context: RelayContext,
  { channel, key }: Choice,
  ask: ObjectAsk,
): Promise<UpstreamAnswer> {
  const objects = providerOf(channel.type)?.objects;
  if (!objects) throw notOffered();
  const headers: Record<string, string> = { ...providerOf(channel.type)?.authHeaders(channel, key) };
  if (typeof ask.body === "string") headers["content-type"] = "application/json";
  const outgoing = {
    method: ask.method,
    url: objects.url(channel, ask.path),
    headers,
    body: ask.body ?? "",
    proxy: proxyOf(channel),
  };
  // The limit is for the answer's beginning: a large file may take longer.
  const stopper = new Stopper();
  const timer = setTimeout(() => stopper.stop(), TIMEOUT_MS);
  const response = await context.upstream
    .send(outgoing, stopper)
    .catch((error) => {
      throw toldOf(context, notAnswered(channel, key, "unreachable", error));
    })
    .finally(() => clearTimeout(timer));
  if (response.ok) return response;
  const told = readError(response.status, await response.text());
  const failure = refusedByUpstream(channel, key, response.status, told, response.headers.get("retry-after"));
  context.health.report(channel, key, failure);
  throw toldOf(context, failure);
}

/** The same, for an answer that is an object. */
export async function askObject(context: RelayContext, choice: Choice, ask: ObjectAsk): Promise<JsonObject> {
  const answer = recordOf(parseJson(await (await askUpstream(context, choice, ask)).text()));
  if (!answer) throw toldOf(context, notAnswered(choice.channel, choice.key, "broken"));
  return answer;
}

/** The channel and key that made an object. Throws RelayError when they are gone or switched off. */
export function makerOf(
  { services }: RelayContext,
  { channelId, keyHash }: Pick<KeptObject, "channelId" | "keyHash">,
): Choice {
  const channel = services.channels.get(channelId);
  const key = channel?.keys.find((each) => hashOf(each) === keyHash);
  if (channel?.status !== 1 || key === undefined || channel.disabledKeys.has(key)) {
    throw new RelayError(503, "channel_unavailable", "The channel that keeps this object is not available.");
  }
  return { channel, key };
}

/** What tells a key from others without being one. */
export const hashOf = hexDigest;

/** Whether the channel can keep such things at all. */
export const keepsObjects = ({ type }: ChannelEntry): boolean => providerOf(type)?.objects !== undefined;

export const notOffered = (): RelayError =>
  new RelayError(501, "api_not_implemented", "No channel that you may use offers this API.");
