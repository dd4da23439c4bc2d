import type { UserEntry } from "../../../domain/accounts/directory.ts";
import type { HostSlots, ReleaseSlot } from "../../../lib/limits/host-slots.ts";
import { createLimiter, type Limiter, type SharedLimits } from "../../../lib/limits/shared-limits.ts";
import type { MessageCode } from "../../../lib/messages.ts";
import type { LimitKind } from "../../../lib/runtime/metrics/metrics.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import type { ClientPresence } from "../../call/progress.ts";
import { limitedAccounts } from "./limited-accounts.ts";

/**
 * Limits that administrators set for single users: calls per minute, and concurrent calls in this process or in all
 * workers of this host. Calls of an organization count in its own and in those of its owners.
 */
export type UserLimits = {
  /** Counts an incoming call. Rejects GatewayError 429 when the user's limit for this minute is reached. */
  admit(user: UserEntry): Promise<void>;
  /** Counts a call as in progress. Rejects GatewayError 429 at the user's limit of concurrent calls. */
  begin(call: ConcurrentCall): Promise<void>;
  /** Ends a call; does nothing for a call that did not begin or has already ended. */
  end(call: ConcurrentCall): void;
};

/** A call, of which there may be copies, for another model or with what served it: all have the same client. */
type ConcurrentCall = Pick<Call, "caller" | "progress">;

/** `shared`: counts calls per minute across processes; `slots`: counts concurrent calls across workers. */
export function createUserLimits(shared: SharedLimits | null, slots: HostSlots | null = null): UserLimits {
  const limiterOf = minuteLimiters("user", shared);
  const running = new Map<number, Set<ClientPresence>>();
  /** Releases a call's slots among all workers. */
  const releases = new WeakMap<ClientPresence, ReleaseSlot[]>();
  const end = ({ caller, progress: { client } }: ConcurrentCall): void => {
    for (const { id } of limitedAccounts(caller)) {
      const calls = running.get(id);
      calls?.delete(client);
      if (calls?.size === 0) running.delete(id);
    }
    for (const release of releases.get(client) ?? []) release();
    releases.delete(client);
  };
  const enter = async (call: ConcurrentCall, { id, maxConcurrency }: UserEntry): Promise<void> => {
    const calls = running.get(id) ?? new Set();
    running.set(id, calls.add(call.progress.client));
    const refusal = tooMany("user_concurrency", "gateway_requests_at_once", maxConcurrency, 1);
    if (!slots && calls.size > maxConcurrency) {
      end(call);
      throw refusal;
    }
    if (!slots) return;
    const release = await slots.enter(SLOTS, maxConcurrency, String(id));
    if (!release) {
      end(call);
      throw refusal;
    }
    // The call may have ended while its slot was requested.
    const { client } = call.progress;
    if (calls.has(client)) releases.set(client, [...(releases.get(client) ?? []), release]);
    else release();
  };

  return {
    async admit({ id, requestsPerMinute }) {
      if (requestsPerMinute === 0) return;
      const waitSeconds = await limiterOf(requestsPerMinute).take(String(id));
      if (waitSeconds > 0) {
        throw tooMany("user_requests_per_minute", "gateway_requests_a_minute", requestsPerMinute, waitSeconds);
      }
    },
    async begin(call) {
      for (const account of limitedAccounts(call.caller)) if (account.maxConcurrency > 0) await enter(call, account);
    },
    end,
  };
}

const SLOTS = "user";

const tooMany = (limit: LimitKind, code: MessageCode, count: number, retryAfterSeconds: number): GatewayError =>
  new GatewayError(
    429,
    "rate_limit_exceeded",
    { code, params: { count, seconds: retryAfterSeconds } },
    {
      type: "rate_limit_error",
      retryAfterSeconds,
      limit,
    },
  );

const MINUTE_MS = 60_000;

/** Per-minute limiters, one for each limit, whose counts replicas share if `shared` provides a place for them. */
export function minuteLimiters(name: string, shared: SharedLimits | null) {
  const limiters = new Map<number, Limiter>();
  return (count: number): Limiter => {
    const known = limiters.get(count);
    if (known) return known;
    const made = createLimiter(shared, `${name}-${count}`, { count, windowMs: MINUTE_MS });
    limiters.set(count, made);
    return made;
  };
}
