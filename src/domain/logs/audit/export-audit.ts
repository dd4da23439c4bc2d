import { and, desc, sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { csvOf } from "../../../lib/values/csv.ts";
import type { LogCursor } from "../list/list-logs.ts";
import { type AuditFilter, auditColumns, viewAudit, viewOwnAudit, whereAudit } from "./list-audit.ts";

const SLICE = 500;
const COLUMNS = ["created_at", "user_id", "username", "action", "content", "before", "after"];

/** What administrators did as CSV, newest first, read in slices while it is sent; before and after are JSON. */
export const exportAudit = (db: Db, filter: AuditFilter): ReadableStream<Uint8Array> =>
  csvOf(COLUMNS, slicesOf(db, filter));

async function* slicesOf(db: Db, filter: AuditFilter) {
  let cursor: LogCursor | undefined;
  for (;;) {
    const older = cursor && sql`(${logs.createdAt}, ${logs.id}) < (${cursor.createdAt}, ${cursor.id})`;
    const rows = await db
      .select(auditColumns)
      .from(logs)
      .where(and(whereAudit(filter), older))
      .orderBy(desc(logs.createdAt), desc(logs.id))
      .limit(SLICE);
    const last = rows.at(-1);
    if (!last) return;
    const entries = filter.ownerId === undefined ? rows.map(viewAudit) : await viewOwnAudit(db, rows);
    yield entries.map(({ created_at: at, user_id: id, username, action, content, before, after }) => [
      new Date(at * 1000).toISOString(),
      id,
      username,
      action,
      content,
      JSON.stringify(before),
      JSON.stringify(after),
    ]);
    if (rows.length < SLICE) return;
    cursor = { createdAt: last.created_at, id: last.id };
  }
}
