import type { JsonObject } from "../../../formats/json.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { FormFile } from "../../../providers/contract/chat.ts";
import { type CallParams, type Provider, signingTools } from "../../../providers/contract/provider.ts";

import type { ChannelEntry } from "../entry.ts";
import { overrideChanges } from "../routing/overrides/apply-overrides.ts";
import { addOwnHeaders } from "../routing/overrides/own-headers.ts";
import { userAgentOf } from "./request-options.ts";

const TIMEOUT_MS = 60_000;

type Request = Readonly<{
  provider: Provider;
  key: string;
  /** As users name it. */
  requestedModel: string;
  ask: CallParams;
  body: JsonObject;
  /** Files of a form, whose fields the body has; absent: the body goes as JSON. */
  files?: readonly FormFile[];
  /** Instead of the provider's address for `ask`, with headers of its own. */
  target?: Readonly<{ url: string; headers?: Readonly<Record<string, string>> }>;
}>;

/** What an upstream answered; `request` is the text that it was sent. */
export type Posted = Readonly<{
  status: number;
  text: string;
  bytes: Uint8Array;
  contentType: string;
  request: string;
}>;

/**
 * Sends a request that no user made through a channel, as the provider wants it. Nothing is charged or logged. Rejects when the
 * upstream does not answer.
 */
export async function postRequest(
  fetch: SafeFetch,
  channel: ChannelEntry,
  { provider, key, requestedModel, ask, body, files, target }: Request,
): Promise<Posted> {
  const prepared = provider.prepare?.(body, ask);
  const name = prepared && "model" in body ? { model: prepared.model } : null;
  const { overrideRules, ownHeaders } = channel;
  const set = applyChanges({ ...body, ...name }, { ...prepared?.changes, ...channel.paramOverride });
  const noCall = new Headers();
  const facts = { model: ask.model, requestedModel, requestPath: "", headers: noCall };
  const fields = overrideRules ? applyChanges(set, overrideChanges(overrideRules, set, facts)) : set;
  const params = { ...ask, model: prepared?.model ?? ask.model, key, requestedModel };
  const url = target?.url ?? provider.url(channel, params);
  const form = files ? await formOf(fields, files) : null;
  const text = JSON.stringify(fields);
  const headers: Record<string, string> = {
    "user-agent": userAgentOf(channel),
    ...provider.authHeaders(channel, key, params),
    ...target?.headers,
    "content-type": form?.contentType ?? "application/json",
  };
  if (ownHeaders) {
    addOwnHeaders(headers, ownHeaders, { keyName: "", userId: 0, username: "", requestId: "", clientHeaders: noCall });
  }
  // Forms are not signed, but a signature may bring an access token.
  const signed = await provider.sign?.({ url, headers, body: form ? "" : text }, channel, key, signingTools(fetch));
  const answer = await fetch(signed?.url ?? url, {
    method: "POST",
    headers: { ...headers, ...signed?.headers },
    body: form?.bytes ?? signed?.body ?? text,
    webSocket: ask.capability === "chat" && provider.chat?.streaming.isWebSocket === true,
    proxy: typeof channel.setting.proxy === "string" ? channel.setting.proxy : "",
    timeoutMs: TIMEOUT_MS,
    maxRedirects: 0,
  });
  const contentType = answer.headers.get("content-type") ?? "application/json";
  return { status: answer.status, text: answer.text(), bytes: answer.body, contentType, request: text };
}

/** Undefined takes a field away. */
function applyChanges(body: JsonObject, changes: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries({ ...body, ...changes }).filter(([, value]) => value !== undefined));
}

async function formOf(fields: JsonObject, files: readonly FormFile[]) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  for (const { name, bytes, type } of files)
    form.append(name, new Blob([bytes], { type }), `test.${type.split("/")[1]}`);
  const encoded = await new Response(form).blob();
  return { contentType: encoded.type, bytes: await encoded.bytes() };
}
