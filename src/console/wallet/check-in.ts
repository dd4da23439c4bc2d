import { Elysia, t } from "elysia";
import { dayIn } from "../../domain/wallet/check-ins/calendar-day.ts";
import { checkIn } from "../../domain/wallet/check-ins/check-in.ts";
import { listCheckIns } from "../../domain/wallet/check-ins/list-check-ins.ts";
import { readCheckIns } from "../../domain/wallet/check-ins/read-check-ins.ts";
import type { WalletDeps } from "../../domain/wallet/operation.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

/** Daily check-in, also under the alternative name `checkin` that some clients use. */
export function checkInRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  const { db, settings } = services;
  const today = () => dayIn(settings.get("CheckInTimeZone"), Date.now());
  return new Elysia({ prefix: "/api/user", name: "console/check-in" })
    .use(guarded)
    .guard({ role: "user" })
    .get("/check_in_status", async ({ actor }) => ok(await readCheckIns(services, actor.id)))
    .post("/check_in", async ({ actor }) => ok({ quota: await checkIn(services, actor.id) }))
    .get(
      "/checkin",
      async ({ actor, query }) => {
        const rows = await listCheckIns(db, actor.id, query.month ?? today().slice(0, 7));
        const { enabled, can_check_in, least, most, streak } = await readCheckIns(services, actor.id);
        return ok({
          enabled,
          min_quota: least,
          max_quota: most,
          stats: {
            checked_in_today: enabled && least > 0 && !can_check_in,
            checkin_count: streak,
            total_checkins: rows.length,
            total_quota: rows.reduce((sum, { quota }) => sum + quota, 0),
            records: rows.map(({ day, quota }) => ({ checkin_date: day, quota_awarded: quota })),
          },
        });
      },
      { query: t.Object({ month: t.Optional(t.String({ pattern: "^\\d{4}-(0[1-9]|1[0-2])$" })) }) },
    )
    .post("/checkin", async ({ actor }) => {
      const quota = await checkIn(services, actor.id);
      return ok({ quota_awarded: quota, checkin_date: today() });
    });
}
