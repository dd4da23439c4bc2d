import { Elysia, t } from "elysia";
import type { Db } from "../../../../db/types.ts";
import {
  createAccessToken,
  listAccessTokens,
  resetAccessToken,
  revokeAccessToken,
} from "../../../domain/accounts/identity/access-tokens.ts";
import { confirmRecentSignIn, requireFresh } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import type { Limiter } from "../../../lib/limits/shared-limits.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { integer, rowId } from "../../http/integers.ts";
import type { rateLimit } from "../../http/rate-limit.ts";

type Services = Readonly<{ db: Db; vault: Vault; signInLimiter: Limiter }>;

/** The user's own system access tokens. Whoever makes one has signed in lately, or gives the password. */
export function accessTokenRoutes(
  services: Services,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  const { db, signInLimiter } = services;
  const owner = { db, limiter: signInLimiter };
  return new Elysia({ prefix: "/api/user", name: "console/access-tokens" })
    .use(guarded)
    .use(limits)
    .get("/access_tokens", async ({ actor }) => ok(await listAccessTokens(db, actor.id)), { role: "user" })
    .post(
      "/access_tokens",
      async ({ actor, session, body: { password, ...input } }) => {
        await confirmRecentSignIn(owner, {
          userId: actor.id,
          session,
          password,
        });
        return ok(await createAccessToken(services, actor.id, input));
      },
      {
        role: "user",
        critical: true,
        body: t.Object({
          name: t.String({ maxLength: 200 }),
          expires_time: integer({ minimum: 0, maximum: 253_402_300_799 }),
          password: t.Optional(t.String({ maxLength: 200 })),
        }),
      },
    )
    .delete(
      "/access_tokens/:id",
      async ({ actor, params }) => {
        await revokeAccessToken(db, actor.id, params.id);
        return ok(null);
      },
      {
        role: "user",
        params: t.Object({
          id: rowId,
        }),
      },
    )
    .get(
      "/token",
      async ({ actor, session }) => {
        requireFresh(session);
        return ok(await resetAccessToken(services, actor.id));
      },
      { role: "user" },
    );
}
