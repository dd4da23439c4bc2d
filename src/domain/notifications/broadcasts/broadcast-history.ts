import { asc, count, desc, eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { broadcastDeliveries, broadcasts } from "../../../../db/schema/notifications/announcements.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";

type Page = Readonly<{ page: number; pageSize: number }>;

/** A process that sends reports more often. */
const SILENT_S = 300;

/** A notification as the history shows it; `interrupted`: the process that sent it ended. */
export type SentBroadcast = Readonly<{
  id: number;
  created_at: number;
  sender: string;
  event: string;
  title: string;
  content: string;
  status: "running" | "finished" | "stopped" | "failed" | "interrupted";
  delivered: number;
  failed: number;
}>;

/** What was sent to all, newest first. */
export async function listBroadcasts(db: Db, { page, pageSize }: Page) {
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(broadcasts)
      .orderBy(desc(broadcasts.createdAt), desc(broadcasts.id))
      .limit(pageSize)
      .offset(page * pageSize),
    db.select({ total: count() }).from(broadcasts),
  ]);
  const oldest = nowSeconds() - SILENT_S;
  const items = rows.map(
    (row): SentBroadcast => ({
      ...{ id: row.id, created_at: row.createdAt, sender: row.senderName, event: row.event },
      ...{ title: row.title, content: row.content, delivered: row.delivered, failed: row.failed },
      status: statusOf(row.status, row.reportedAt < oldest),
    }),
  );
  return { items, total: total?.total ?? 0 };
}

function statusOf(status: string, isSilent: boolean): SentBroadcast["status"] {
  if (status === "finished" || status === "stopped" || status === "failed") return status;
  return isSilent ? "interrupted" : "running";
}

/** Who was sent a notification: those it did not reach first. */
export async function listBroadcastDeliveries(db: Db, id: number, { page, pageSize }: Page) {
  const ofBroadcast = eq(broadcastDeliveries.broadcastId, id);
  const [items, [total]] = await Promise.all([
    db
      .select({
        user_id: broadcastDeliveries.userId,
        username: users.username,
        method: broadcastDeliveries.method,
        is_delivered: broadcastDeliveries.isDelivered,
        sent_at: broadcastDeliveries.sentAt,
      })
      .from(broadcastDeliveries)
      .innerJoin(users, eq(users.id, broadcastDeliveries.userId))
      .where(ofBroadcast)
      .orderBy(asc(broadcastDeliveries.isDelivered), asc(broadcastDeliveries.userId))
      .limit(pageSize)
      .offset(page * pageSize),
    db.select({ total: count() }).from(broadcastDeliveries).where(ofBroadcast),
  ]);
  return { items, total: total?.total ?? 0 };
}
