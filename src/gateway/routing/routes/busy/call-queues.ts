import type { HostSlots } from "../../../../lib/limits/host-slots.ts";
import type { Call } from "../../../call/call.ts";
import { GatewayError } from "../../../call/errors.ts";
import { CLIENT_LEFT } from "../../../call/progress.ts";
import type { QueueRule } from "../../../call/route.ts";

/** The first call that waits for a route in a worker; `sinceMs` by the clock of the host. */
export type WaitingHead = readonly [route: string, priority: number, sinceMs: number];

/** Calls that wait for a busy route, in memory of this process. Those of other workers of the host rank by their news. */
export type CallQueues = {
  /**
   * Runs `work`, and again while everything is busy, until the route's deadline: one call at a time, by priority and then
   * in the order of arrival. Rejects as `work` does where it is not busy, the queue is full or the deadline has passed.
   */
  run<Result>(call: WaitingCall, rule: QueueRule, work: () => Promise<Result>): Promise<Result>;
  /** How many calls wait for a route. */
  lengthOf(route: string): number;
  /** The first call of each queue, for other workers. */
  heads(): readonly WaitingHead[];
  /** Takes over what waits first in another worker. */
  learn(worker: number, heads: readonly WaitingHead[]): void;
};

type WaitingCall = Pick<Call, "progress">;

type Entry = {
  readonly priority: number;
  readonly sinceMs: number;
  /** The call before it was served, so there is room. */
  hasRoom: boolean;
  /** Ends the pause that it is in. */
  wake: () => void;
};

/** Pauses between tries of the first in the queue. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 1000];
/** Too many requests, unavailable, and Anthropic's “overloaded”. */
const BUSY: ReadonlySet<number> = new Set([429, 503, 529]);

/** How long news of another worker count: one that shares none for so long may have ended. */
const NEWS_MS = 2000;

/**
 * Queues of calls whose route has no free channel. `now`: the host's clock, in milliseconds; `slots` counts the places of a queue
 * over all workers of the host, null: there is one.
 */
export function createCallQueues(now: () => number, slots: HostSlots | null = null): CallQueues {
  const queues = new Map<string, Entry[]>();
  const queueOf = (route: string): Entry[] => queues.get(route) ?? [];
  const others = new Map<number, { heads: readonly WaitingHead[]; untilMs: number }>();

  /** Whether a call of another worker is to be served before this one. */
  function isOutranked(route: string, { priority, sinceMs }: Pick<Entry, "priority" | "sinceMs">): boolean {
    if (others.size === 0) return false;
    const nowMs = now();
    for (const { heads, untilMs } of others.values()) {
      if (untilMs < nowMs) continue;
      for (const [name, first, since] of heads) {
        if (name === route && (first < priority || (first === priority && since < sinceMs))) return true;
      }
    }
    return false;
  }

  /** Waits in the queue, if it has a place; `refusal`: of the try before it, null if there was none. */
  async function runInQueue<Result>(
    call: WaitingCall,
    rule: QueueRule,
    work: () => Promise<Result>,
    refusal: unknown,
  ): Promise<Result> {
    const sinceMs = now();
    const release = slots && (await slots.enter("queue", rule.maxLength, rule.route));
    // Others may have come meanwhile.
    if ((slots && !release) || queueOf(rule.route).length >= rule.maxLength) {
      release?.();
      if (refusal === null) return work();
      throw refusal;
    }
    try {
      return await waitInQueue(call, rule, work, refusal, sinceMs);
    } finally {
      release?.();
    }
  }

  async function waitInQueue<Result>(
    { progress: { client, attempts, timing } }: WaitingCall,
    { route, priority, maxWaitMs }: QueueRule,
    work: () => Promise<Result>,
    refusal: unknown,
    sinceMs: number,
  ): Promise<Result> {
    const queue = queueOf(route);
    const entry: Entry = { priority, sinceMs, hasRoom: refusal === null, wake: () => {} };
    const behind = queue.findIndex((other) => other.priority > priority);
    queue.splice(behind < 0 ? queue.length : behind, 0, entry);
    queues.set(route, queue);
    const deadlineMs = performance.now() + maxWaitMs;
    const firstTry = attempts.entries.length;
    let lastRefusal = refusal;
    let pauseMs = SHORTEST_PAUSE_MS;
    const pause = async (ms: number) => {
      const startedMs = performance.now();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, Math.min(ms, deadlineMs - startedMs)));
        entry.wake = () => {
          clearTimeout(timer);
          resolve();
        };
        client.onLeave = entry.wake;
      });
      const pausedMs = performance.now() - startedMs;
      timing.waitedMs += pausedMs;
      timing.queuedMs += pausedMs;
      if (client.hasLeft) throw CLIENT_LEFT;
    };
    try {
      for (;;) {
        const isLate = performance.now() >= deadlineMs;
        if (isLate && lastRefusal !== null) throw lastRefusal;
        if (!isLate && queue[0] !== entry) {
          await pause(maxWaitMs);
          continue;
        }
        if (!isLate && isOutranked(route, entry)) {
          await pause(SHORTEST_PAUSE_MS);
          continue;
        }
        if (!isLate && !entry.hasRoom) {
          entry.hasRoom = true;
          await pause(pauseMs);
          continue;
        }
        // Of the tries, the first and the last are logged: the others say the same.
        attempts.entries.length = firstTry;
        try {
          const result = await work();
          const [, next] = queue;
          if (next) next.hasRoom = true;
          return result;
        } catch (error) {
          if (!isBusy(error)) throw error;
          lastRefusal = error;
          entry.hasRoom = false;
          pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        }
      }
    } finally {
      queue.splice(queue.indexOf(entry), 1);
      if (queue.length === 0) queues.delete(route);
      queue[0]?.wake();
    }
  }

  return {
    async run(call, rule, work) {
      const { length } = queueOf(rule.route);
      if (length >= rule.maxLength) return work();
      const isBehind = length > 0 || isOutranked(rule.route, { priority: rule.priority, sinceMs: now() });
      if (isBehind) return runInQueue(call, rule, work, null);
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error) || call.progress.client.hasLeft) throw error;
        return runInQueue(call, rule, work, error);
      }
    },
    lengthOf: (route) => queues.get(route)?.length ?? 0,
    heads: () => [...queues].flatMap(([route, [first]]) => (first ? [[route, first.priority, first.sinceMs]] : [])),
    learn(worker, heads) {
      if (heads.length === 0) others.delete(worker);
      else others.set(worker, { heads, untilMs: now() + NEWS_MS });
    },
  };
}

const isBusy = (error: unknown): boolean =>
  error instanceof GatewayError && BUSY.has(error.status) && error.code !== "server_shutting_down";
