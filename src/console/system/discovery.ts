import { Elysia, t } from "elysia";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { discoverOidc } from "../../settings/discover-oidc.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

/** Fetches the discovery document of an identity provider; stores nothing. */
export const discoveryRoutes = ({ fetch }: Readonly<{ fetch: SafeFetch }>, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/option", name: "console/discovery" })
    .use(guarded)
    .post("/oidc_discovery", async ({ body }) => ok(await discoverOidc(fetch, body.well_known)), {
      role: "root",
      body: t.Object({ well_known: t.String({ maxLength: 2000 }) }),
    });
