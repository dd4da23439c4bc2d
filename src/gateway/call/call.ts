import type { Attempt } from "../../billing/types.ts";
import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { identify } from "../../lib/http/request-id.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { Endpoint } from "../http/endpoints/endpoint.ts";
import type { ParsedRequest } from "../http/parse-request.ts";
import type { RoutePlan } from "../routing/routes/plan.ts";
import type { Choice, Excluded } from "../routing/scheduler/choose.ts";
import type { Route } from "../upstream/route.ts";
import type { DeadlineWheel, HasDeadline } from "./deadline-wheel.ts";
import { GatewayError } from "./errors.ts";
import type { CallTrace } from "./telemetry/call-trace.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

/** Who calls, and by which channels the call can be served. */
type AuthorizedRequest = Readonly<{
  request: Request;
  endpoint: Endpoint;
  caller: Caller;
  ip: string;
  candidates: Candidates;
}>;

/** One call in the pipeline. It is immutable: steps return their result, or a changed copy. */
export type Call = AuthorizedRequest &
  ParsedRequest &
  Readonly<{
    /** The id that clients and upstreams receive; `recordId` identifies the log row. */
    requestId: string;
    recordId: string;
    /** Unix time in seconds at arrival. */
    createdAt: number;
    timing: CallTiming;
    client: ClientPresence;
    attempts: AttemptLog;
    /** The call's spans; null without telemetry. */
    trace: CallTrace | null;
    /** The complete chat for the upstream, with the earlier turns that it refers to; null for other calls. */
    fullConversation: (() => Conversation) | null;
    /** Earlier turns were inserted before the client's own messages. */
    isResumed: boolean;
    /** The model that the client named, if another has taken over; else null. */
    fallbackFrom: string | null;
    /** What the requested route decided; null: the client named a model. */
    route: RoutePlan | null;
    /** The text of its response is needed when it has ended. */
    keepsText: boolean;
    /** Channels and keys that are excluded from the start; null: none. */
    excluded: Excluded | null;
  }>;

/** Creates the call of an authorized request. `telemetry` receives its spans, if set. */
export function newCall(
  authorized: AuthorizedRequest,
  parsed: ParsedRequest,
  timing: CallTiming,
  telemetry: Telemetry | null = null,
): Call {
  const { request } = authorized;
  const { requestId, recordId } = identify(request);
  const conversation = parsed.conversation && readOnce(parsed.conversation);
  return {
    request,
    endpoint: authorized.endpoint,
    caller: authorized.caller,
    ip: authorized.ip,
    body: parsed.body,
    summary: parsed.summary,
    changes: parsed.changes,
    candidates: authorized.candidates,
    fallbacks: parsed.fallbacks,
    preferences: parsed.preferences,
    promptBound: parsed.promptBound,
    promptAudioTokens: parsed.promptAudioTokens,
    prompt: parsed.prompt,
    conversation,
    requestId,
    recordId,
    createdAt: nowSeconds(),
    timing,
    client: new ClientPresence(request),
    attempts: new AttemptLog(),
    trace: telemetry?.begin({ request, endpoint: authorized.endpoint, summary: parsed.summary }, timing) ?? null,
    fullConversation: conversation,
    isResumed: false,
    fallbackFrom: null,
    route: null,
    keepsText: false,
    excluded: null,
  };
}

/** Decodes a conversation when first needed. */
function readOnce(read: () => Conversation): () => Conversation {
  let conversation: Conversation | null = null;
  return () => {
    conversation ??= read();
    return conversation;
  };
}

/** When a call arrived, and how its time was spent. All in milliseconds. */
export class CallTiming {
  /** From arrival to the first byte of the response; null before. */
  firstByteMs: number | null = null;
  /** The gateway's own time up to the first byte of the response; null before. */
  overheadMs: number | null = null;
  /** Time spent in the queue of a busy route; part of `waitedMs`. */
  queuedMs = 0;

  constructor(
    /** `performance.now()` at arrival, or when a response of a realtime session began. */
    readonly startedAtMs: number,
    /** Time spent waiting for the client's body and for upstreams; the rest is the gateway's own. */
    public waitedMs = 0,
  ) {}

  get elapsedMs(): number {
    return performance.now() - this.startedAtMs;
  }

  /** Call when the response begins. */
  markFirstByte(): void {
    this.firstByteMs = this.elapsedMs;
  }

  /** Measures the gateway's own time so far. */
  markOverhead(): number {
    this.overheadMs = Math.max(0, this.elapsedMs - this.waitedMs);
    return this.overheadMs;
  }
}

/** The attempts of one call, in order, as its log row lists them. */
export class AttemptLog {
  readonly entries: Attempt[] = [];
  /** The channel of the latest attempt, by which the call is charged and logged; null before the first one. */
  route: Route | null = null;

  /** The same attempts, charged by another route. */
  withRoute(route: Route): AttemptLog {
    const log = new AttemptLog();
    log.entries.push(...this.entries);
    log.route = route;
    return log;
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** The latest attempt served a stream that has ended: `elapsedMs` since the call arrived. */
  endStream(elapsedMs: number): void {
    const last = this.entries.at(-1);
    if (last) last.endMs = Math.round(elapsedMs);
  }

  /** Begins the entry of an attempt; `startMs`: milliseconds since the call arrived. */
  begin({ channel }: Choice, startMs: number): Attempt {
    const entry: Attempt = {
      channelId: channel.id,
      channelName: channel.name,
      status: 0,
      startMs: Math.round(startMs),
      firstByteMs: null,
      endMs: 0,
    };
    this.entries.push(entry);
    return entry;
  }
}

/**
 * A call of this age has waited for something (its body, a hold, a rate limit), so its client may have disconnected.
 */
const CHECK_AFTER_MS = 20;

export const CLIENT_LEFT = new GatewayError(499, "client_left", { code: "gateway_client_left" });

/**
 * Call right before sending a call upstream: without a client, nothing should be generated or charged. Only the
 * connections of calls that waited are checked, because the check is expensive. Throws GatewayError (499).
 */
export function refuseIfClientLeft({ client, timing, request }: Pick<Call, "client" | "timing" | "request">): void {
  if (!client.hasLeft && timing.elapsedMs > CHECK_AFTER_MS && request.signal.aborted) client.leave();
  if (client.hasLeft) throw CLIENT_LEFT;
}

/**
 * Observes whether a call's client is still connected. The runtime creates a request's abort signal only when accessed,
 * which is expensive. Most calls end before the deadline wheel first turns, so the signal is accessed only then.
 */
export class ClientPresence implements HasDeadline {
  place = -1;
  hasLeft = false;
  /** Stops the call's work; set while an upstream works. */
  onLeave: (() => void) | null = null;
  /** Takes back what a limit of successful requests has counted; null: it counted nothing. */
  takeBack: (() => void) | null = null;
  #wheel: DeadlineWheel | null = null;

  constructor(private readonly request: Request) {}

  /** Starts to observe the client. */
  watch(wheel: DeadlineWheel): void {
    this.#wheel = wheel;
    wheel.add(this);
  }

  check(): void {
    this.#wheel?.remove(this);
    const { signal } = this.request;
    if (signal.aborted) this.leave();
    else signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  /** The client closed its connection. */
  leave(): void {
    this.hasLeft = true;
    this.onLeave?.();
  }

  /** The call has ended. */
  end(): void {
    this.onLeave = null;
    this.#wheel?.remove(this);
  }
}
