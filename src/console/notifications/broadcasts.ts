import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import type { Broadcasts } from "../../domain/notifications/broadcasts/broadcast.ts";
import { listBroadcastDeliveries, listBroadcasts } from "../../domain/notifications/broadcasts/broadcast-history.ts";
import { getBroadcast, resendToUser } from "../../domain/notifications/broadcasts/resend-broadcast.ts";
import type { Notifier } from "../../domain/notifications/notifier.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id } from "../http/integers.ts";
import { paged, pagingQuery } from "../http/paging.ts";

/** Broadcasts to subscribed users: announcements, price changes, promotions, newsletters. */
export function broadcastRoutes(
  { db, broadcasts, notifier }: Readonly<{ db: Db; broadcasts: Broadcasts; notifier: Notifier }>,
  guarded: ReturnType<typeof guard>,
) {
  return new Elysia({ prefix: "/api/broadcast", name: "console/broadcast" })
    .use(guarded)
    .get("/", () => ok(broadcasts.progress()), { role: "root" })
    .post(
      "/",
      async ({ actor, body }) => {
        broadcasts.start(body, actor.username);
        const what = `Notified everybody subscribed to it (${body.event}): ${body.title.trim()}`;
        await writeManagementLog(db, actor, what, {
          note: { code: "broadcast_sent", params: { title: body.title.trim() } },
          action: "create",
          after: { event: body.event, title: body.title.trim(), content: body.content },
        });
        return ok(broadcasts.progress());
      },
      {
        role: "root",
        body: t.Object({
          event: t.Union([
            t.Literal("announcement"),
            t.Literal("price_change"),
            t.Literal("promotion"),
            t.Literal("contact"),
          ]),
          title: t.String({ maxLength: 1000 }),
          content: t.String({ maxLength: 50_000 }),
        }),
      },
    )
    .get("/history", ({ query }) => paged(query, (page) => listBroadcasts(db, page)), {
      role: "root",
      query: t.Object(pagingQuery),
    })
    .get("/history/:id", ({ params, query }) => paged(query, (page) => listBroadcastDeliveries(db, params.id, page)), {
      role: "root",
      params: t.Object({ id }),
      query: t.Object(pagingQuery),
    })
    .post(
      "/history/:id/resend",
      async ({ actor, params, body, request }) => {
        const broadcast = await getBroadcast(db, params.id);
        const { title } = broadcast;
        if (body.user_id === undefined) {
          broadcasts.resendFailed(broadcast);
          await writeManagementLog(db, actor, `Sent a notification again to all it did not reach: ${title}`, {
            note: { code: "broadcast_resent_to_failed", params: { title } },
            action: "create",
          });
          return ok(broadcasts.progress());
        }
        const username = await resendToUser({ db, notifier }, broadcast, body.user_id);
        await writeManagementLog(db, actor, `Sent a notification to ${username} again: ${title}`, {
          note: { code: "broadcast_resent", params: { title, username } },
          action: "create",
          after: { user_id: body.user_id },
        });
        return done(request, "broadcast_resent");
      },
      { role: "root", params: t.Object({ id }), body: t.Object({ user_id: t.Optional(id) }) },
    )
    .delete(
      "/",
      async ({ actor }) => {
        const { is_running: wasRunning, title, event, delivered } = broadcasts.progress();
        broadcasts.cancel();
        if (wasRunning) {
          await writeManagementLog(db, actor, `Stopped notifying everybody: ${title}`, {
            note: { code: "broadcast_stopped", params: { title } },
            action: "disable",
            after: { event, delivered },
          });
        }
        return ok(broadcasts.progress());
      },
      { role: "root" },
    );
}
