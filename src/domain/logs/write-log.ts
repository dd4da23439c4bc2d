import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { logs } from "../../../db/schema/gateway/logs.ts";
import type { DbOrTx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { LogNote } from "./log-note.ts";

export const LOG_TYPE = { topUp: 1, consumption: 2, management: 3, system: 4, checkIn: 5 } as const;

export type Event = Readonly<{
  type: 1 | 3 | 4 | 5;
  /** Whose log it is. */
  userId: number;
  /** A sentence in English; details for machines go into `other`. */
  content: string;
  /** The same for readers of other languages. */
  note?: LogNote;
  /** Quota units that moved, where the event is about quota. */
  quota?: number;
  ip?: string;
  other?: Readonly<Record<string, unknown>>;
}>;

/** Writes an event (not a call) into the log; inside a transaction it stands or falls with the change it tells of. */
export async function writeLog(db: DbOrTx, event: Event): Promise<void> {
  const [user] = await db.select({ username: users.username }).from(users).where(eq(users.id, event.userId));
  await db.insert(logs).values({
    createdAt: nowSeconds(),
    type: event.type,
    userId: event.userId,
    username: user?.username ?? "",
    content: event.content,
    quota: event.quota ?? 0,
    ip: event.ip ?? "",
    other: event.other || event.note ? JSON.stringify({ ...event.other, ...(event.note && { note: event.note }) }) : "",
  });
}

export type ManagementAction = "create" | "update" | "delete" | "enable" | "disable" | "promote" | "demote" | "read";

/** What was there and what is, by field. */
export type Difference = Readonly<{ before?: Fields; after?: Fields }>;
type Fields = Readonly<Record<string, unknown>>;

type Management = Difference & Readonly<{ note: LogNote; action: ManagementAction }>;

/** Who did what to which thing, with what was before and after, in the log of the one who did it. */
export const writeManagementLog = (
  db: DbOrTx,
  actor: Readonly<{ id: number }>,
  content: string,
  other: Management & Fields,
): Promise<void> => writeLog(db, { type: LOG_TYPE.management, userId: actor.id, content, other });
