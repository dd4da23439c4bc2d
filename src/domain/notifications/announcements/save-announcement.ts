import { eq } from "drizzle-orm";
import { announcements } from "../../../../db/schema/accounts/announcements.ts";
import type { DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { type AnnouncementInput, type AnnouncementView, readAnnouncement, viewAnnouncement } from "./announcement.ts";

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
