import { hasOwnKeys } from "../../../domain/channels/provider-keys/own-keys.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { canonicalJson } from "../../../lib/values/json/canonical-json.ts";
import type { CacheRule } from "../../../settings/option/cache-rules.ts";
import type { Call } from "../../call/call.ts";
import { logsContent } from "../../money/log-content.ts";
import { needsOf } from "../../routing/model-fit.ts";

/** What `isCacheable` reads of a call. */
type CacheableCall = Pick<
  Call,
  | "body"
  | "caller"
  | "candidates"
  | "endpoint"
  | "excluded"
  | "isResumed"
  | "preferences"
  | "prompt"
  | "promptBound"
  | "route"
>;

/** The kinds of calls whose responses are texts or numbers that follow from the request. */
const CAPABILITIES: ReadonlySet<string> = new Set(["chat", "completions", "embeddings", "rerank", "moderations"]);

/** Members by which a response belongs to a conversation or a job that the provider or the gateway stores. */
const STATEFUL = ["previous_response_id", "conversation", "background", "previous_interaction_id", "container"];

/** Members of a request that describe its sender or how it is sent, and have no part in the response. */
const LABELS: ReadonlySet<string> = new Set([
  "metadata",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "stream",
  "stream_options",
  "user",
]);

/** Headers that change what a provider answers. */
const HEADERS = ["anthropic-beta", "anthropic-version", "openai-beta", "x-sluice-strict"];

/** A number with more digits than a double holds: two of them may look alike once they are parsed. */
const LONG_NUMBER = /\d{16}/;

/** Whether the response to a call may come from the cache, and be kept in it, by a rule. */
export function isCacheable(call: CacheableCall, rule: CacheRule): boolean {
  const { body, caller, endpoint, route } = call;
  const { json } = body;
  if (!rule.isEnabled || !CAPABILITIES.has(endpoint.capability) || endpoint.compacts || body.form) return false;
  // The playground compares models; a pinned channel, a preference and an experiment ask for a response of their own.
  const isChosen = caller.token === null || caller.pinnedChannelId !== null || call.excluded !== null;
  if (isChosen || call.preferences !== null || route?.experiment) return false;
  // Who pays the provider is asked by each call.
  if (caller.ownKeys && hasOwnKeys(call.candidates)) return false;
  if (call.isResumed || STATEFUL.some((name) => json[name] != null && json[name] !== false)) return false;
  if (isStored(endpoint.codec.dialect, json)) return false;
  if (!rule.private && !logsContent(caller.policies)) return false;
  const needs = needsOf(call.prompt, json, call.promptBound);
  if (!rule.tools && (needs.tools || json.tools != null || json.web_search_options != null)) return false;
  return (rule.images || !needs.images) && (rule.files || !(needs.files || needs.audio));
}

/** Whether the response is stored, so that a later request may refer to it: the default of two formats. */
const isStored = (dialect: string, json: JsonObject): boolean =>
  dialect === "openai-responses" || dialect === "gemini-interactions" ? json.store !== false : json.store === true;

/**
 * What makes requests equal: the tenant first, then the format, the model, what of the headers matters, the body with its members
 * in order, without those that label it, and its guardrails with the values that they masked.
 */
export function cacheKeyOf(
  {
    body,
    caller,
    endpoint,
    guard,
    request,
    summary,
  }: Pick<Call, "body" | "caller" | "endpoint" | "guard" | "request" | "summary">,
  { scope }: Pick<CacheRule, "scope">,
): string {
  const tenant = scope === "key" && caller.token ? `key ${caller.token.id}` : `account ${caller.user.id}`;
  const headers = HEADERS.map((name) => request.headers.get(name) ?? "");
  const { codec, capability } = endpoint;
  // Only chats are given as a stream or not from the same entry.
  const isStream = capability !== "chat" && summary.stream;
  const content = LONG_NUMBER.test(body.text) ? body.text : canonicalJson(withoutLabels(body.json));
  const parts = [tenant, caller.group, codec.dialect, capability, summary.model, isStream, headers, content];
  // An answer that passed other guardrails, or none, is another one.
  return JSON.stringify(guard ? [...parts, guard.fingerprint, [...guard.placeholders.entries]] : parts);
}

const withoutLabels = (json: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !LABELS.has(name)));
