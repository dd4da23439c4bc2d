import type { PolicySet } from "../../../domain/accounts/organizations/policies/policy.ts";
import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import { hasOwnKeys } from "../../../domain/channels/provider-keys/own-keys.ts";
import { addOwnHeaders } from "../../../domain/channels/routing/overrides/own-headers.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { requestsProviderTools } from "../../../formats/tools/provider-tools.ts";
import { canonicalJson } from "../../../lib/values/json/canonical-json.ts";
import type { CacheRule } from "../../../settings/option/cache-rules.ts";
import type { Call } from "../../call/call.ts";
import { logsContent } from "../../money/log-content.ts";
import { needsOf } from "../../routing/model-fit.ts";
import { headerFactsOf, requestedVersionOf } from "../../upstream/route.ts";
import { ENTRY_FORMAT } from "./entry-text.ts";

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

/** Members that name tools, in any format. */
const TOOLS = ["tools", "functions", "mcp_servers", "web_search", "search_options"];

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
const HEADERS = ["anthropic-beta", "anthropic-version", "api-revision", "openai-beta", "x-sluice-strict"];

/** A number with more digits than a double holds, or beyond its range: two of them may look alike once they are parsed. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

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
  if (!rule.tools && (needs.tools || TOOLS.some((name) => json[name] != null) || requestsProviderTools(json)))
    return false;
  if (call.candidates.tiers.some(({ channels }) => channels.some(readsHeaders))) return false;
  return (rule.images || !needs.images) && (rule.files || !(needs.files || needs.audio));
}

/** Whether the response is stored, so that a later request may refer to it: the default of two formats. */
const isStored = (dialect: string, json: JsonObject): boolean =>
  dialect === "openai-responses" || dialect === "gemini-interactions" ? json.store !== false : json.store === true;

/** Whether what a channel changes in requests depends on headers of the client. */
const readsHeaders = ({ overrideRules }: ChannelEntry): boolean =>
  overrideRules?.some(({ conditions }) => conditions.some(({ path }) => path[0] === "request_headers")) ?? false;

/** What `cacheKeyOf` reads of a call. */
type KeyedCall = Pick<
  Call,
  "body" | "caller" | "candidates" | "endpoint" | "fallbackFrom" | "guard" | "request" | "route" | "summary"
>;

/**
 * What makes requests equal: the tenant first, then the format, the model and the name by which it was called, what of the headers
 * matters, by whom the call may be served, and the body with its members in order, without those that label it.
 */
export function cacheKeyOf(call: KeyedCall, { scope }: Pick<CacheRule, "scope">): string {
  const { body, caller, endpoint, guard, request, summary } = call;
  const tenant = scope === "key" && caller.token ? `key ${caller.token.id}` : `account ${caller.user.id}`;
  const { codec, capability } = endpoint;
  return JSON.stringify([
    tenant,
    ENTRY_FORMAT,
    caller.group,
    [codec.dialect, capability, requestedVersionOf(request.url), caller.token?.strict ?? false],
    [summary.model, nameIn(call)],
    // Only chats are given as a stream or not from the same entry.
    capability === "chat" ? null : [summary.stream, summary.wantsUsage],
    HEADERS.map((name) => request.headers.get(name) ?? ""),
    caller.policies ? providersOf(caller.policies) : null,
    channelsOf(call),
    LONG_NUMBER.test(body.text) ? body.text : canonicalJson(withoutLabels(body.json)),
    // An answer that passed other guardrails, or none, is another one.
    guard && [guard.fingerprint, [...guard.placeholders.entries]],
  ]);
}

/** The name by which the client called: of a model or of a route. */
export const nameIn = ({ fallbackFrom, summary }: Pick<Call, "fallbackFrom" | "summary">): string =>
  fallbackFrom ?? summary.model;

/** Where policies let requests be processed: elsewhere is no place for their answers either. */
const providersOf = (policies: PolicySet) =>
  policies.map(({ channelTypes, regions }) => [
    channelTypes && [...channelTypes].toSorted((a, b) => a - b),
    regions?.map(({ source }) => source) ?? null,
  ]);

/** What channels send besides the request; of a route, whose conditions choose among them, also which they are. */
const channelsOf = (call: Pick<Call, "caller" | "candidates" | "request" | "route">) =>
  call.candidates.tiers.flatMap(({ channels }) =>
    channels.flatMap(({ id, ownHeaders }) => {
      if (!ownHeaders) return call.route ? [id] : [];
      const headers: Record<string, string> = {};
      addOwnHeaders(headers, ownHeaders, headerFactsOf({ ...call, requestId: "" }));
      return [id, headers];
    }),
  );

const withoutLabels = (json: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !LABELS.has(name)));
