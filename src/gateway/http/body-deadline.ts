import { createDeadlineWheel, type HasDeadline } from "../call/deadline-wheel.ts";
import { GatewayError } from "../call/errors.ts";

/** The slowest accepted connection: 128 kbit/s. */
const MIN_BYTES_PER_MS = 16;

const deadlines = createDeadlineWheel();

/**
 * Resolves with the result of `reading`. Rejects GatewayError 408 after `timeoutMs` plus the time that `bytes` need
 * over a slow line: clients that trickle a body would otherwise hold a connection indefinitely.
 */
export function withBodyDeadline<Body>(reading: Promise<Body>, bytes: number, timeoutMs: number): Promise<Body> {
  // Most bodies have arrived together with the headers.
  if (Bun.peek.status(reading) !== "pending") return reading;
  return new Promise((resolve, reject) => {
    const deadlineMs = performance.now() + timeoutMs + bytes / MIN_BYTES_PER_MS;
    const watched: HasDeadline = {
      place: -1,
      check(nowMs) {
        if (nowMs < deadlineMs) return;
        deadlines.remove(watched);
        reject(new GatewayError(408, "request_timeout", { code: "gateway_body_late" }, DETAILS));
      },
    };
    deadlines.add(watched);
    reading.then(
      (body) => {
        deadlines.remove(watched);
        resolve(body);
      },
      (error: unknown) => {
        deadlines.remove(watched);
        reject(error);
      },
    );
  });
}

const DETAILS = { type: "invalid_request_error" };
