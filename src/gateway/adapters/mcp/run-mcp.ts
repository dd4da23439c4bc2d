import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import { upstreamModelOf } from "../../../domain/channels/routing/routing-index.ts";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { Call } from "../../call/call.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { GatewayError } from "../../call/errors.ts";
import { CallTiming } from "../../call/progress.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import type { Arrival } from "../../request/arrival.ts";
import { generateContent, generateContentArray } from "../../request/endpoints/conversations.ts";
import { narrowChannels } from "../../state/responses/pin-channel.ts";
import type { UsesStores } from "../../state/stores.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";
import { readRequest } from "./read-request.ts";
import { addressSource } from "./sources/address-source.ts";
import { addressesIn } from "./sources/declared.ts";
import { siteServersFor } from "./sources/site-address.ts";
import { type SiteSourceContext, siteSource } from "./sources/site-tools.ts";
import type { ToolSource } from "./sources/tool-result.ts";
import { streamRounds } from "./stream-rounds.ts";
import { type McpServer, McpToolset } from "./toolset.ts";
import type { McpTurn, PendingCall } from "./turn.ts";

/**
 * The call as providers that connect to its MCP servers themselves serve it; null: the gateway connects to them. The best
 * channels decide: where one of them runs MCP tools, only channels that do serve the call. A route or a list of models is
 * served by such channels alone, or by the gateway. No provider knows the site's own servers, so the gateway serves a request that
 * names one. Throws GatewayError where it cannot.
 */
export function planMcp(
  context: Uses<"settings" | "config"> & Pick<CallTools, "catalog"> & Pick<UpstreamTools, "limitations">,
  call: Call,
): Call | null {
  if (namesSiteServer(context, call)) {
    const member = STORED_BY_PROVIDER.find((name) => call.body.json[name] != null);
    if (member) throw invalid({ code: "gateway_mcp_site_stored", params: { field: member } }, member);
    return null;
  }
  if (!context.services.settings.values["mcp.execution_enabled"] || !canRunInRounds(call.body.json)) return call;
  const { tiers } = call.candidates;
  const targets = call.route?.targets ?? [];
  const all = [...tiers, ...targets.flatMap(({ candidates }) => candidates.tiers)].flatMap(({ channels }) => channels);
  const isNative = (channel: ChannelEntry) => runsMcp(context, call, channel);
  if (call.fallbacks.length === 0 && all.every(isNative)) return call;
  if (call.route || call.fallbacks.length > 0 || !tiers[0]?.channels.some(isNative)) return null;
  return narrowChannels(call, isNative);
}

function runsMcp(
  context: Pick<CallTools, "catalog"> & Pick<UpstreamTools, "limitations">,
  { endpoint, candidates, summary }: Call,
  channel: ChannelEntry,
): boolean {
  const chat = providerOf(channel.type)?.chat;
  const { dialect } = endpoint.codec;
  if (!chat?.runsMcp || !chat.formats.includes(dialect)) return false;
  if (dialect === "openai-responses" && context.limitations.get(channel)?.has("responses")) return false;
  const declared = channel.setting.mcp_tools;
  if (!chat.runsMcp(channel, dialect, typeof declared === "boolean" ? declared : null)) return false;
  const model = upstreamModelOf(channel, summary.model, candidates.model);
  return (chat.formatOf(model, channel.keys[0] ?? "", candidates.model, context.catalog()) ?? dialect) === dialect;
}

/** Members by which a request continues what its provider stores, and which every round would add to. */
const STORED_BY_PROVIDER = ["conversation", "prompt", "thread", "container"] as const;

function namesSiteServer(context: Uses<"settings" | "config">, { body: { json }, request }: Call): boolean {
  const siteServerOf = siteServersFor(context, request);
  return addressesIn(json).some((url) => url === null || siteServerOf(url) !== null);
}

const invalid = (reason: GatewayError["reason"], param: string): GatewayError =>
  new GatewayError(400, "invalid_request", reason, { type: "invalid_request_error", param });

/** Whether the gateway can continue the request round by round. */
const canRunInRounds = (json: JsonObject): boolean => STORED_BY_PROVIDER.every((member) => json[member] == null);

/** Runs a call through the pipeline. */
export type HandleCall = (arrival: Arrival) => Promise<Response>;

/** As many rounds as Anthropic's API makes in one response. */
const MAX_ROUNDS = 10;
/** After this time no more tools are called. */
const MAX_ELAPSED_MS = 600_000;

/**
 * Serves a request with MCP tools on channels that cannot connect to its servers: the gateway offers their tools as functions,
 * makes the calls, and calls the model again with the results. Each of these rounds is a call of its own (`handle`), reserved,
 * charged and logged. Resolves with the error of a round that fails. Rejects GatewayError or DecodeError before the first
 * round. `call` has the body as it was received.
 */
