import { and, count, desc, eq, lte, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { announcementReads, announcements } from "../../../../db/schema/accounts/announcements.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { type AnnouncementView, viewAnnouncement } from "./announcement.ts";

/** An announcement as one user sees it. */
export type ReceivedAnnouncement = AnnouncementView & Readonly<{ is_read: boolean }>;

/** How many a user is shown; older ones count as read. */
const MOST_SHOWN = 50;

/** A user's announcements, newest first; what is older than the account counts as read. */
export async function listReceived(db: Db, userId: number): Promise<{ items: ReceivedAnnouncement[]; unread: number }> {
  const rows = await db
    .select({ announcement: announcements, isRead: isReadBy(userId) })
    .from(announcements)
    .where(lte(announcements.publishedAt, nowSeconds()))
    .orderBy(desc(announcements.publishedAt), desc(announcements.id))
    .limit(MOST_SHOWN);
  const items = rows.map(({ announcement, isRead }) => ({ ...viewAnnouncement(announcement), is_read: isRead }));
  return { items, unread: items.filter((item) => !item.is_read).length };
}

/** Marks these as read by the user, or all that are published. */
export async function markRead(db: Db, userId: number, ids?: readonly number[]): Promise<void> {
  const now = nowSeconds();
  const chosen = ids && sql`and ${announcements.id} = any(${`{${ids.join(",")}}`}::int[])`;
  await db.execute(sql`
    insert into ${announcementReads} (user_id, announcement_id, read_at)
    select ${userId}, ${announcements.id}, ${now} from ${announcements}
    where ${announcements.publishedAt} <= ${now} ${chosen ?? sql``}
    on conflict do nothing`);
}

/** All announcements, those of the future too, for those who write them; `page` counts from 0. */
export async function listAnnouncements(
  db: Db,
  { page, pageSize }: Readonly<{ page: number; pageSize: number }>,
): Promise<{ items: AnnouncementView[]; total: number }> {
  const { total } = requireRow(await db.select({ total: count() }).from(announcements));
  const rows = await db
    .select()
    .from(announcements)
    .orderBy(desc(announcements.publishedAt), desc(announcements.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items: rows.map(viewAnnouncement), total };
}

const isReadBy = (userId: number): SQL<boolean> =>
  sql<boolean>`(
    exists (
      select from ${announcementReads}
      where ${and(eq(announcementReads.userId, userId), eq(announcementReads.announcementId, announcements.id))}
    ) or ${announcements.publishedAt} < (select ${users.createdAt} from ${users} where ${users.id} = ${userId})
  )`;
