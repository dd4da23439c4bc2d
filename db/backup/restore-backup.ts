import { createLogMonths } from "../maintenance/partitions.ts";
import { newestMigration } from "../migrate/migrate.ts";
import { requireRow } from "../require-row.ts";
import { DEADLINES_MS, liftTimeouts, withDeadline } from "../server/deadlines.ts";
import type { Database, Statements } from "../types.ts";
import { carryOver } from "./carry-over.ts";
import { decodeRows } from "./copy-text.ts";
import {
  BackupError,
  type BackupHead,
  type BackupItem,
  listTables,
  quotedList,
  type RowCounts,
  type Sequences,
} from "./format.ts";
import { dropIndexes } from "./indexes.ts";
import { type LeftOut, loadRows } from "./load-rows.ts";
import { type OpenFile, readBackup } from "./read-backup.ts";

/** What making indexes may take: on a server of its own this is little. */
const FOR_INDEXES = "set local maintenance_work_mem = '256MB'; set local max_parallel_maintenance_workers = 4";

/** What was restored, and what of it this release's tables do not know. */
export type Restored = Readonly<{ counts: RowCounts; leftOut: LeftOut }>;

/**
 * Puts a backup into a migrated database that no gateway uses: all of it in one transaction, or nothing. Which engine the
 * backup came from makes no difference. Replaces what is there when `replace` is set, else the database must have neither
 * users nor channels nor log rows. A backup of a newer release is restored as far as this one knows it, where that release says
 * that it may be. Returns the rows restored a table. Throws BackupError.
 */
export async function restoreBackup(
  { sql, kind }: Database,
  path: string,
  {
    replace = false,
    checkOption,
    open,
  }: Readonly<{ replace?: boolean; checkOption?: OptionCheck; open?: OpenFile }> = {},
): Promise<Restored> {
  const head = await verify(path, checkOption, open);
  const restore = async (tx: Statements) => {
    if (kind === "server") await liftTimeouts(tx);
    const { all } = await listTables(tx);
    if (kind === "server") await refuseInUse(tx);
    if (!replace) await refuseFilled(tx);
    await tx.unsafe(`truncate ${quotedList(all)}`);
    await createLogMonths(tx, head.logMonths);
    const indexes = await dropIndexes(tx);
    const { counts, sequences, leftOut } = await loadRows(tx, readBackup(path, open), kind === "server");
    if (kind === "server") await tx.unsafe(FOR_INDEXES);
    for (const statement of indexes) await tx.unsafe(statement);
    await advance(tx, sequences);
    await carryOver(head.migration, (statement) => tx.unsafe(statement));
    // The processes of the backup use another database, or have ended: nobody has to wait for them, nor for their journals.
    await tx`update processes set lease_until = 0, location = '' where lease_until > extract(epoch from now())::bigint`;
    return { counts, leftOut };
  };
  return withDeadline(DEADLINES_MS.long, () => sql.begin(restore));
}

type Option = Readonly<{ key: string; value: string }>;
/** Looks at a row of the table of options before anything is changed; throws where the backup is not to be restored. */
type OptionCheck = (option: Option) => void;

/** Reads the whole file once before anything is changed. */
async function verify(path: string, checkOption?: OptionCheck, open?: OpenFile): Promise<BackupHead> {
  let head: BackupHead | null = null;
  let table = "";
  let columns: readonly string[] = [];
  for await (const item of readBackup(path, open)) {
    if (item.kind === "head") head = item.head;
    else if (item.kind === "table") ({ name: table, columns } = item);
    else if (table === "options" && checkOption) optionsOf(item, columns).forEach(checkOption);
  }
  if (!head) throw new BackupError(`${path} is empty`);
  const newest = await newestMigration();
  if (head.migration > newest && (head.compatibleFrom ?? head.migration) > newest) {
    throw new BackupError(`${path} was made by sluice ${head.version}: restore it with that release or a later one`);
  }
  return head;
}

function optionsOf(item: BackupItem, columns: readonly string[]): Option[] {
  if (item.kind === "row") return [JSON.parse(item.json) as Option];
  if (item.kind !== "rows") return [];
  const [key, value] = [columns.indexOf("key"), columns.indexOf("value")];
  return decodeRows(item.text).map((row) => ({ key: row[key] ?? "", value: row[value] ?? "" }));
}

/**
 * Throws BackupError while a gateway uses the server's database.
 * (On the embedded engine the lock of the data directory says so already; an entry there is of a process that died.)
 */
export async function refuseInUse(tx: Statements): Promise<void> {
  const lease = requireRow(
    await tx<{ held: boolean }[]>`
    select exists(select 1 from processes where lease_until > extract(epoch from now())) as held`,
  );
  if (lease.held) throw new BackupError("a gateway is using this database: stop it and try again in half a minute");
}

async function refuseFilled(tx: Statements): Promise<void> {
  const found = requireRow(
    await tx<{ filled: boolean }[]>`
    select exists(select 1 from users) or exists(select 1 from channels) or exists(select 1 from logs) as filled`,
  );
  if (found.filled) throw new BackupError("the database is not empty: --force replaces everything in it");
}

/** No id that was ever given out is given out again. */
async function advance(tx: Statements, sequences: Sequences): Promise<void> {
  for (const [name, last] of Object.entries(sequences)) {
    // (One of a table that this release does not know is none.)
    await tx`select setval(sequence, ${last ?? 1}::bigint, ${last !== null})
      from to_regclass(format('public.%I', ${name}::text)) sequence where sequence is not null`;
  }
}
