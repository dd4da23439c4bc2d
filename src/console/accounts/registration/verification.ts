import { Elysia, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { UserDirectory } from "../../../domain/accounts/directory.ts";
import { type MailCodeDeps, sendVerification } from "../../../domain/accounts/registration/send-verification.ts";
import { type CheckedAction, checkTurnstile } from "../../../domain/accounts/registration/turnstile.ts";
import { requestReset, resetByMail } from "../../../domain/accounts/security/reset-by-email.ts";
import type { Sessions } from "../../../domain/accounts/sign-in/sessions.ts";
import type { ClientAddress, PeerSource } from "../../../lib/http/client-ip.ts";
import { languageOf } from "../../../lib/messages.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { requireServerAddress } from "../../../settings/option/public-address.ts";
import { done, ok } from "../../http/envelope.ts";
import type { rateLimit } from "../../http/rate-limit.ts";
import { requireFreshCaller } from "../sign-in/oauth.ts";

export type VerificationServices = MailCodeDeps &
  Readonly<{
    changes: Changes;
    users: UserDirectory;
    sessions: Sessions;
    clientAddress: ClientAddress;
    fetch: SafeFetch;
    log: Logger;
    signInAddresses: Readonly<{ turnstileVerify: string }>;
  }>;

const mailQuery = t.Object({
  email: t.String({ maxLength: 320 }),
  turnstile: t.Optional(t.String({ maxLength: 4096 })),
});

/** Codes and links by mail: verifying an address, resetting a password. */
export function verificationRoutes(services: VerificationServices, limits: ReturnType<typeof rateLimit>) {
  const { settings, fetch, clientAddress, signInAddresses } = services;

  const isPerson = (action: CheckedAction, token: string | undefined, request: Request, server: PeerSource) =>
    checkTurnstile(
      { settings, fetch, verifyUrl: signInAddresses.turnstileVerify },
      { token, ip: clientAddress.ip(request, server), host: clientAddress.host(request, server), action },
    );
  return new Elysia({ prefix: "/api", name: "console/verification" })
    .use(limits)
    .get(
      "/verification",
      async ({ query, request, server }) => {
        await isPerson("register", query.turnstile, request, server);
        const user = await requireFreshCaller(services, request);
        const language = languageOf(request);
        await sendVerification(services, { email: query.email, userId: user?.id ?? null, language });
        return done(request, "verification_sent");
      },
      { critical: true, query: mailQuery },
    )
    .get(
      "/reset_password",
      async ({ query, request, server }) => {
        await isPerson("reset", query.turnstile, request, server);
        const siteAddress = requireServerAddress(settings);
        await requestReset(services, { email: query.email, siteAddress, language: languageOf(request) });
        return done(request, "reset_mail_sent");
      },
      { critical: true, query: mailQuery },
    )
    .post("/user/reset", async ({ body }) => ok(await resetByMail(services, body)), {
      critical: true,
      body: t.Object({ email: t.String({ maxLength: 320 }), token: t.String({ maxLength: 64 }) }),
    });
}
