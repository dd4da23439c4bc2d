import { Elysia } from "elysia";
import { type ClientAddress, limitKeyOf, type PeerSource } from "../../lib/http/client-ip.ts";
import { createLimiter, type Limiter, type SharedLimits } from "../../lib/limits/shared-limits.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { CountRefusal, LimitKind } from "../../lib/runtime/metrics.ts";
import type { Config } from "../../server/config.ts";
import { isConsolePath } from "./envelope.ts";

type LimitServices = Readonly<{
  rateLimits: Config["rateLimits"];
  clientAddress: ClientAddress;
  sharedLimits: SharedLimits | null;
  countRefusal: CountRefusal;
}>;

/**
 * Limits calls under /api by address. Routes that guess at secrets or send mail say `{ critical: true }` and share a
 * stricter count. A refusal is 429 with the envelope and `Retry-After`.
 */
export function rateLimit({ rateLimits, clientAddress, sharedLimits, countRefusal }: LimitServices) {
  const api = rateLimits.api && createLimiter(sharedLimits, "console", rateLimits.api);
  const critical = rateLimits.critical && createLimiter(sharedLimits, "console-critical", rateLimits.critical);

  const count = async (kind: LimitKind, limiter: Limiter | null, request: Request, server: PeerSource) => {
    const ip = clientAddress.ip(request, server);
    // Without an address (a unix socket) everybody would share one count.
    if (!limiter || ip === "") return;
    const seconds = await limiter.take(limitKeyOf(ip));
    if (seconds > 0) {
      countRefusal(kind);
      throw new OperationError("too_many_requests", { seconds }, { status: 429, retryAfterSeconds: seconds });
    }
  };
  return new Elysia({ name: "console/rate-limit" })
    .onRequest(({ request, server }) => {
      if (isConsolePath(new URL(request.url).pathname)) return count("console_api", api, request, server);
    })
    .macro({
      critical: (_: true) => ({
        transform: ({ request, server }) => count("console_critical", critical, request, server),
      }),
    });
}
