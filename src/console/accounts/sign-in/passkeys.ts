import { Elysia, t } from "elysia";
import { requireWay } from "../../../domain/accounts/identity-providers/require-way.ts";
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  listPasskeys,
  type PasskeySite,
  removePasskey,
  signInWithPasskey,
} from "../../../domain/accounts/security/passkeys.ts";
import { confirmOwner } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import { flowCookie, flowCookieOf, startFlow, takeFlow } from "../../../domain/accounts/sign-in/flows.ts";
import type { Limiter } from "../../../lib/limits/shared-limits.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { requireServerAddress } from "../../../settings/option/public-address.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import type { rateLimit } from "../../http/rate-limit.ts";
import { type EntranceCall, openSession } from "./complete-sign-in.ts";
import type { OAuthServices } from "./oauth.ts";

const password = t.Optional(t.String({ maxLength: 200 }));
/** The authenticator's response; the WebAuthn library validates every part. */
const response = t.Object({ id: t.String({ maxLength: 2048 }) }, { additionalProperties: true });

/** Passkeys: creating, listing and deleting the user's own, and signing in with one. */
export function passkeyRoutes(
  services: OAuthServices & Readonly<{ signInLimiter: Limiter }>,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  const { db, clientAddress, signInLimiter } = services;
  const owner = { db, limiter: signInLimiter };

  const keep = ({ request, server, set }: EntranceCall, kind: "passkey" | "passkey_registration", value: string) => {
    set.headers["set-cookie"] = flowCookie(kind, value, clientAddress.isHttps(request, server));
  };
  return new Elysia({ prefix: "/api/user", name: "console/passkeys" })
    .use(guarded)
    .use(limits)
    .post(
      "/passkey/login/begin",
      async ({ request, server, set }) => {
        const options = await beginPasskeySignIn(siteFor(services));
        const data = { challenge: options.challenge };
        keep({ request, server, set }, "passkey", await startFlow(services, "passkey", { userId: null, data }));
        return ok(options);
      },
      { critical: true },
    )
    .post(
      "/passkey/login/finish",
      async ({ request, server, set, body }) => {
        const flow = await takeFlow(services, "passkey", flowCookieOf(request, "passkey"));
        if (!flow) throw new OperationError("passkey_failed");
        const input = { challenge: flow.data.challenge ?? "", response: body };
        const userId = await signInWithPasskey(db, siteFor(services), input);
        await requireWay(db, userId, null);
        return openSession(services, { request, server, set }, userId);
      },
      { critical: true, body: response },
    )
    .get("/passkey", async ({ actor }) => ok(await listPasskeys(db, actor.id)), { role: "user" })
    .post(
      "/passkey/register/begin",
      async ({ actor, session, request, server, set, body }) => {
        await confirmOwner(owner, { userId: actor.id, session, password: body.password });
        const options = await beginPasskey(db, siteFor(services), actor);
        const flow = { userId: actor.id, data: { challenge: options.challenge } };
        const value = await startFlow(services, "passkey_registration", flow);
        keep({ request, server, set }, "passkey_registration", value);
        return ok(options);
      },
      { role: "user", critical: true, body: t.Object({ password }) },
    )
    .post(
      "/passkey/register/finish",
      async ({ actor, request, body }) => {
        const cookie = flowCookieOf(request, "passkey_registration");
        const flow = await takeFlow(services, "passkey_registration", cookie);
        if (flow?.userId !== actor.id) throw new OperationError("passkey_failed");
        await addPasskey(db, siteFor(services), {
          userId: actor.id,
          name: body.name,
          challenge: flow.data.challenge ?? "",
          response: body.response,
        });
        return ok(await listPasskeys(db, actor.id));
      },
      { role: "user", critical: true, body: t.Object({ name: t.String({ maxLength: 200 }), response }) },
    )
    .post(
      "/passkey/remove",
      async ({ actor, session, body }) => {
        await confirmOwner(owner, { userId: actor.id, session, password: body.password });
        await removePasskey(services, actor.id, body.id);
        return ok(await listPasskeys(db, actor.id));
      },
      { role: "user", critical: true, body: t.Object({ id: t.String({ maxLength: 2048 }), password }) },
    );
}

/** The site that passkeys belong to. */
function siteFor({ settings }: OAuthServices): PasskeySite {
  const { hostname, origin } = new URL(requireServerAddress(settings));
  return { name: settings.get("SystemName"), id: hostname, origins: [origin] };
}
