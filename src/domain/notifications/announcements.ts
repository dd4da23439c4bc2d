import { and, count, desc, eq, lte, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../db/require-row.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import { announcementReads, announcements } from "../../../db/schema/notifications/announcements.ts";
import type { Db, DbOrTx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError, throwRuleError } from "../../lib/operation-error.ts";
import { NOTICE_LIMITS, noticeError } from "./notice-rules.ts";

/** How pressing an announcement is. */
const ANNOUNCEMENT_LEVELS = ["info", "success", "warning", "critical"] as const;

/** An announcement as administrators write it; `content` is Markdown, `published_at` epoch seconds. */
export type AnnouncementInput = Readonly<{ level: string; title: string; content: string; published_at: number }>;

/** An announcement on the wire. */
export type AnnouncementView = AnnouncementInput & Readonly<{ id: number }>;

/** Checks an announcement and turns it into column values. Throws OperationError. */
function readAnnouncement(input: AnnouncementInput) {
  const [title, content] = [input.title.trim(), input.content.trim()];
  const level = ANNOUNCEMENT_LEVELS.find((known) => known === input.level);
  if (!level) throw new OperationError("announcement_level_invalid");
  throwRuleError(noticeError(input), NOTICE_LIMITS);
  if (!Number.isSafeInteger(input.published_at) || input.published_at <= 0) {
    throw new OperationError("announcement_time_invalid");
  }
  return { level, title, content, publishedAt: input.published_at };
}

/** Turns a row into what is sent. */
const viewAnnouncement = (row: typeof announcements.$inferSelect): AnnouncementView => ({
  id: row.id,
  level: row.level,
  title: row.title,
  content: row.content,
  published_at: row.publishedAt,
});

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

/** Writes a new announcement, or with an id another text into one that exists. Throws OperationError. */
export async function saveAnnouncement(db: DbOrTx, input: AnnouncementInput, id?: number): Promise<AnnouncementView> {
  const values = readAnnouncement(input);
  const [row] =
    id === undefined
      ? await db
          .insert(announcements)
          .values({ ...values, createdAt: nowSeconds() })
          .returning()
      : await db.update(announcements).set(values).where(eq(announcements.id, id)).returning();
  if (!row) throw new OperationError("announcement_not_found");
  return viewAnnouncement(row);
}

/** One announcement. Throws OperationError when there is none. */
export async function getAnnouncement(db: DbOrTx, id: number): Promise<AnnouncementView> {
  const [row] = await db.select().from(announcements).where(eq(announcements.id, id));
  if (!row) throw new OperationError("announcement_not_found");
  return viewAnnouncement(row);
}

/** Deletes an announcement and returns it. Throws OperationError when there is none. */
export async function deleteAnnouncement(db: DbOrTx, id: number): Promise<AnnouncementView> {
  const [row] = await db.delete(announcements).where(eq(announcements.id, id)).returning();
  if (!row) throw new OperationError("announcement_not_found");
  return viewAnnouncement(row);
}
