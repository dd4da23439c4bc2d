import { Elysia, t } from "elysia";
import type { Db } from "../../../../db/types.ts";
import {
  addProvider,
  changeProvider,
  deleteProvider,
  listProviders,
  reserveProvider,
} from "../../../domain/accounts/identity-providers/providers.ts";
import { createScimToken, revokeScimToken } from "../../../domain/accounts/identity-providers/scim/scim-token.ts";
import { requireSession } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId as id } from "../../http/integers.ts";

type Services = Readonly<{ db: Db; vault: Vault; fetch: SafeFetch }>;

const params = t.Object({ id });
const fields = {
  name: t.String({ maxLength: 200 }),
  icon: t.String({ maxLength: 20 }),
  enabled: t.Boolean(),
  config: t.Record(t.String({ maxLength: 40 }), t.String({ maxLength: 20_000 })),
  secret: t.String({ maxLength: 2000, description: "The client's secret; empty keeps the stored one." }),
  domains: t.Array(t.String({ maxLength: 300 }), { maxItems: 200 }),
  enforced: t.Boolean(),
  creates_accounts: t.Boolean(),
  mappings: t.Array(
    t.Object({ group: t.String({ maxLength: 300 }), organization_id: id, role: t.String({ maxLength: 20 }) }),
    { maxItems: 1000 },
  ),
};

/** Identity providers of companies, for super administrators; changes need a session, as they decide who signs in. */
export const identityProviderRoutes = (services: Services, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/identity_provider", name: "console/identity-providers" })
    .use(guarded)
    .guard({ role: "root" })
    .get("/", async () => ok(await listProviders(services)))
    .post(
      "/",
      async ({ actor, session, body }) => {
        requireSession(session);
        return ok(await addProvider(services, actor, body));
      },
      {
        body: t.Object({
          type: t.Union([t.Literal("oidc"), t.Literal("saml")]),
          id: t.Optional(t.Integer({ minimum: 1, maximum: 999_999_999, description: "As reserved before." })),
          ...fields,
        }),
      },
    )
    .post("/reserve", async ({ session }) => {
      requireSession(session);
      return ok(await reserveProvider(services));
    })
    .put(
      "/:id",
      async ({ actor, session, params, body }) => {
        requireSession(session);
        return ok(await changeProvider(services, actor, params.id, body));
      },
      { params, body: t.Object(fields) },
    )
    .post(
      "/:id/scim_token",
      async ({ actor, session, params }) => {
        requireSession(session);
        return ok({ token: await createScimToken(services, actor, params.id) });
      },
      { params },
    )
    .delete(
      "/:id/scim_token",
      async ({ actor, session, params }) => {
        requireSession(session);
        await revokeScimToken(services, actor, params.id);
        return ok(null);
      },
      { params },
    )
    .delete(
      "/:id",
      async ({ actor, session, params }) => {
        requireSession(session);
        await deleteProvider(services, actor, params.id);
        return ok(null);
      },
      { params },
    );
