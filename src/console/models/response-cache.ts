import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { clearResponseCache, readCacheDays } from "../../domain/models/response-cache.ts";
import type { Settings } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

type Services = Readonly<{ db: Db; settings: Settings }>;

/** What the cache of responses saves, for administrators. */
export const responseCacheRoutes = ({ db, settings }: Services, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/response_cache", name: "console/response-cache" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/", async ({ query: { days } }) => ok(await readCacheDays(db, days)), {
      query: t.Object({ days: t.Integer({ minimum: 1, maximum: 366, default: 30 }) }),
    })
    .delete("/", async ({ actor }) => {
      await clearResponseCache(settings);
      await writeManagementLog(db, actor, "Cleared the response cache", {
        note: { code: "response_cache_cleared" },
        action: "delete",
      });
      return ok(null);
    });
