import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { type Call, CallTiming } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { Arrival } from "../../http/arrival.ts";
import { responsesServers } from "./responses-servers.ts";
import { ResponsesTurn } from "./responses-turn.ts";
import { storeTurn } from "./store-turn.ts";
import { McpToolset } from "./toolset.ts";
import type { McpTurn, PendingCall } from "./turn.ts";

export { planMcp } from "./plan-mcp.ts";

/** Runs a call through the pipeline. */
type HandleCall = (context: GatewayContext, arrival: Arrival) => Promise<Response>;

/** As many rounds as Anthropic's API makes in one response. */
const MAX_ROUNDS = 10;
/** After this time no more tools are called. */
const MAX_ELAPSED_MS = 600_000;

/**
 * Serves a request with MCP tools on channels that cannot connect to its servers: the gateway offers their tools as functions,
 * makes the calls, and calls the model again with the results. Each of these rounds is a call of its own (`handle`), reserved,
 * charged and logged. Resolves with the error of a round that fails. Rejects GatewayError or DecodeError before the first
 * round.
 */
export async function runMcp(
  context: GatewayContext,
  arrival: Arrival,
  call: Call,
  handle: HandleCall,
): Promise<Response> {
  const { json } = call.body;
  const servers = responsesServers(json.tools);
  const turn = new ResponsesTurn(json, await earlierItems(context, call));
  const toolset = new McpToolset(context.mcpFetch, servers, call.request.signal);
  try {
    await toolset.list("openai-responses", turn.known);
    await makeCalls(toolset, turn.begin(toolset));
    const rounds = new Rounds(context, arrival, call, handle);
    const answer = await runToEnd(rounds, turn, toolset);
    if (answer.ok) await storeTurn(context, call, turn);
    return answer;
  } finally {
    toolset.close();
  }
}

async function runToEnd(rounds: Rounds, turn: McpTurn, toolset: McpToolset): Promise<Response> {
  for (;;) {
    const answer = await rounds.next(turn);
    const response = answer.ok ? recordOf(await answer.json()) : null;
    if (!response) return answer;
    await makeCalls(toolset, turn.take(response));
    if (turn.goesOn()) continue;
    const headers = new Headers(answer.headers);
    headers.delete("content-length");
    return new Response(JSON.stringify(turn.response()), { headers });
  }
}

/** Makes the calls of one round, all at the same time; their results follow in the order of the calls. */
async function makeCalls(toolset: McpToolset, calls: readonly PendingCall[]): Promise<void> {
  const results = await Promise.all(calls.map(({ tool, input }) => toolset.call(tool, input)));
  for (const [at, result] of results.entries()) calls[at]?.finish(result);
}

/** The model calls of one request. */
class Rounds {
  #count = 0;
  readonly #startedAt = performance.now();

  constructor(
    private readonly context: GatewayContext,
    private readonly arrival: Arrival,
    private readonly call: Call,
    private readonly handle: HandleCall,
  ) {}

  next(turn: McpTurn): Promise<Response> {
    this.#count += 1;
    const isLast = this.#count >= MAX_ROUNDS || performance.now() - this.#startedAt > MAX_ELAPSED_MS;
    const { request, endpoint, caller, ip, requestId } = this.call;
    const text = JSON.stringify(turn.request(isLast));
    const body = { text, size: Buffer.byteLength(text), json: recordOf(parseJson(text)) ?? {} };
    const headers = new Headers(request.headers);
    headers.set("x-request-id", requestId);
    const { url, signal } = request;
    const { changes = {} } = this.arrival.signedIn ?? {};
    return this.handle(this.context, {
      request: new Request(url, { method: "POST", headers, signal }),
      server: { requestIP: () => ({ address: ip }), timeout() {} },
      endpoint,
      signedIn: { caller, timing: new CallTiming(performance.now()), body, changes },
      ...(this.#count === 1 && { isAdmitted: true }),
    });
  }
}

/** The items of the response that the request continues, if the gateway stores it. */
async function earlierItems({ services }: GatewayContext, { body, caller }: Call): Promise<readonly JsonObject[]> {
  const id = textOf(body.json.previous_response_id);
  const found = id ? await services.responses.find(id, caller.user.id, nowSeconds()) : null;
  return recordsOf(found?.body.output);
}
