import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { SharedLimits } from "../../lib/limits/shared-limits.ts";
import type { MessageCode } from "../../lib/messages.ts";
import type { LimitKind } from "../../lib/runtime/metrics.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import { minuteLimiters } from "./limiters.ts";

/** Limits that administrators set for single users: calls a minute, and calls at the same time in this process. */
export type UserLimits = {
  /** Counts a call as it comes. Throws or rejects RelayError 429 when the user had all of this minute. */
  admit(user: UserEntry): void | Promise<void>;
  /** Counts a call as under way. Throws RelayError 429 when as many as allowed are. */
  begin(call: Call): void;
  /** The call has ended; of a call that did not begin, or has ended before, it does nothing. */
  end(call: Call): void;
};

export function createUserLimits(shared: SharedLimits | null): UserLimits {
  const limiterOf = minuteLimiters("user", shared);
  const running = new Map<number, Set<Call>>();

  return {
    admit({ id, requestsPerMinute }) {
      if (requestsPerMinute === 0) return;
      const wait = limiterOf(requestsPerMinute).take(String(id));
      return typeof wait === "number"
        ? refuse(requestsPerMinute, wait)
        : wait.then(refuse.bind(null, requestsPerMinute));
    },
    begin(call) {
      const { id, maxConcurrency } = call.caller.user;
      if (maxConcurrency === 0) return;
      const calls = running.get(id) ?? new Set();
      if (calls.size >= maxConcurrency) {
        throw tooMany("user_concurrency", "gateway_requests_at_once", maxConcurrency, 1);
      }
      running.set(id, calls.add(call));
    },
    end(call) {
      const { id } = call.caller.user;
      const calls = running.get(id);
      if (calls?.delete(call) && calls.size === 0) running.delete(id);
    },
  };
}

function refuse(requestsPerMinute: number, waitSeconds: number): void {
  if (waitSeconds === 0) return;
  throw tooMany("user_requests_per_minute", "gateway_requests_a_minute", requestsPerMinute, waitSeconds);
}

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
