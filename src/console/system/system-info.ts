import { Elysia, t } from "elysia";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { checkUpdate, type UpdateSource } from "../../settings/check-update.ts";
import { discoverOidc } from "../../settings/discover-oidc.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

type SystemServices = Readonly<{
  fetch: SafeFetch;
  databaseKind: "embedded" | "server";
  version: string;
  /** The commit that this release was built from. */
  commit: string;
  /** Epoch seconds. */
  startedAt: number;
}> &
  UpdateSource;

/** The running release, and whether a newer one exists. */
export function systemInfoRoutes(services: SystemServices, guarded: ReturnType<typeof guard>) {
  const { fetch, databaseKind, version, commit, startedAt, updateCheckUrl, isOffline } = services;
  return new Elysia({ prefix: "/api/system", name: "console/system-info" })
    .use(guarded)
    .get(
      "/info",
      () =>
        ok({
          version,
          commit,
          start_time: startedAt,
          database: databaseKind,
          runtime: `Bun ${Bun.version}`,
          platform: `${process.platform} ${process.arch}`,
          can_check_update: updateCheckUrl !== null && !isOffline,
          is_offline: isOffline,
        }),
      { role: "root" },
    )
    .get(
      "/update",
      async () => {
        const { isNewer, ...release } = await checkUpdate(fetch, { updateCheckUrl, isOffline }, version);
        return ok({ ...release, is_newer: isNewer });
      },
      { role: "root" },
    );
}

/** Fetches the discovery document of an identity provider; stores nothing. */
export const discoveryRoutes = ({ fetch }: Readonly<{ fetch: SafeFetch }>, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/option", name: "console/discovery" })
    .use(guarded)
    .post("/oidc_discovery", async ({ body }) => ok(await discoverOidc(fetch, body.well_known)), {
      role: "root",
      body: t.Object({ well_known: t.String({ maxLength: 2000 }) }),
    });
