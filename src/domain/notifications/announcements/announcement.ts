import type { announcements } from "../../../../db/schema/accounts/announcements.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import { NOTICE_LIMITS, noticeError } from "../notice-rules.ts";

/** How pressing an announcement is. */
const ANNOUNCEMENT_LEVELS = ["info", "success", "warning", "critical"] as const;

/** An announcement as administrators write it; `content` is Markdown, `published_at` epoch seconds. */
export type AnnouncementInput = Readonly<{ level: string; title: string; content: string; published_at: number }>;

/** An announcement on the wire. */
export type AnnouncementView = AnnouncementInput & Readonly<{ id: number }>;

/** Checks an announcement and turns it into column values. Throws OperationError. */
export function readAnnouncement(input: AnnouncementInput) {
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
export const viewAnnouncement = (row: typeof announcements.$inferSelect): AnnouncementView => ({
  id: row.id,
  level: row.level,
  title: row.title,
  content: row.content,
  published_at: row.publishedAt,
});
