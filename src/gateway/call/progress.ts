import type { Attempt } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { ReleaseSlot } from "../../lib/limits/host-slots.ts";
import type { Call } from "./call.ts";
import { GatewayError } from "./errors.ts";
import type { GuardLog } from "./guardrails/call-guard.ts";
import type { Recording } from "./recording.ts";
import type { Choice, Route } from "./route.ts";

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
    this.firstByteMs = performance.now() - this.startedAtMs;
  }

  /** Measures the gateway's own time so far. */
  markOverhead(): number {
    this.overheadMs = Math.max(0, performance.now() - this.startedAtMs - this.waitedMs);
    return this.overheadMs;
  }
}

/** The attempts of one call, in order, as its log row lists them. */
export class AttemptLog {
  readonly entries: Attempt[] = [];
  /** The channel of the latest attempt, by which a call that fails is logged; null before the first one. */
  latest: Route | null = null;

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

/** What the cache of responses did for a call. */
export type CacheUse = Readonly<{
  /** *hit*: its response comes from the cache; *miss*: it is called for; *bypass*: the cache has no part in it. */
  state: "hit" | "miss" | "bypass";
  /** How old the response is; 0 unless it is a hit. */
  ageSeconds: number;
  /** Takes the response for the cache; null: it is not kept. */
  recording: Recording | null;
  /** What a hit spares, in quota units: its caller of the price, and the operator of the provider's (null: unknown). */
  savings?: Readonly<{ price: number; upstream: number | null }>;
  /** What of the request the provider of a hit could not express. */
  dropped?: readonly string[];
}>;

/** How far a call has come: what its steps write, all of it. */
export type CallProgress = Readonly<{ timing: CallTiming; client: ClientPresence; attempts: AttemptLog }> & {
  /** Null: the site has no cache of responses, or the call has not come to it. */
  cache: CacheUse | null;
  /** What guardrails found; null: none holds for it, or they found nothing yet. */
  guard: GuardLog | null;
  /** Its failure is in the log. */
  isLogged?: true;
};

/** How fast a channel serves a model: exponentially weighted averages of its latest calls. */
export type Speed = Readonly<{
  /** Null: not measured; only streams show it. */
  firstTokenMs: number | null;
  tokensPerSecond: number | null;
}>;

/**
 * A call of this age has waited for something (its body, a hold, a rate limit), so its client may have disconnected.
 */
const CHECK_AFTER_MS = 20;

export const CLIENT_LEFT = new GatewayError(499, "client_left", { code: "gateway_client_left" });

/**
 * Call right before sending a call upstream: without a client, nothing should be generated or charged. Only the
 * connections of calls that waited are checked, because the check is expensive. Throws GatewayError (499).
 */
export function refuseIfClientLeft({ progress, request }: Pick<Call, "progress" | "request">): void {
  const { client, timing } = progress;
  const isOld = performance.now() - timing.startedAtMs > CHECK_AFTER_MS;
  if (!client.hasLeft && isOld && request.signal.aborted) client.leave();
  if (client.hasLeft) throw CLIENT_LEFT;
}

/** The server of a request, as far as it decides how long the connection may be silent. */
export type RequestTimeouts = { timeout(request: Request, seconds: number): void };

/** Places in limits of concurrent calls, by the channel that they are at; null: they are the caller's. */
export type LimitPlaces = readonly Readonly<{ channel: ChannelEntry | null; release: ReleaseSlot }>[];

/**
 * Observes whether a call's client is still connected. The runtime creates a request's abort signal only when accessed,
 * which is expensive. Most calls end before the deadline wheel first turns, so the signal is accessed only then.
 */
export class ClientPresence implements HasDeadline {
  place = -1;
  hasLeft = false;
  /** Stops the call's work; set while an upstream works. */
  onLeave: (() => void) | null = null;
  /** What the call has taken in limits of concurrent calls, by the channel that it is at; null: nothing. */
  places: LimitPlaces | null = null;
  /** Takes back what a limit of successful requests has counted; null: it counted nothing. */
  takeBack: (() => void) | null = null;
  #wheel: DeadlineWheel | null = null;

  /** Until the call has ended, its connection may be silent for any time: the call has limits of its own. */
  constructor(
    private readonly request: Request,
    private readonly server: RequestTimeouts | null = null,
  ) {
    server?.timeout(request, 0);
  }

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

  /** The call has ended: its connection may be silent for `idleSeconds`, also while the client reads the response. */
  end(idleSeconds: number): void {
    this.onLeave = null;
    this.#wheel?.remove(this);
    this.server?.timeout(this.request, idleSeconds);
  }

  /** Closes the connection of a client that reads nothing. */
  disconnect(): void {
    this.server?.timeout(this.request, 1);
  }
}

/** Something with a deadline: a stream that may stall, a call that may wait too long. */
export type HasDeadline = {
  check(nowMs: number): void;
  /** The process is shutting down: end immediately. */
  cutOff?(): void;
  /** The index in the wheel; -1: not in it. Set only by the wheel. */
  place: number;
};

/** One timer for all open calls: cheaper than one per call, which every chunk would have to reset. */
export type DeadlineWheel = {
  add(watched: HasDeadline): void;
  remove(watched: HasDeadline): void;
  /** Cuts off everything in the wheel, and whatever is added from now on. */
  cutOff(): void;
  readonly size: number;
};

const TICK_MS = 250;

/** Calls `check` on every entry four times a second, with `performance.now()`. */
export function createDeadlineWheel(): DeadlineWheel {
  // Not a Set: one that changes with every call is reallocated again and again, and the old versions refer to the new
  // ones. The garbage collector's minor cycles would then retain all calls since its last full one.
  const all: HasDeadline[] = [];
  let timer: Timer | null = null;
  let isCutOff = false;
  const tick = () => {
    const now = performance.now();
    // Backwards: a removed entry is replaced by the last one, which was already checked.
    for (let place = all.length - 1; place >= 0; place--) all[place]?.check(now);
    if (all.length > 0 || !timer) return;
    clearInterval(timer);
    timer = null;
  };
  return {
    add(watched) {
      if (watched.place >= 0) return;
      watched.place = all.length;
      all.push(watched);
      timer ??= setInterval(tick, TICK_MS).unref();
      // Deferred, because the caller has not started to wait for the entry yet.
      if (isCutOff) queueMicrotask(() => watched.cutOff?.());
    },
    remove(watched) {
      const { place } = watched;
      const last = all.at(-1);
      if (place < 0 || !last) return;
      all[place] = last;
      last.place = place;
      all.pop();
      watched.place = -1;
    },
    cutOff() {
      isCutOff = true;
      for (const watched of [...all]) watched.cutOff?.();
    },
    get size() {
      return all.length;
    },
  };
}
