import { and, eq } from "drizzle-orm";
import { deleteLogRows, type LogKey, recordCleared } from "../../../../db/maintenance/partitions.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { logArchives } from "../../../../db/schema/logs/logs.ts";
import type { Database } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { LogRow } from "../log-view.ts";
import type { OpenLogFile } from "./parquet.ts";
import type { ArchivePlace } from "./place.ts";

export type ArchiveRow = typeof logArchives.$inferSelect;

/** A row group: enough to compress well, and little to read for a page of the log. Calls wait while one is compressed. */
const [GROUP_ROWS, GROUP_BYTES] = [2000, 2 * 1024 * 1024];
/** A file is complete when it has one of these; it is made in memory. */
const [FILE_ROWS, FILE_BYTES] = [100_000, 16 * 1024 * 1024];
const DELETED_AT_A_TIME = 1000;

/** Loaded with the first archive. */
const parquet = () => import("./parquet.ts");

/**
 * Writes rows of one day to a file, reads it back, and only then deletes them from the log. Takes from `pages` until the file
 * is full or the month ends; resolves with what it did not take, or null where the pages ended.
 */
export async function archiveRows(
  database: Database,
  place: ArchivePlace,
  first: readonly LogRow[],
  pages: AsyncGenerator<LogRow[], void>,
): Promise<readonly LogRow[] | null> {
  const month = monthOf(first[0]?.createdAt ?? 0);
  const archive = await beginArchive(database, place, month);
  const { createLogFile } = await parquet();
  const file = createLogFile();
  const keys: LogKey[] = [];
  let group: LogRow[] = [];
  const addGroup = async () => {
    if (group.length > 0) await file.add(group);
    group = [];
  };
  let page: readonly LogRow[] | null = first;
  while (page && monthOf(page[0]?.createdAt ?? 0) === month && keys.length < FILE_ROWS && file.size() < FILE_BYTES) {
    for (const row of page) {
      keys.push({ createdAt: row.createdAt, id: row.id });
      group.push(row);
    }
    if (group.length >= GROUP_ROWS || lengthOf(group) >= GROUP_BYTES) await addGroup();
    const { value, done } = await pages.next();
    page = done ? null : value;
  }
  await addGroup();
  await finishArchive(
    database,
    place,
    await storeArchive(database, place, archive, { bytes: await file.finish(), keys }),
  );
  return page;
}

const lengthOf = (rows: readonly LogRow[]): number =>
  rows.reduce((sum, { content, other }) => sum + content.length + other.length, 0);

/** Epoch seconds at which the month (UTC) of a time begins. */
function monthOf(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
}

/** Registers a file. Rejects while another process has one that is not done. */
async function beginArchive({ db }: Database, { kind }: ArchivePlace, month: number): Promise<ArchiveRow> {
  const begun = { place: kind, state: "writing", isOpen: true, month, name: "", createdAt: nowSeconds() };
  const { id } = requireRow(await db.insert(logArchives).values(begun).returning());
  const folder = new Date(month * 1000).toISOString().slice(0, 7);
  const name = `${folder}/log-${folder}-${String(id).padStart(6, "0")}.parquet`;
  return requireRow(await db.update(logArchives).set({ name }).where(eq(logArchives.id, id)).returning());
}

/** Stores the file, reads it back and compares it. From then on its rows may be deleted. */
async function storeArchive(
  { db }: Database,
  place: ArchivePlace,
  { id, name }: ArchiveRow,
  { bytes, keys }: Readonly<{ bytes: Uint8Array<ArrayBuffer>; keys: readonly LogKey[] }>,
): Promise<ArchiveRow> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (!first || !last) throw new Error("an archive file needs a row");
  const written = {
    state: "written",
    ...{ rows: keys.length, bytes: bytes.length, sha256: Bun.SHA256.hash(bytes, "hex") },
    ...{ firstAt: first.createdAt, firstId: first.id, lastAt: last.createdAt, lastId: last.id },
  };
  await place.write(name, bytes);
  await readVerified(place, { ...written, name }, keys);
  const [stored] = await db
    .update(logArchives)
    .set(written)
    .where(and(eq(logArchives.id, id), eq(logArchives.state, "writing")))
    .returning();
  if (stored) return stored;
  // Another process took the job over and has discarded what was registered here.
  await place.remove(name);
  throw new Error("another process has taken the archive over");
}

/** The keys of a file that is what was written, byte by byte. Throws OperationError. */
async function readVerified(
  place: ArchivePlace,
  { name, bytes: size, rows, sha256 }: Pick<ArchiveRow, "name" | "bytes" | "rows" | "sha256">,
  expected?: readonly LogKey[],
): Promise<LogKey[]> {
  const bytes = await place.read(name, 0, size).catch(() => null);
  if (bytes === null || Bun.SHA256.hash(bytes, "hex") !== sha256) throw damaged(name);
  const { openLogFile, readKeys } = await parquet();
  const keys = await readKeys(await openLogFile(size, async (start, end) => bytes.slice(start, end)));
  const isSame = (key: LogKey, index: number) =>
    !expected || (expected[index]?.id === key.id && expected[index]?.createdAt === key.createdAt);
  if (keys.length !== rows || !keys.every(isSame)) throw damaged(name);
  return keys;
}

const damaged = (name: string) => new OperationError("archive_file_damaged", { name });

/**
 * Deletes the rows of a written file from the log, those that are still there, and marks it as done. Can be repeated after a
 * crash: rows are named by their keys, and what balances owe to them is carried over in the statement that deletes them.
 */
async function finishArchive(database: Database, place: ArchivePlace, archive: ArchiveRow): Promise<void> {
  const keys = await readVerified(place, archive);
  await recordCleared(database.sql, archive.lastAt + 1);
  for (let at = 0; at < keys.length; at += DELETED_AT_A_TIME) {
    await deleteLogRows(database, keys.slice(at, at + DELETED_AT_A_TIME));
  }
  await database.db.update(logArchives).set({ state: "done", isOpen: null }).where(eq(logArchives.id, archive.id));
}

/** Ends what a process began that died: discards a file that may be incomplete, else deletes the rest of its rows. */
export async function resumeArchives(
  database: Database,
  open: (kind: ArchivePlace["kind"]) => Promise<ArchivePlace>,
): Promise<void> {
  const { db } = database;
  for (const archive of await db.select().from(logArchives).where(eq(logArchives.isOpen, true))) {
    const place = await open(archive.place === "s3" ? "s3" : "folder");
    if (archive.state === "written") {
      await finishArchive(database, place, archive);
      continue;
    }
    // Its row first: whoever still writes it finds out, and removes the file.
    await db.delete(logArchives).where(and(eq(logArchives.id, archive.id), eq(logArchives.state, "writing")));
    if (archive.name !== "") await place.remove(archive.name);
  }
}

/** Opens a file of which only parts are read. */
export async function openArchive(place: ArchivePlace, { name, bytes }: ArchiveRow): Promise<OpenLogFile> {
  const { openLogFile } = await parquet();
  return openLogFile(bytes, (start, end) => place.read(name, start, end));
}
