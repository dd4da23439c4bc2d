import { Elysia } from "elysia";
import { sessionCookieOf } from "../../domain/accounts/sign-in/sessions.ts";
import { type ClientAddress, limitKeyOf, type PeerSource } from "../../lib/http/client-ip.ts";
import { createLimiter, type Limiter, type SharedLimits } from "../../lib/limits/shared-limits.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { CountRefusal, LimitKind } from "../../lib/runtime/metrics/metrics.ts";
import type { RateLimit } from "../../lib/security/variables.ts";
import type { Config } from "../../server/config.ts";
import { isConsolePath } from "./envelope.ts";

type LimitServices = Readonly<{
  rateLimits: Config["rateLimits"];
  clientAddress: ClientAddress;
  sharedLimits: SharedLimits | null;
  countRefusal: CountRefusal;
  /** The id of the signed-in user; null without valid credentials. */
  identify: (request: Request) => Promise<number | null>;
}>;

/**
 * Limits requests under /api: signed-in users by user, everyone else by address. Routes where secrets could be guessed or
 * that send mail set `{ critical: true }` and share a stricter limit by address. A rejected request gets 429 with the
 * envelope and `Retry-After`.
 */
export function rateLimit(services: LimitServices) {
  const { rateLimits, clientAddress, sharedLimits, countRefusal, identify } = services;
  const open = (name: string, limit: RateLimit) => limit && createLimiter(sharedLimits, name, limit);
  const api = open("console", rateLimits.api);
  const users = api && open("console-users", rateLimits.user);
  const invalid = open("console-invalid", rateLimits.api);
  const critical = open("console-critical", rateLimits.critical);

  const refuse = (kind: LimitKind, seconds: number) => {
    if (seconds === 0) return;
    countRefusal(kind);
    refuseTooMany(seconds);
  };
  const addressOf = (request: Request, server: PeerSource): string => limitKeyOf(clientAddress.ip(request, server));
  const countAddress = async (kind: LimitKind, limiter: Limiter | null, address: string) => {
    // Without an address (a Unix socket) all callers would share one counter.
    if (limiter && address !== "") refuse(kind, await limiter.take(address));
  };
  const countCall = async (request: Request, server: PeerSource) => {
    if (!api) return;
    const address = addressOf(request, server);
    if (!hasCredentials(request)) return countAddress("console_api", api, address);
    // Looking up an unknown session queries the database, so this is limited by address, too.
    if (invalid && address !== "") refuse("console_api", await invalid.check(address));
    const userId = await identify(request);
    if (userId !== null) return refuse("console_api", (await users?.take(String(userId))) ?? 0);
    if (address !== "") await invalid?.add(address, 1);
    await countAddress("console_api", api, address);
  };
  return new Elysia({ name: "console/rate-limit" })
    .onRequest(({ request, server }) => {
      if (isConsolePath(new URL(request.url).pathname)) return countCall(request, server);
    })
    .macro({
      critical: (_: true) => ({
        transform: ({ request, server }) => countAddress("console_critical", critical, addressOf(request, server)),
      }),
    });
}

/** Refuses a request for so many seconds; 0: it is within its limit. Throws OperationError. */
export function refuseTooMany(seconds: number): void {
  if (seconds > 0)
    throw new OperationError("too_many_requests", { seconds }, { status: 429, retryAfterSeconds: seconds });
}

const hasCredentials = (request: Request): boolean =>
  sessionCookieOf(request) !== null || request.headers.has("authorization");
