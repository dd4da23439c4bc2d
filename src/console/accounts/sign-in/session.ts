import { Elysia, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import { userHeaderProblem } from "../../../domain/accounts/authenticate.ts";
import { providerSignOut } from "../../../domain/accounts/identity-providers/provider-sign-out.ts";
import { checkTurnstile } from "../../../domain/accounts/registration/turnstile.ts";
import type { GuessLimits } from "../../../domain/accounts/sign-in/guess-limits.ts";
import { signInByLdap } from "../../../domain/accounts/sign-in/identities/sign-in-by-ldap.ts";
import type { Sessions } from "../../../domain/accounts/sign-in/sessions.ts";
import { clearedSessionCookie, sessionCookieOf } from "../../../domain/accounts/sign-in/sessions.ts";
import { signInWithPassword } from "../../../domain/accounts/sign-in/sign-in.ts";
import type { ClientAddress } from "../../../lib/http/client-ip.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ok } from "../../http/envelope.ts";
import type { rateLimit } from "../../http/rate-limit.ts";
import { enter, originOf } from "./complete-sign-in.ts";

type SessionServices = Readonly<{
  db: Db;
  changes: Changes;
  vault: Vault;
  settings: SettingsReader;
  sessions: Sessions;
  clientAddress: ClientAddress;
  guessLimits: GuessLimits;
  fetch: SafeFetch;
  signInAddresses: Readonly<{ turnstileVerify: string }>;
}>;

/** Login and logout; after a logout the browser goes to `url`, which ends its session at the provider too. */
export function sessionRoutes(services: SessionServices, limits: ReturnType<typeof rateLimit>) {
  const { db, settings, sessions, clientAddress, guessLimits, fetch, signInAddresses } = services;

  const logout = async ({ request, server, set }: LogoutContext) => {
    const value = sessionCookieOf(request);
    const session = value === null ? null : await sessions.find(value);
    let url: string | null = null;
    if (session) {
      refuseForcedLogout(request, session.userId);
      url = await providerSignOut(services, session.id, settings.get("ServerAddress"));
      await sessions.end(session);
    }
    set.headers["set-cookie"] = clearedSessionCookie(clientAddress.isHttps(request, server));
    return ok(url === null ? null : { url });
  };
  return new Elysia({ prefix: "/api/user", name: "console/session" })
    .use(limits)
    .post(
      "/login",
      async ({ body, query, request, server, set }) => {
        await checkTurnstile(
          { settings, fetch, verifyUrl: signInAddresses.turnstileVerify },
          {
            token: query.turnstile,
            ip: clientAddress.ip(request, server),
            host: clientAddress.host(request, server),
            action: "login",
          },
        );
        const origin = originOf(clientAddress, { request, server });
        const askDirectory = (credentials: typeof body) => signInByLdap(services, credentials);
        const { userId, way } = await signInWithPassword(
          { db, settings, limits: guessLimits, askDirectory },
          body,
          origin,
        );
        return enter(services, { request, server, set }, userId, way);
      },
      {
        query: t.Object({ turnstile: t.Optional(t.String({ maxLength: 4096 })) }),
        body: t.Object({ username: t.String(), password: t.String({ maxLength: 200 }) }),
      },
    )
    .get("/logout", logout)
    .post("/logout", logout);
}

/**
 * A link, an image or a script of another site sends the cookie with a GET or HEAD request, but neither same-origin headers nor the user-id
 * header. `sameOrigin` guards POST. Throws OperationError.
 */
function refuseForcedLogout(request: Request, userId: number): void {
  if (request.method === "POST" || request.headers.get("sec-fetch-site") === "same-origin") return;
  const problem = userHeaderProblem(request, userId, true);
  if (problem) throw new OperationError(problem, {}, { status: 401 });
}

type LogoutContext = {
  request: Request;
  server: Parameters<ClientAddress["ip"]>[1];
  set: { headers: Record<string, string | number | readonly string[] | undefined> };
};
