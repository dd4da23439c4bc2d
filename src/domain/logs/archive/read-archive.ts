import { and, desc, eq, inArray } from "drizzle-orm";
import type { LogKey } from "../../../../db/maintenance/partitions.ts";
import { logArchives } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { type Viewer, viewRows } from "../list/list-logs.ts";
import { keysOfFilter, type LogFilter, notesHaveVerdict } from "../log-filter.ts";
import type { LogRow, LogView } from "../log-view.ts";
import { LOG_TYPE } from "../write-log.ts";
import { type ArchiveRow, openArchive } from "./archive-file.ts";
import type { ColumnName } from "./parquet.ts";
import { type ArchivePlace, openPlace, type PlaceDeps } from "./place.ts";

export type ReadDeps = PlaceDeps & Readonly<{ db: Db }>;

/** What is looked for: rows of a month (epoch seconds of its begin) behind a place, newest first. */
export type ArchiveQuery = Readonly<{ month: number; filter: LogFilter; before?: LogKey }>;

/** The next row, or, without a row, how far has been searched without finding one. */
type Found = Readonly<{ at: LogKey; row: LogRow | null }>;

/** Files whose rows may be read: those that are complete. */
const isReadable = inArray(logArchives.state, ["written", "done"]);
const NEWEST: LogKey = { createdAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
/** A page with what was found by then is better than a browser that waits for a rare row. */
const SEARCH_MS = 5000;
const SLICE = 200;

const compare = (one: LogKey, other: LogKey): number => one.createdAt - other.createdAt || one.id - other.id;

/**
 * A page of a month's archived rows, newest first. `next`: where to continue; null: that was all. A search for rare rows
 * ends early, with fewer rows and a place to continue.
 */
export async function readArchivePage(
  deps: ReadDeps,
  query: ArchiveQuery,
  pageSize: number,
  viewer: Viewer,
): Promise<{ items: LogView[]; next: LogKey | null }> {
  const stopAt = performance.now() + SEARCH_MS;
  const rows: LogRow[] = [];
  let next: LogKey | null = null;
  for await (const { at, row } of await searchArchive(deps, query)) {
    if (row) rows.push(row);
    if (rows.length < pageSize && performance.now() < stopAt) continue;
    next = at;
    break;
  }
  return { items: await viewRows(deps.db, rows, viewer), next };
}

/** All of a month's archived rows that fit, newest first, in slices. */
export async function* readArchiveSlices(
  deps: ReadDeps,
  query: ArchiveQuery,
  viewer: Viewer,
): AsyncGenerator<LogView[], void> {
  let rows: LogRow[] = [];
  for await (const { row } of await searchArchive(deps, query)) {
    if (row) rows.push(row);
    if (rows.length < SLICE) continue;
    yield await viewRows(deps.db, rows, viewer);
    rows = [];
  }
  if (rows.length > 0) yield await viewRows(deps.db, rows, viewer);
}

async function searchArchive(deps: ReadDeps, { month, filter, before = NEWEST }: ArchiveQuery) {
  const files = await deps.db
    .select()
    .from(logArchives)
    .where(and(eq(logArchives.month, month), isReadable))
    .orderBy(desc(logArchives.lastAt), desc(logArchives.lastId));
  const { start = 0, end = Number.MAX_SAFE_INTEGER } = filter;
  const from = end < before.createdAt ? { createdAt: end + 1, id: 0 } : before;
  const requested = files.filter(
    (file) => compare({ createdAt: file.firstAt, id: file.firstId }, from) < 0 && file.lastAt >= start,
  );
  const isMatch = matchRow(filter, await keysOfFilter(deps.db, filter));
  const places = new Map<string, ArchivePlace>();
  for (const { place } of requested) {
    const kind = place === "s3" ? "s3" : "folder";
    if (!places.has(place)) places.set(place, await openPlace(kind, deps));
  }
  return mergeFiles(requested, (file) => {
    const place = places.get(file.place);
    if (!place) throw new Error(`there is no place ${file.place}`);
    return searchFile(place, file, { filter, isMatch, before: from });
  });
}

/**
 * The rows of several files in one order. Files of one month overlap where user groups have different rules; a file is
 * opened only when its newest row comes next, so that few row groups are in memory.
 */
async function* mergeFiles(
  files: readonly ArchiveRow[],
  search: (file: ArchiveRow) => AsyncGenerator<Found, void>,
): AsyncGenerator<Found, void> {
  const open: { head: Found; rest: AsyncGenerator<Found, void> }[] = [];
  let unopened = 0;
  for (;;) {
    open.sort((one, other) => compare(other.head.at, one.head.at));
    const [first] = open;
    const file = files[unopened];
    if (file && (!first || compare({ createdAt: file.lastAt, id: file.lastId }, first.head.at) > 0)) {
      unopened++;
      const rest = search(file);
      const { value } = await rest.next();
      if (value) open.push({ head: value, rest });
      continue;
    }
    if (!first) return;
    yield first.head;
    const { value } = await first.rest.next();
    if (value) first.head = value;
    else open.shift();
  }
}

/** The rows of a file that fit, newest first, a row group at a time. */
async function* searchFile(
  place: ArchivePlace,
  archive: ArchiveRow,
  { filter, isMatch, before }: Readonly<{ filter: LogFilter; isMatch: (row: LogRow) => boolean; before: LogKey }>,
): AsyncGenerator<Found, void> {
  const { groups, read } = await openArchive(place, archive);
  const columns = columnsOf(filter);
  for (const group of groups.toReversed()) {
    if (group.firstAt > before.createdAt) continue;
    if (filter.start !== undefined && group.lastAt < filter.start) return;
    const isRequested = (row: LogRow) => compare({ createdAt: row.createdAt, id: row.id }, before) < 0 && isMatch(row);
    const isPresent =
      columns.length === 0 || (await read(group, ["id", "created_at", ...columns])).some((row) => isRequested(row));
    const rows = isPresent ? (await read(group)).filter(isRequested) : [];
    for (const row of rows.toReversed()) yield { at: { createdAt: row.createdAt, id: row.id }, row };
    // Rows of the same second may be in the group before this one.
    if (rows.length === 0) yield { at: { createdAt: group.firstAt + 1, id: 0 }, row: null };
  }
}

/**
 * Whether a row fits a filter, as `logConditions` says it for the database. `keyIds`: the API keys of its project and member;
 * null: it names neither.
 */
function matchRow(filter: LogFilter, keyIds: ReadonlySet<number> | null): (row: LogRow) => boolean {
  const {
    type,
    userId,
    username,
    tokenName,
    tokenId,
    modelName,
    channelId,
    group,
    requestId,
    tag,
    verdict,
    endUser,
    failed,
    withoutAudit,
  } = filter;
  const { start = 0, end = Number.MAX_SAFE_INTEGER } = filter;
  const isModel = modelName?.includes("%")
    ? matchPattern(modelName)
    : (name: string) => !modelName || name === modelName;
  const isEqual = <Value>(expected: Value | undefined, value: Value) => !expected || expected === value;
  return (row) =>
    row.createdAt >= start &&
    row.createdAt <= end &&
    isEqual(type, row.type) &&
    !(withoutAudit && row.type === LOG_TYPE.management) &&
    (userId === undefined || userId === row.userId) &&
    isEqual(username, row.username) &&
    isEqual(tokenName, row.tokenName) &&
    (tokenId === undefined || tokenId === row.tokenId) &&
    (keyIds === null || keyIds.has(row.tokenId)) &&
    isModel(row.modelName) &&
    isEqual(channelId, row.channelId) &&
    isEqual(group, row.group) &&
    (failed === undefined || failed === row.failed) &&
    (!tag || row.tags?.includes(tag) === true) &&
    (!verdict || notesHaveVerdict(verdict, row.other)) &&
    isEqual(endUser, row.endUser ?? undefined) &&
    (!requestId || row.requestId === requestId || row.requestId?.startsWith(`${requestId}~`) === true);
}

/** In any case; `%` stands for anything. */
function matchPattern(pattern: string): (text: string) => boolean {
  const parts = pattern.toLowerCase().split("%");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  return (input) => {
    const text = input.toLowerCase();
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of parts.slice(1, -1)) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}

const COLUMNS_OF: Readonly<Partial<Record<keyof LogFilter, ColumnName>>> = {
  type: "type",
  withoutAudit: "type",
  userId: "user_id",
  username: "username",
  tokenName: "token_name",
  tokenId: "token_id",
  projectId: "token_id",
  memberId: "token_id",
  modelName: "model_name",
  channelId: "channel_id",
  group: "group",
  requestId: "request_id",
  tag: "other",
  verdict: "other",
  failed: "failed",
};

/** The columns that the filter looks at besides time; empty: none. */
const columnsOf = (filter: LogFilter): ColumnName[] => [
  ...new Set(
    Object.entries(COLUMNS_OF).flatMap(([key, column]) =>
      filter[key as keyof LogFilter] === undefined || filter[key as keyof LogFilter] === "" ? [] : [column],
    ),
  ),
];
