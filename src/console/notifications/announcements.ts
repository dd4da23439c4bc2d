import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import {
  deleteAnnouncement,
  getAnnouncement,
  listAnnouncements,
  listReceived,
  markRead,
  saveAnnouncement,
} from "../../domain/notifications/announcements.ts";
import type { Broadcasts } from "../../domain/notifications/broadcasts/broadcast.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id } from "../http/integers.ts";
import { paged, pagingQuery } from "../http/paging.ts";

const MOST_IDS = 200;
const fields = {
  level: t.String({ maxLength: 20 }),
  title: t.String({ maxLength: 1000 }),
  content: t.String({ maxLength: 50_000 }),
  published_at: t.Number(),
};

/** Announcements: read by all signed-in users, written by super admins. */
export function announcementRoutes(
  { db, broadcasts }: Readonly<{ db: Db; broadcasts: Broadcasts }>,
  guarded: ReturnType<typeof guard>,
) {
  return new Elysia({ prefix: "/api/announcement", name: "console/announcements" })
    .use(guarded)
    .get("/", async ({ actor }) => ok(await listReceived(db, actor.id)), { role: "user" })
    .post(
      "/read",
      async ({ actor, body }) => {
        await markRead(db, actor.id, body.ids);
        return ok(null);
      },
      { role: "user", body: t.Object({ ids: t.Optional(t.Array(id, { maxItems: MOST_IDS })) }) },
    )
    .get("/all", ({ query }) => paged(query, (page) => listAnnouncements(db, page)), {
      role: "root",
      query: t.Object(pagingQuery),
    })
    .post(
      "/",
      async ({ actor, body: { notify, ...input } }) => {
        // Checks first that notifications can be sent, so that nothing is published without them.
        if (notify && broadcasts.progress().is_running) throw new OperationError("broadcast_under_way");
        if (notify && input.published_at > nowSeconds()) throw new OperationError("announcement_notify_later");
        const made = await saveAnnouncement(db, input);
        const notice = { event: "announcement", title: made.title, content: made.content } as const;
        if (notify) broadcasts.start(notice, actor.username);
        await writeManagementLog(db, actor, `Announced: ${made.title}`, {
          note: { code: "announced", params: { title: made.title } },
          action: "create",
          after: made,
        });
        return ok(made);
      },
      { role: "root", body: t.Object({ ...fields, notify: t.Optional(t.Boolean()) }) },
    )
    .put(
      "/",
      async ({ actor, body: { id: announcementId, ...input } }) => {
        const before = await getAnnouncement(db, announcementId);
        const saved = await saveAnnouncement(db, input, announcementId);
        await writeManagementLog(db, actor, `Changed the announcement ${saved.title}`, {
          note: { code: "announcement_changed", params: { title: saved.title } },
          action: "update",
          before,
          after: saved,
        });
        return ok(saved);
      },
      { role: "root", body: t.Object({ id, ...fields }) },
    )
    .delete(
      "/:id",
      async ({ actor, params }) => {
        const before = await deleteAnnouncement(db, params.id);
        const { title } = before;
        await writeManagementLog(db, actor, `Deleted the announcement ${title}`, {
          note: { code: "announcement_deleted", params: { title } },
          action: "delete",
          before,
        });
        return ok(null);
      },
      { role: "root", params: t.Object({ id }) },
    );
}
