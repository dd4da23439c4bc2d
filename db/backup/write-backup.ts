import { once } from "node:events";
import { createWriteStream, openSync, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { listLogMonths } from "../maintenance/partitions.ts";
import { requireRow } from "../require-row.ts";
import { DEADLINES_MS, withDeadline } from "../server/deadlines.ts";
import type { Database, Statements } from "../types.ts";
import {
  type BackupHead,
  FORMAT,
  HEAD_MARK,
  liftTimeouts,
  listTables,
  quoted,
  quotedList,
  type RowCounts,
  type Sequences,
  type Table,
} from "./format.ts";

const ROWS_A_FETCH = 1000;
/** On the embedded engine everybody waits for a query: shorter slices. */
const LOG_ROWS_A_SLICE = 400;

/**
 * Writes the whole database to a file while it is in use. The copy is one moment's:
 * on a server one snapshot transaction reads everything; on the embedded engine (one session, so a transaction makes all
 * others wait) a short one reads every table but the log and notes the last log id given out. Log rows are never changed
 * and, with one session, get their ids in the order of commits: those up to that id are the log of the same moment, and
 * are read afterwards in slices. Balances, counters and roll-ups so agree with the log rows. (Rows that an operator clears
 * meanwhile may be missing.)
 * Returns the rows written a table. Throws when the disk or the database refuses; then there is no file. `asCaller` runs what
 * makes, renames or deletes the file.
 */
export async function writeBackup(
  database: Database,
  path: string,
  { version, asCaller = (run) => run() }: Readonly<{ version: string; asCaller?: <T>(run: () => T) => T }>,
): Promise<RowCounts> {
  const file = createBackupFile(path, asCaller);
  try {
    const counts = await withDeadline(DEADLINES_MS.long, () => writeAll(database, file, version));
    await file.finish();
    return counts;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function writeAll({ sql, kind }: Database, file: BackupFile, version: string): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  const { log, sequences } = await sql.begin("isolation level repeatable read read only", async (tx) => {
    if (kind === "server") await liftTimeouts(tx);
    await file.lines([JSON.stringify([HEAD_MARK, await headOf(tx, version)])]);
    const { carried } = await listTables(tx);
    const log = carried.at(-1) as Table;
    for (const table of kind === "server" ? carried : carried.slice(0, -1)) {
      counts[table.name] = await writeTable(tx, table, file);
    }
    return { log, sequences: await readSequences(tx) };
  });
  if (kind === "embedded") counts[log.name] = await writeLog(sql, log, sequences.logs_id_seq ?? 0, file);
  await file.lines([JSON.stringify(["end", counts, sequences])]);
  return counts;
}

async function headOf(tx: Statements, version: string): Promise<BackupHead> {
  const applied = requireRow(
    await tx<{ newest: number | null }[]>`select max(created_at)::bigint as newest from drizzle.__drizzle_migrations`,
  );
  return {
    format: FORMAT,
    version,
    migration: applied.newest ?? 0,
    createdAt: Math.floor(Date.now() / 1000),
    logMonths: await listLogMonths(tx),
  };
}

async function readSequences(tx: Statements): Promise<Sequences> {
  const rows = await tx<{ name: string; last: number | null }[]>`
    select sequencename::text as name, last_value as last from pg_sequences where schemaname = 'public' order by 1`;
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

async function writeTable(tx: Statements, { name, columns, key }: Table, file: BackupFile): Promise<number> {
  await file.lines([JSON.stringify(["table", name, columns])]);
  await tx.unsafe(
    `declare backup no scroll cursor for
     select row_to_json(t)::text as json from ${quoted(name)} t order by ${quotedList(key)}`,
  );
  let count = 0;
  for (;;) {
    const rows = await tx.unsafe<{ json: string }[]>(`fetch ${ROWS_A_FETCH} from backup`);
    await file.lines(rows.map(({ json }) => json));
    count += rows.length;
    if (rows.length < ROWS_A_FETCH) break;
  }
  await tx.unsafe("close backup");
  return count;
}

async function writeLog(sql: Statements, { name, columns }: Table, lastId: number, file: BackupFile): Promise<number> {
  await file.lines([JSON.stringify(["table", name, columns])]);
  let count = 0;
  let after = { at: -1, id: 0 };
  for (;;) {
    const rows = await sql<{ at: number; id: number; json: string }[]>`
      select created_at as at, id, row_to_json(l)::text as json from logs l
      where (created_at, id) > (${after.at}, ${after.id}) and id <= ${lastId}
      order by created_at, id limit ${LOG_ROWS_A_SLICE}`;
    await file.lines(rows.map(({ json }) => json));
    count += rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < LOG_ROWS_A_SLICE) return count;
    after = { at: last.at, id: last.id };
  }
}

type BackupFile = Readonly<{
  /** Adds lines; resolves when more may come. Rejects when the disk refuses. */
  lines(texts: readonly string[]): Promise<void>;
  /** Adds the checksum and puts the file in its place, whole and on disk. */
  finish(): Promise<void>;
  /** Leaves no trace. */
  discard(): Promise<void>;
}>;

/** Begins a backup file that only this user can read; until finish() nothing stands under its name. */
function createBackupFile(path: string, asCaller: <T>(run: () => T) => T): BackupFile {
  const draft = `${path}.${process.pid}.part`;
  const fd = asCaller(() => openSync(draft, "w", 0o600));
  const hash = new Bun.CryptoHasher("sha256");
  const compressor = createZstdCompress();
  const written = pipeline(compressor, createWriteStream(draft, { fd, flush: true }));
  // Whoever waits for a line or the end gets it; nobody may be waiting at the moment it fails.
  let failure: unknown = null;
  written.catch((error) => {
    failure = error;
  });
  const write = async (text: string) => {
    if (failure) throw failure;
    if (!compressor.write(text)) await Promise.race([once(compressor, "drain"), written]);
  };
  return {
    async lines(texts) {
      if (texts.length === 0) return;
      const block = `${texts.join("\n")}\n`;
      hash.update(block);
      await write(block);
    },
    async finish() {
      await write(`${JSON.stringify(["sha256", hash.digest("hex")])}\n`);
      compressor.end();
      await written;
      asCaller(() => renameSync(draft, path));
    },
    async discard() {
      compressor.destroy();
      await written.catch(() => {});
      asCaller(() => rmSync(draft, { force: true }));
    },
  };
}
