import { Elysia } from "elysia";
import type { Db } from "../../../db/types.ts";
import { readCacheDays } from "../../domain/logs/usage/totals/read-day-sums.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { clearResponseCache } from "../../domain/models/response-cache.ts";
import type { Settings } from "../../settings/settings.ts";
import { dayQuery, daysOf } from "../http/day-query.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

type Services = Readonly<{ db: Db; settings: Settings }>;

/** What the cache of responses saves: all accounts for administrators, the caller's own under /self. */
export const responseCacheRoutes = ({ db, settings }: Services, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/response_cache", name: "console/response-cache" })
    .use(guarded)
    .get("/self", async ({ actor, query }) => ok(await readCacheDays(db, daysOf(query), actor.id)), {
      account: "usage.read",
      query: dayQuery,
    })
    .guard({ role: "admin" })
    .get("/", async ({ query }) => ok(await readCacheDays(db, daysOf(query))), { query: dayQuery })
    .delete("/", async ({ actor }) => {
      await clearResponseCache(settings);
      await writeManagementLog(db, actor, "Cleared the response cache", {
        note: { code: "response_cache_cleared" },
        action: "delete",
      });
      return ok(null);
    });
