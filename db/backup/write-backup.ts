import { listLogMonths } from "../maintenance/partitions.ts";
import { readApplied } from "../migrate/migrate.ts";
import { DEADLINES_MS, liftTimeouts, withDeadline } from "../server/deadlines.ts";
import type { Database, Statements } from "../types.ts";
import { type BackupFile, createBackupFile } from "./backup-file.ts";
import {
  type BackupHead,
  FORMAT,
  HEAD_MARK,
  listTables,
  quoted,
  quotedList,
  type RowCounts,
  type Sequences,
  type Table,
} from "./format.ts";

const ROWS_A_FETCH = 1000;
const BYTES_A_BLOCK = 256 * 1024;
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
      counts[table.name] = await (kind === "server" ? copyTable : writeTable)(tx, table, file);
    }
    return { log, sequences: await readSequences(tx) };
  });
  if (kind === "embedded") counts[log.name] = await writeLog(sql, log, sequences.logs_id_seq ?? 0, file);
  await file.lines([JSON.stringify(["end", counts, sequences])]);
  return counts;
}

async function headOf(tx: Statements, version: string): Promise<BackupHead> {
  const { newest, compatibleFrom } = await readApplied(tx);
  return {
    format: FORMAT,
    version,
    migration: newest,
    compatibleFrom,
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

/** What a server gives by COPY; the embedded engine can't be asked for that. Without an order: nobody reads it by one. */
async function copyTable(tx: Statements, { name, columns }: Table, file: BackupFile): Promise<number> {
  await file.lines([JSON.stringify(["table", name, columns])]);
  const rows = await tx.unsafe(`copy (select ${quotedList(columns)} from ${quoted(name)}) to stdout`).readable();
  let [total, bytes] = [0, 0];
  let block: Buffer[] = [];
  const flush = async () => {
    if (block.length > 0) await file.rows(block.length, Buffer.concat(block));
    total += block.length;
    [block, bytes] = [[], 0];
  };
  // Each chunk is a row: a message of the protocol.
  for await (const row of rows) {
    block.push(row);
    bytes += row.length;
    if (bytes >= BYTES_A_BLOCK) await flush();
  }
  await flush();
  // The driver pauses its connection while rows wait to be read, also behind the last one.
  rows._read(0);
  return total;
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
