import type { McpServer } from "../../../domain/models/mcp/directory.ts";
import { ResultTooLargeError } from "../../../domain/models/mcp/result-too-large.ts";
import { NO_USAGE } from "../../../formats/conversation/reply.ts";
import { type JsonObject, recordOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { reasonOf } from "../../../lib/reason.ts";
import type { Decimal } from "../../../lib/values/decimal.ts";
import type { ToolRequest } from "../../adapters/mcp/sources/site-tools.ts";
import { authorizeModel, withEndUser } from "../../auth/authorize.ts";
import type { Limits } from "../../auth/limits/limits.ts";
import { isLimited, rateLimit } from "../../auth/rate-limit.ts";
import { type Call, newCall } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import {
  guardServerCall,
  guardServerError,
  guardServerResult,
  readsResult,
  type ServerGuardContext,
} from "../../call/guardrails/servers/guard-server-call.ts";
import { CLIENT_LEFT } from "../../call/progress.ts";
import type { Uses } from "../../call/services.ts";
import { countText } from "../../money/count-tokens.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import type { CallPrices } from "../../money/price.ts";
import { type Reservation, type ReserveContext, reserve } from "../../money/reserve.ts";
import {
  type BeginCallContext,
  beginCall,
  failCall,
  type RecordRefusalContext,
  recordFailure,
  recordRefusal,
} from "../../money/settle-call.ts";
import type { EndCallContext } from "../../pipeline/contexts.ts";
import { endCall } from "../../pipeline/pipeline.ts";
import { toGatewayError } from "../../request/error-response.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { toolEndpoint } from "./endpoint.ts";
import { CallCanceledError } from "./questions/call-canceled.ts";
import type { Questions } from "./questions/questions.ts";
import type { McpSessions } from "./sessions.ts";
import { addressesRequired, signInFailure } from "./sign-in-required.ts";

/** What `runServerCall` works with. */
export type ServerCallContext = EndCallContext &
  ReserveContext &
  BeginCallContext &
  RecordRefusalContext &
  ServerGuardContext &
  Pick<Limits, "planLimits" | "requestLimit" | "tokenLimits" | "userLimits"> &
  Uses<"log"> &
  Readonly<{ mcpSessions: McpSessions; mcpQuestions: Questions }>;

/** Who calls a server. */
export type ServerCaller = Omit<ToolRequest, "input" | "offered">;

/** A request to a server that is limited, charged and logged. */
type ServerCall<Result> = Readonly<{
  by: ServerCaller;
  server: McpServer;
  /** The name by which it is allowed, limited, priced and logged. */
  model: string;
  /** The tool that is called; null: a prompt or a resource is read. */
  tool: string | null;
  /** What is sent, if guardrails let it pass as it is. */
  input: JsonObject;
  /** What it costs, unless the option of prices says otherwise. */
  usdPerCall: Decimal;
  /** `isRead`: guardrails look through the result, and nothing may go around them. */
  send(input: JsonObject, isRead: boolean): Promise<Result>;
  /** The texts of a result. */
  textOf(result: Result): string;
  /** Why a result is none: it is passed on, and costs nothing. */
  failureOf?(result: Result): GatewayError | null;
  /** What a model may read of a result, if that is more than its texts. */
  readableOf?(result: Result): string;
}>;

/** A UTF-16 code unit has at most so many bytes in UTF-8. */
const MAX_BYTES_OF_UNIT = 3;
/** Of a result whose tokens are counted. */
const MAX_COUNTED_LENGTH = 524_288;

/** Servers are charged per call. */
const ONE_CALL = { ...NO_USAGE, promptTokens: 1 };

/**
 * Calls a server: authorize → limits → guardrails → sign-in → reserve → call → charge. The charge is durable before the client gets its result.
 * Rejects GatewayError; then nothing is charged or held.
 */
export async function runServerCall<Result extends object>(
  context: ServerCallContext,
  { by, server, tool, model, input, usdPerCall, send, textOf, failureOf, readableOf = textOf }: ServerCall<Result>,
): Promise<Result> {
  let call = callOf(context, by, model, input);
  const { caller } = call;
  let reserved: Reservation;
  try {
    authorizeModel(caller, model);
    if (isLimited(context, caller)) await rateLimit(context, caller);
    call = await guardServerCall(context, call, { server: server.name, tool });
    await requireSignIn(context, server, caller);
    const prices: CallPrices = {
      price: context.prices.ofTask(caller, model, usdPerCall),
      byName: null,
      byChannel: null,
    };
    reserved = await reserve(context, call, prices);
  } catch (thrown) {
    const error = toGatewayError(context, thrown, call.requestId);
    recordRefusal(context, call, error);
    throw error;
  }
  let result: Result;
  try {
    await beginCall(context, call);
    const sent = recordOf(call.body.json.arguments) ?? {};
    const received = await throughBreaker(context.mcpSessions, server, caller, () => send(sent, readsResult(call)));
    result = await guardServerResult(context, call, received, textOf(received));
    const { name, maxResultTokens } = server;
    if (maxResultTokens !== null) await refuseTooManyTokens(name, readableOf(result), maxResultTokens);
  } catch (thrown) {
    if (!(thrown instanceof CallCanceledError)) throw failCall(context, call, reserved, guardServerError(call, thrown));
    if (!thrown.wasSent) throw failCall(context, call, reserved, CLIENT_LEFT);
    // What the server did by then is done.
    const ended = { ending: "client_left" as const, reported: ONE_CALL, meter: new OutputMeter() };
    await endCall(context, call, reserved, ended);
    throw CLIENT_LEFT;
  }
  call.progress.timing.markFirstByte();
  const failure = failureOf?.(result) ?? null;
  if (failure) {
    recordFailure(context, call, reserved, failure, "upstream_failed");
    return result;
  }
  const meter = new OutputMeter();
  meter.text(textOf(result));
  await endCall(context, call, reserved, { ending: "complete", reported: ONE_CALL, meter });
  return result;
}

/** Rejects GatewayError if the caller's account must sign in at the server first, before anything is held. */
async function requireSignIn({ mcpSessions }: ServerCallContext, server: McpServer, caller: Call["caller"]) {
  try {
    await mcpSessions.requireSignIn(server, caller);
  } catch (thrown) {
    throw await failureOf(thrown, server);
  }
}

/** Rejects GatewayError if a result has more tokens than those of its server may have; of a long one, they are estimated. */
async function refuseTooManyTokens(server: string, text: string, max: number): Promise<void> {
  // A token has a byte at least.
  if (text.length * MAX_BYTES_OF_UNIT <= max) return;
  const counted = text.slice(0, MAX_COUNTED_LENGTH);
  const tokens = Math.ceil(((await countText("", counted)) * text.length) / counted.length);
  if (tokens <= max) return;
  const params = { server, tokens, max };
  throw new GatewayError(502, "mcp_result_too_large", { code: "gateway_mcp_result_tokens", params });
}

function callOf(
  context: ServerCallContext,
  { request, caller, ip, timing, labels }: ServerCaller,
  model: string,
  input: JsonObject,
): Call {
  const { settings, telemetry } = context.services;
  const json = { ...labels, model, arguments: input };
  const text = JSON.stringify(input);
  const parsed = parseRequest({ request, server: null, endpoint: toolEndpoint }, { json, text, size: text.length });
  const known = settings.values.EndUsersEnabled ? withEndUser(context.services, caller, request.headers, {}) : caller;
  const candidates = { model, tiers: [] };
  return newCall({ request, endpoint: toolEndpoint, ip, caller: known, candidates }, parsed, timing, telemetry);
}

/** Sends to a server unless it keeps failing. Rejects GatewayError. */
export async function throughBreaker<Result>(
  { breaker }: McpSessions,
  server: McpServer,
  { user }: Pick<Call["caller"], "user">,
  send: () => Promise<Result>,
): Promise<Result> {
  const restMs = breaker.enter(server.id, user.id);
  if (restMs > 0) {
    const seconds = Math.ceil(restMs / 1000);
    const params = { server: server.name, seconds };
    const details = { retryAfterSeconds: seconds };
    throw new GatewayError(503, "mcp_server_unavailable", { code: "gateway_mcp_resting", params }, details);
  }
  try {
    const result = await send();
    breaker.succeeded(server.id);
    return result;
  } catch (thrown) {
    if (thrown instanceof CallCanceledError) {
      breaker.abandoned(server.id);
      throw thrown;
    }
    const failure = await failureOf(thrown, server);
    // A server that refuses what the client sent works, and what one caller uses up says nothing of it.
    if (isCallers(thrown)) breaker.abandoned(server.id);
    else if (failure.status < 500) breaker.succeeded(server.id);
    else breaker.failed(server.id, user.id);
    throw failure;
  }
}

/** Failures that one caller can have with a server that works for others. */
const OF_CALLERS: readonly string[] = [
  ...["mcp_stdio_full", "gateway_mcp_sign_in_not_renewed", "gateway_mcp_unanswered", "database_unavailable"],
];
const isCallers = (thrown: unknown): boolean =>
  thrown instanceof ResultTooLargeError || (thrown instanceof OperationError && OF_CALLERS.includes(thrown.code));

/** Processes get free when calls end. */
const RETRY_WHEN_FULL_S = 5;

const INVALID_PARAMS = -32602;
const REQUEST_TIMEOUT = -32001;
const CONNECTION_CLOSED = -32000;

/** The failure of a call to a server: 4xx if the server refused what the client sent. */
async function failureOf(thrown: unknown, server: McpServer): Promise<GatewayError> {
  const { name, timeoutMs } = server;
  const [{ McpError }, { statusOfFailure }, { ArgumentError }] = await Promise.all([
    import("@modelcontextprotocol/sdk/types.js"),
    import("../../../domain/models/mcp/connection.ts"),
    import("../../../domain/models/mcp/openapi/build-request.ts"),
  ]);
  const signIn = signInFailure(thrown);
  if (signIn) return signIn;
  if (thrown instanceof OperationError && thrown.code === "mcp_stdio_full") {
    const details = { retryAfterSeconds: RETRY_WHEN_FULL_S };
    return new GatewayError(503, "mcp_server_unavailable", reasonOf(thrown), details);
  }
  if (thrown instanceof OperationError && thrown.code === "gateway_mcp_unanswered")
    return new GatewayError(504, "mcp_timeout", reasonOf(thrown));
  if (thrown instanceof ArgumentError) return new GatewayError(400, INVALID_PARAMS, thrown.reason);
  const status = statusOfFailure(thrown);
  if (status !== null) {
    const params = { server: name, status };
    return new GatewayError(502, "mcp_server_failed", { code: "gateway_mcp_status", params });
  }
  if (thrown instanceof McpError && thrown.code === REQUEST_TIMEOUT) {
    const params = { server: name, seconds: timeoutMs / 1000 };
    return new GatewayError(504, "mcp_timeout", { code: "gateway_mcp_timeout", params });
  }
  if (thrown instanceof McpError && thrown.code !== CONNECTION_CLOSED) {
    const text = thrown.message.replace(/^MCP error -?\d+: /, "").slice(0, MAX_ERROR_LENGTH);
    const refusal = new GatewayError(400, thrown.code, text, { type: "upstream_error" });
    return addressesRequired(thrown, server, text) ?? refusal;
  }
  const why = reasonOf(thrown);
  const params = { server: name, why: typeof why === "string" ? why.slice(0, MAX_ERROR_LENGTH) : why };
  return new GatewayError(502, "mcp_server_failed", { code: "gateway_mcp_failed", params });
}

const MAX_ERROR_LENGTH = 1_000;
