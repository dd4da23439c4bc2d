import type { JsonObject } from "../../../formats/json.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { type CallParams, type Provider, signingTools } from "../../../providers/contract/provider.ts";

import type { ChannelEntry } from "../entry.ts";
import { userAgentOf } from "./request-options.ts";

const TIMEOUT_MS = 60_000;

type Request = Readonly<{
  provider: Provider;
  key: string;
  /** As users name it. */
  requestedModel: string;
  ask: CallParams;
  body: JsonObject;
}>;

/**
 * Sends a request that no user made through a channel, as the provider wants it. Nothing is charged or logged. Rejects when the
 * upstream does not answer.
 */
export async function postRequest(
  fetch: SafeFetch,
  channel: ChannelEntry,
  { provider, key, requestedModel, ask, body }: Request,
): Promise<Readonly<{ status: number; text: string }>> {
  const prepared = provider.prepare?.(body, ask);
  const name = prepared && "model" in body ? { model: prepared.model } : null;
  const sent = JSON.stringify(applyChanges({ ...body, ...name }, { ...prepared?.changes, ...channel.paramOverride }));
  const params = { ...ask, model: prepared?.model ?? ask.model, key, requestedModel };
  const url = provider.url(channel, params);
  const headers = {
    "user-agent": userAgentOf(channel),
    ...provider.authHeaders(channel, key, params),
    "content-type": "application/json",
  };
  const signed = await provider.sign?.({ url, headers, body: sent }, channel, key, signingTools(fetch));
  const answer = await fetch(signed?.url ?? url, {
    method: "POST",
    headers: { ...headers, ...signed?.headers },
    body: signed?.body ?? sent,
    webSocket: provider.chat?.streaming.isWebSocket === true,
    proxy: typeof channel.setting.proxy === "string" ? channel.setting.proxy : "",
    timeoutMs: TIMEOUT_MS,
    maxRedirects: 0,
  });
  return { status: answer.status, text: answer.text() };
}

/** Undefined takes a field away. */
function applyChanges(body: JsonObject, changes: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries({ ...body, ...changes }).filter(([, value]) => value !== undefined));
}
