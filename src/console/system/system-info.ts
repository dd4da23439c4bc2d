import { Elysia } from "elysia";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { checkUpdate } from "../../settings/check-update.ts";
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
  /** Where to find the newest release; null: nowhere. */
  updateCheckUrl: string | null;
}>;

/** The running release, and whether a newer one exists. */
export function systemInfoRoutes(services: SystemServices, guarded: ReturnType<typeof guard>) {
  const { fetch, databaseKind, version, commit, startedAt, updateCheckUrl } = services;
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
          can_check_update: updateCheckUrl !== null,
        }),
      { role: "root" },
    )
    .get(
      "/update",
      async () => {
        const { isNewer, ...release } = await checkUpdate(fetch, updateCheckUrl, version);
        return ok({ ...release, is_newer: isNewer });
      },
      { role: "root" },
    );
}
