import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { DecodeError, type DoorCodec } from "../../formats/conversation/codec.ts";
import type { PeerSource } from "../../lib/client-ip.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { TopLevelChanges } from "../../lib/json-splice.ts";
import type { Form } from "../../lib/multipart/read-form.ts";
import { isTask } from "../../providers/contract/provider.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { authenticate, authenticateAgain, type Caller } from "../auth/authenticate.ts";
import { admitGroup, admitModel, findCandidates, noRoute } from "../auth/authorize.ts";
import { refuseSensitive } from "../auth/word-filter.ts";
import { promptTokensBound } from "../billing/estimate.ts";
import { fail } from "../billing/settle.ts";
import { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { errorResponse, RelayError } from "../call/errors.ts";
import { relay } from "../pipeline.ts";
import { bindState } from "../state/provider-state.ts";
import { type ClientBody, invalidRequest, readBody } from "./client-body.ts";
import { ClientPresence } from "./client-presence.ts";
import { withEarlyPings } from "./early-pings.ts";
import type { Endpoint, PathAsk } from "./endpoints/endpoint.ts";

/** The server a request came through, as far as the relay needs it. */
export type RelayServer = PeerSource & { timeout(request: Request, seconds: number): void };

/** Where a call comes from besides its body. */
export type Arrival = Readonly<{
  request: Request;
  server: RelayServer | null;
  endpoint: Endpoint;
  /** What the path says. */
  path?: PathAsk;
  /** The only channel that can serve it. */
  only?: ChannelEntry;
}>;

/** A call of an API key: authenticate → admit → decode → relay. Answers every failure in the form of its door. */
export function handleCall(context: RelayContext, arrival: Arrival): Promise<Response> {
  const startedAtMs = performance.now();
  const { request, server } = arrival;
  server?.timeout(request, 0);
  const ip = context.services.clientAddress.ip(request, server);
  let caller: Caller;
  try {
    caller = authenticate(context.services, request, ip, nowSeconds());
    admitGroup(context.services, caller);
  } catch (error) {
    return handleRefused(context, arrival, ip, startedAtMs, error);
  }
  return handleCaller(context, arrival, caller, ip, startedAtMs);
}

/** A call whose key was refused with `refusal`: it goes on where the database knows better. */
async function handleRefused(
  context: RelayContext,
  arrival: Arrival,
  ip: string,
  startedAtMs: number,
  refusal: unknown,
): Promise<Response> {
  const { request, endpoint } = arrival;
  let caller: Caller;
  try {
    caller = await authenticateAgain(context.services, request, ip, refusal);
    admitGroup(context.services, caller);
  } catch (error) {
    return refuse(context, request, error, endpoint.codec);
  }
  return handleCaller(context, arrival, caller, ip, startedAtMs);
}

/** Goes on with a caller who is known: rate → decode → model → relay. Answers every failure in the form of the door. */
export async function handleCaller(
  context: RelayContext,
  arrival: Arrival,
  caller: Caller,
  ip: string,
  startedAtMs: number,
  known?: Readonly<{ body: ClientBody; changes: TopLevelChanges }>,
): Promise<Response> {
  const { request, endpoint } = arrival;
  const { settings, config } = context.services;
  let form: Form | null = null;
  let isCall = false;
  try {
    const admitted = admitArrival(context, arrival, caller);
    if (admitted) await admitted;
    const waitFrom = performance.now();
    const body =
      known?.body ?? normalized(endpoint, await readBody(request, config, endpoint.rules, config.maxUploadBytes));
    form = body.form ?? null;
    const waitMs = performance.now() - waitFrom;
    const call = admitCall(context, arrival, caller, ip, body, known?.changes ?? NO_CHANGES, startedAtMs, waitMs);
    const unserved = refuseUnserved(context, call);
    if (unserved) {
      await form?.discard();
      return errorResponse(unserved, request, endpoint.codec);
    }
    const bound = bindState(context, call);
    if (bound) await bound;
    isCall = true;
    call.presence = new ClientPresence(context.arrivals, request, call);
    const pingSeconds = settings.get("general_setting.ping_interval_seconds");
    const pings = call.admitted.summary.stream && settings.get("general_setting.ping_interval_enabled");
    const answer = relay(context, call);
    // Its files are read again for each attempt, so they stay until there is an answer.
    if (form) discardAfter(answer, form);
    return await (pings ? withEarlyPings(answer, pingSeconds * 1000, request, call) : answer);
  } catch (error) {
    // A call that failed has been counted as one.
    if (isCall && error instanceof RelayError) {
      countRefusal(context, error);
      return errorResponse(error, request, endpoint.codec);
    }
    if (!isCall) void form?.discard();
    return refuse(context, request, error, endpoint.codec);
  }
}

function discardAfter(answer: Promise<Response>, form: Form): void {
  const discard = () => void form.discard();
  answer.then(discard, discard);
}

function normalized({ normalize }: Endpoint, body: ClientBody): ClientBody {
  if (!normalize) return body;
  const json = normalize(body.json);
  const text = JSON.stringify(json);
  return { text, size: Buffer.byteLength(text), json };
}

const NO_CHANGES: TopLevelChanges = {};

/**
 * Checks that the door of an arrival is open, and counts it in the limits of its caller, one after the other; awaits
 * nothing where they are counted in this process. Throws or rejects RelayError.
 */
export function admitArrival(
  context: RelayContext,
  { request, endpoint }: Pick<Arrival, "request" | "endpoint">,
  caller: Caller,
): void | Promise<void> {
  const { settings } = context.services;
  refuseDisabled(settings, endpoint);
  refuseBrowserExtension(settings, request);
  return (
    context.requestLimit.admit(caller.user.id)?.then(() => admitByUser(context, caller)) ?? admitByUser(context, caller)
  );
}

const admitByUser = (context: RelayContext, caller: Caller): void | Promise<void> =>
  context.userLimits.admit(caller.user)?.then(() => admitByKey(context, caller)) ?? admitByKey(context, caller);

const admitByKey = ({ tokenLimits }: RelayContext, { token }: Caller): void | Promise<void> =>
  token ? tokenLimits.admit(token, nowSeconds()) : undefined;

/** Sites may close doors (OpenAIEndpointEnabled, ClaudeEndpointEnabled, DrawingEnabled, TaskEnabled). */
function refuseDisabled(settings: SettingsReader, { codec, capability }: Endpoint): void {
  if (isTask(capability)) {
    if (settings.get(capability === "drawing" ? "DrawingEnabled" : "TaskEnabled")) return;
    throw new RelayError(403, "endpoint_disabled", "Tasks of this kind are turned off on this site.");
  }
  const { dialect } = codec;
  if (dialect.startsWith("openai") && !settings.get("OpenAIEndpointEnabled")) {
    throw new RelayError(403, "endpoint_disabled", "The OpenAI endpoints are turned off on this site.");
  }
  if (dialect === "anthropic" && !settings.get("ClaudeEndpointEnabled")) {
    throw new RelayError(403, "endpoint_disabled", "The Anthropic endpoint is turned off on this site.");
  }
}

/** Extensions can read what a page holds; sites may keep them out (global.block_browser_extension_enabled). */
function refuseBrowserExtension(settings: SettingsReader, request: Request): void {
  if (!settings.get("global.block_browser_extension_enabled")) return;
  const origin = request.headers.get("origin") ?? "";
  if (origin.includes("extension") && origin.includes("://")) {
    throw new RelayError(403, "browser_extension_blocked", "Browser extensions may not call this site.");
  }
}

/** The refusal of a call that no channel serves, which leaves a row in the log; null: some channel may serve it. */
export function refuseUnserved(context: RelayContext, call: Call): RelayError | null {
  const { caller, candidates, summary } = call.admitted;
  if (candidates.tiers.length > 0) return null;
  const error = noRoute(context.services, caller, summary.model);
  fail(context, call, error, "refused");
  return error;
}

/** A call of a known caller whose body is read. Throws RelayError where it may not be made; its candidates are empty where nobody serves it. */
export function admitCall(
  context: RelayContext,
  { request, endpoint, path, only }: Arrival,
  caller: Caller,
  ip: string,
  body: ClientBody,
  given: TopLevelChanges,
  startedAtMs: number,
  bodyWaitMs: number,
): Call {
  const { summary: read, prompt, conversation } = endpoint.read(body.json, path ?? null);
  const { model } = read;
  if (model === "") throw invalidRequest("“model” is missing.", "model");
  const summary = read.stream && !endpoint.streams ? { ...read, stream: false } : read;
  const changes = endpoint.codec.dialect !== "openai-chat" || body.json.model === model ? given : { ...given, model };
  admitModel(caller, model);
  refuseSensitive(context.services.settings, prompt);
  const candidates = only
    ? { model, tiers: [{ priority: 0, channels: [only] }] }
    : findCandidates(context.services, caller, model);
  const promptBound = promptTokensBound(prompt, body.size);
  return new Call(
    {
      request,
      endpoint,
      caller,
      ip,
      body,
      summary,
      changes,
      candidates,
      promptBound,
      prompt,
      conversation,
    },
    startedAtMs,
    nowSeconds(),
    bodyWaitMs,
  );
}

/** The answer to whatever went wrong before or in a call. */
export function refuse(context: RelayContext, request: Request, error: unknown, door?: DoorCodec): Response {
  if (error instanceof DecodeError) return refuse(context, request, invalidRequest(error.message, error.param), door);
  if (error instanceof RelayError) {
    countRefusal(context, error);
    context.metrics.refused(error.status);
    return errorResponse(error, request, door);
  }
  context.services.log.error({ error }, "a relayed call failed unforeseen");
  return errorResponse(
    new RelayError(500, "internal_error", "Something went wrong inside the gateway."),
    request,
    door,
  );
}

function countRefusal({ services }: RelayContext, { limit }: RelayError): void {
  if (limit) services.countRefusal(limit);
}
