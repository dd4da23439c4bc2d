import { sql } from "drizzle-orm";
import { LOG_ELSEWHERE_ROW } from "../../../db/schema/logs/deliveries.ts";
import type { DbOrTx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { requestOrigin } from "../../lib/http/request.ts";
import type { LogNote } from "./log-note.ts";

export const LOG_TYPE = { topUp: 1, consumption: 2, management: 3, system: 4, checkIn: 5 } as const;

export type Event = Readonly<{
  type: 1 | 3 | 4 | 5;
  /** The user whose log gets the event. */
  userId: number;
  /** A sentence in English; structured details belong in `other`. */
  content: string;
  /** The same as a code with parameters, for other languages. */
  note?: LogNote;
  /** The quota units that the event is about, if any. */
  quota?: number;
  ip?: string;
  other?: Readonly<Record<string, unknown>>;
}>;

/** Writes an event other than a call to the log. Pass the transaction of the change that the event describes. */
export async function writeLog(db: DbOrTx, event: Event): Promise<void> {
  const { type, userId, content, quota = 0, ip = "" } = event;
  const other =
    event.other || event.note ? JSON.stringify({ ...event.other, ...(event.note && { note: event.note }) }) : "";
  // Books and statements read events here, lists where the log is.
  await db.execute(sql`
    with written as (
      insert into logs (created_at, type, user_id, username, content, quota, ip, other)
      values (${nowSeconds()}, ${type}, ${userId}, coalesce((select username from users where id = ${userId}), ''), ${content},
        ${quota}, ${ip}, ${other})
      returning *
    )
    insert into log_deliveries (kind, rows, body, created_at)
    select 'rows', 1, json_build_array(row_to_json(w))::text, w.created_at from written w
    where exists (select from options where key = ${LOG_ELSEWHERE_ROW})`);
}

export type ManagementAction = "create" | "update" | "delete" | "enable" | "disable" | "promote" | "demote" | "read";

/** The values of changed fields before and after. */
export type Difference = Readonly<{ before?: Fields; after?: Fields }>;
type Fields = Readonly<Record<string, unknown>>;

type Management = Difference & Readonly<{ note: LogNote; action: ManagementAction }>;

/** Logs a management action in the actor's log: the values before and after, from where, and in which request. */
export const writeManagementLog = (
  db: DbOrTx,
  actor: Readonly<{ id: number }>,
  content: string,
  other: Management & Fields,
): Promise<void> => {
  const origin = requestOrigin();
  const from = origin && { ip: origin.ip, other: { ...other, request_id: origin.requestId } };
  return writeLog(db, { type: LOG_TYPE.management, userId: actor.id, content, other, ...from });
};
