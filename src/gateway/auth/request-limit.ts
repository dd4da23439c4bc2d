import { createLimiter, type Limiter, type SharedLimits } from "../../lib/limits/shared-limits.ts";
import type { LimitKind } from "../../lib/runtime/metrics.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { GatewayError } from "../call/errors.ts";

/**
 * Counts model requests per user: immediately if counted in this process, asynchronously if replicas count together.
 */
export type ModelRequestLimit = {
  /** Whether the site limits requests. */
  readonly isOn: boolean;
  /** Counts an incoming request. Throws or rejects GatewayError 429 when a limit is reached. */
  admit(userId: number): undefined | Promise<void>;
  /**
   * Counts a call that is about to be sent as successful, so that calls in parallel cannot pass the limit together. Throws
   * or rejects GatewayError 429 when the limit is reached.
   */
  begin(call: LimitedCall): undefined | Promise<void>;
  /** The call's response had a status below 400. Counts it if it did not begin. */
  succeeded(call: LimitedCall): void;
  /** The call failed: it no longer counts as successful. */
  failed(call: LimitedCall): void;
};

/** A call, of which there may be copies: all have the same client. */
type LimitedCall = Readonly<{ client: object; caller: Readonly<{ user: Readonly<{ id: number }> }> }>;

type Limits = { minutes: number; total: number; success: number; all: Limiter | null; successes: Limiter };

/**
 * Limits by the options ModelRequestRateLimit*: all requests (0: no limit) and successful ones, per user and window, in
 * bounded memory. Changing an option restarts the count.
 */
export function createModelRequestLimit(settings: SettingsReader, shared: SharedLimits | null): ModelRequestLimit {
  let version = Number.NaN;
  let enabled = false;
  let limits: Limits | null = null;
  /** How to take back what was counted for a call in progress, by its client. */
  const counted = new WeakMap<object, () => void>();

  const refresh = () => {
    version = settings.version;
    enabled = settings.get("ModelRequestRateLimitEnabled");
    const minutes = Math.max(1, settings.get("ModelRequestRateLimitDurationMinutes"));
    const total = settings.get("ModelRequestRateLimitCount");
    const success = settings.get("ModelRequestRateLimitSuccessCount");
    if (limits?.minutes === minutes && limits.total === total && limits.success === success) return;
    const windowMs = minutes * 60_000;
    const limiter = (name: string, count: number) => createLimiter(shared, name, { count, windowMs });
    limits = {
      minutes,
      total,
      success,
      all: total > 0 ? limiter("calls", total) : null,
      successes: limiter("successes", success),
    };
  };

  return {
    get isOn() {
      if (version !== settings.version) refresh();
      return enabled;
    },
    admit(userId) {
      if (version !== settings.version) refresh();
      if (!enabled || !limits) return;
      const { all, successes } = limits;
      const key = String(userId);
      const forAll = all?.take(key) ?? 0;
      const forSuccess = successes.check(key);
      if (typeof forAll !== "number" || typeof forSuccess !== "number") return admitShared(limits, forAll, forSuccess);
      refuseOver(limits, forAll, forSuccess);
    },
    begin({ client, caller }) {
      if (!this.isOn || !limits) return;
      const { successes } = limits;
      const taken = limits;
      const key = String(caller.user.id);
      const began = (seconds: number): undefined => {
        refuseOver(taken, 0, seconds);
        const countedAtMs = performance.now();
        // A call that lasted longer than the window has left it already.
        counted.set(client, () => {
          if (performance.now() - countedAtMs < taken.minutes * 60_000) void successes.giveBack(key);
        });
      };
      const wait = successes.take(key);
      return typeof wait === "number" ? began(wait) : wait.then(began);
    },
    succeeded({ client, caller }) {
      if (counted.delete(client) || !enabled) return;
      void limits?.successes.take(String(caller.user.id));
    },
    failed({ client }) {
      counted.get(client)?.();
      counted.delete(client);
    },
  };
}

/** Replicas count together, which takes an exchange with Redis or the supervisor. */
async function admitShared(
  limits: Limits,
  forAll: number | Promise<number>,
  forSuccess: number | Promise<number>,
): Promise<void> {
  const [all, success] = await Promise.all([forAll, forSuccess]);
  refuseOver(limits, all, success);
}

/** `forAll`, `forSuccess`: seconds until a request is allowed again; 0: it is. */
function refuseOver({ total, success, minutes }: Limits, forAll: number, forSuccess: number): undefined {
  if (forAll > 0) throw tooMany("user_requests", total, minutes, forAll);
  if (forSuccess > 0) throw tooMany("user_successes", success, minutes, forSuccess);
}

const tooMany = (limit: LimitKind, count: number, minutes: number, retryAfterSeconds: number): GatewayError =>
  new GatewayError(
    429,
    "rate_limit_exceeded",
    minutes === 1
      ? { code: "gateway_requests_in_a_minute", params: { count, seconds: retryAfterSeconds } }
      : { code: "gateway_requests_in_minutes", params: { count, minutes, seconds: retryAfterSeconds } },
    { type: "rate_limit_error", retryAfterSeconds, limit },
  );