export async function runMcp(
  context: Uses<"settings" | "config"> & UsesStores<"responses"> & Pick<UpstreamTools, "mcpFetch"> & SiteSourceContext,
  arrival: Arrival,
  call: Call,
  handle: HandleCall,
): Promise<Response> {
  const { endpoint, request, summary } = call;
  const { servers, turn, events, complete } = await readRequest(context, call);
  // An array of responses is read as events.
  const roundsAt = endpoint === generateContentArray ? generateContent : endpoint;
  const leave = new AbortController();
  const signal = AbortSignal.any([request.signal, leave.signal]);
  const toolset = new McpToolset((server) => sourceOf(context, call, server, signal), servers, signal);
  const rounds = new Rounds(arrival, call, roundsAt, handle, signal);
  const next = () => rounds.next(turn);
  const makeCalls = (response: JsonObject) => callTools(toolset, turn.take(response));
  let isStreaming = false;
  try {
    await toolset.list(endpoint.codec.dialect, turn.known);
    await callTools(toolset, turn.begin(toolset));
    const first = await next();
    if (!summary.stream || !first.ok) return await runToEnd(first, turn, { next, makeCalls, complete });
    isStreaming = true;
    const { settings } = context.services;
    const stream = streamRounds(first, {
      ...{ turn, next, makeCalls, complete, ping: endpoint.codec.ping },
      events: events(),
      pingMs: settings.values["general_setting.ping_interval_enabled"]
        ? settings.values["general_setting.ping_interval_seconds"] * 1000
        : 0,
      leave: () => leave.abort(),
      close: () => toolset.close(),
    });
    const headers = new Headers(first.headers);
    headers.set("content-type", endpoint.codec.streamType);
    return new Response(stream, { headers });
  } finally {
    if (!isStreaming) toolset.close();
  }
}

/** The site's servers are the operator's choice; connecting to others can be switched off. */
function sourceOf(
  context: Uses<"settings" | "config"> & Pick<UpstreamTools, "mcpFetch"> & SiteSourceContext,
  call: Call,
  server: McpServer,
  signal: AbortSignal,
): ToolSource {
  const { siteServer, label } = server;
  if (siteServer !== null) return siteSource(context, call, siteServer, signal);
  if (!context.services.settings.values["mcp.execution_enabled"]) {
    throw invalid({ code: "gateway_mcp_addresses_off", params: { label } }, "tools");
  }
  return addressSource(context.mcpFetch, server, signal);
}

/** What follows a round. */
type Steps = Readonly<{
  next(): Promise<Response>;
  makeCalls(response: JsonObject): Promise<void>;
  complete(): Promise<void>;
}>;

async function runToEnd(first: Response, turn: McpTurn, { next, makeCalls, complete }: Steps): Promise<Response> {
  for (let answer = first; ; answer = await next()) {
    const response = answer.ok ? recordOf(await answer.json()) : null;
    if (!response) return answer;
    await makeCalls(response);
    if (turn.goesOn()) continue;
    await complete();
    const headers = new Headers(answer.headers);
    headers.delete("content-length");
    return new Response(JSON.stringify(turn.response()), { headers });
  }
}

/** Makes the calls of one round, all at the same time; their results follow in the order of the calls. */
async function callTools(toolset: McpToolset, calls: readonly PendingCall[]): Promise<void> {
  const results = await Promise.all(calls.map(({ tool, input }) => toolset.call(tool, input)));
  for (const [at, result] of results.entries()) calls[at]?.finish(result);
}

/** What the gateway does in the provider's place. */
const MCP_BETA = /^\s*mcp-client-/;

/** The model calls of one request. */
class Rounds {
  #count = 0;
  readonly #startedAt = performance.now();

  constructor(
    private readonly arrival: Arrival,
    private readonly call: Call,
    private readonly endpoint: Endpoint,
    private readonly handle: HandleCall,
    private readonly signal: AbortSignal,
  ) {}

  next(turn: McpTurn): Promise<Response> {
    this.#count += 1;
    const isLast = this.#count >= MAX_ROUNDS || performance.now() - this.#startedAt > MAX_ELAPSED_MS;
    const { request, caller, ip, requestId } = this.call;
    const text = JSON.stringify(turn.request(isLast));
    const body = { text, size: Buffer.byteLength(text), json: recordOf(parseJson(text)) ?? {} };
    const headers = new Headers(request.headers);
    headers.set("x-request-id", requestId);
    const betas = (headers.get("anthropic-beta") ?? "").split(",").filter((name) => !MCP_BETA.test(name));
    if (betas.join("") === "") headers.delete("anthropic-beta");
    else headers.set("anthropic-beta", betas.join(","));
    const { signal } = this;
    const { only, path, signedIn } = this.arrival;
    return this.handle({
      request: new Request(request.url, { method: "POST", headers, signal }),
      server: { requestIP: () => ({ address: ip }), timeout() {} },
      endpoint: this.endpoint,
      ...(path && { path }),
      signedIn: { caller, timing: new CallTiming(performance.now()), body, changes: signedIn?.changes ?? {} },
      ...(only && { only }),
      ...(this.#count === 1 && { isAdmitted: true }),
    });
  }
}
