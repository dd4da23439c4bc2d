import { and, asc, desc, eq, gte, inArray, lte, or, type SQL, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { numberOf, parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { csvOf } from "../../../lib/values/csv.ts";
import { contains } from "../../../lib/values/sql-text.ts";
import type { LogCursor } from "../list/list-logs.ts";
import { countUpTo } from "../list/list-logs.ts";
import { isOfType } from "../log-filter.ts";
import { LOG_TYPE } from "../write-log.ts";

export type AuditFilter = Readonly<{
  /** The account in whose log the entries are: an organization's are there, whoever made the change. */
  ownerId?: number;
  /** Of an organization: who made the change, and what was changed in which project. */
  memberId?: number;
  projectId?: number;
  /** Who did it: the whole username or id. */
  actor?: string;
  /** Part of what was done to which thing, in English. */
  target?: string;
  /** Codes of notes: their entries fit as well, for readers of other languages. */
  notes?: readonly string[];
  /** create, update, delete, enable, disable, promote or demote. */
  action?: string;
  /** Epoch seconds, both inclusive. */
  start?: number;
  end?: number;
}>;

export type AuditEntry = {
  id: number;
  created_at: number;
  user_id: number;
  username: string;
  content: string;
  /** The same for readers of other languages (`LogNote`); null: it has none. */
  note: unknown;
  /** Empty: the entry names none. */
  action: string;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
};

const auditColumns = {
  id: logs.id,
  created_at: logs.createdAt,
  user_id: logs.userId,
  username: logs.username,
  content: logs.content,
  other: logs.other,
};
type AuditRow = Pick<AuditEntry, "id" | "created_at" | "user_id" | "username" | "content"> & { other: string };

/** Nobody pages further: a search narrows. */
const MOST_COUNTED = 10_000;

/** A page of what administrators did, newest first or oldest; `page` counts from 0. `total` stops at 10,000. */
export async function listAudit(
  db: Db,
  filter: AuditFilter,
  { page, pageSize, oldestFirst }: Readonly<{ page: number; pageSize: number; oldestFirst?: boolean }>,
): Promise<{ items: AuditEntry[]; total: number }> {
  const where = whereAudit(filter);
  const direction = oldestFirst ? asc : desc;
  const total = await countUpTo(db, where, MOST_COUNTED);
  const rows = await db
    .select(auditColumns)
    .from(logs)
    .where(where)
    .orderBy(direction(logs.createdAt), direction(logs.id))
    .limit(pageSize)
    .offset(page * pageSize);
  const items = filter.ownerId === undefined ? rows.map(viewAudit) : await viewOwnAudit(db, rows);
  return { items, total };
}

/** The condition of a filter. */
function whereAudit({ ownerId, memberId, projectId, ...filter }: AuditFilter): SQL | undefined {
  const { actor, target, notes, action, start, end } = filter;
  const who = actor?.trim();
  return and(
    isOfType(LOG_TYPE.management),
    ownerId === undefined ? undefined : eq(logs.userId, ownerId),
    memberId === undefined ? undefined : sql`${logs.other} ~ ${`"by":${memberId}[,}]`}`,
    projectId === undefined ? undefined : sql`${logs.other} ~ ${`"project_id":${projectId}[,}]`}`,
    who ? or(eq(logs.username, who), /^\d{1,9}$/.test(who) ? eq(logs.userId, Number(who)) : undefined) : undefined,
    or(
      target?.trim() ? contains(logs.content, target.trim()) : undefined,
      notes ? sql`${logs.other} ~ ${`"note":\\{"code":"(${notes.join("|")})"`}` : undefined,
    ),
    // As text: the details of rows from elsewhere may be no JSON, or none that the database takes.
    action ? contains(logs.other, `"action":${JSON.stringify(action)}`) : undefined,
    start ? gte(logs.createdAt, start) : undefined,
    end ? lte(logs.createdAt, end) : undefined,
  );
}

/** Turns a row into what administrators see. */
const viewAudit = ({ other, ...row }: AuditRow): AuditEntry => ({ ...row, ...readDetails(other) });

/** Entries of an organization's log with the people who made the changes; what happened by itself has its own name. */
async function viewOwnAudit(db: Db, rows: readonly AuditRow[]): Promise<AuditEntry[]> {
  const people = rows.map(({ other }) => numberOf(recordOf(parseJson(other))?.by) ?? 0);
  const found = await db
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(inArray(users.id, [...new Set(people)]));
  const names = new Map(found.map(({ id, username }) => [id, username]));
  return rows.map((row, at) => {
    const id = people[at] ?? 0;
    const username = names.get(id);
    return { ...viewAudit(row), ...(username !== undefined && { user_id: id, username }) };
  });
}

function readDetails(other: string): Pick<AuditEntry, "note" | "action" | "before" | "after"> {
  const { note, action, before, after } = recordOf(parseJson(other)) ?? {};
  return {
    note: note ?? null,
    action: textOf(action) ?? "",
    before: recordOf(before) ?? {},
    after: recordOf(after) ?? {},
  };
}

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
