import { createLogMonths } from "../maintenance/partitions.ts";
import { newestMigration } from "../migrate.ts";
import { requireRow } from "../require-row.ts";
import { DEADLINES_MS, withDeadline } from "../server/deadlines.ts";
import type { Database, Statements } from "../types.ts";
import { carryOver } from "./carry-over.ts";
import {
  BackupError,
  type BackupHead,
  liftTimeouts,
  listTables,
  quoted,
  quotedList,
  type RowCounts,
  type Sequences,
} from "./format.ts";
import { type OpenFile, readBackup } from "./read-backup.ts";

const ROWS_A_STATEMENT = 500;
const CHARACTERS_A_STATEMENT = 2_000_000;

/**
 * Puts a backup into a migrated database that no gateway uses: all of it in one transaction, or nothing. Which engine the
 * backup came from makes no difference. Replaces what is there when `replace` is set, else the database must have neither
 * users nor channels nor log rows. Returns the rows restored a table. Throws BackupError.
 */
export async function restoreBackup(
  { sql, kind }: Database,
  path: string,
  {
    replace = false,
    checkOption,
    open,
  }: Readonly<{ replace?: boolean; checkOption?: OptionCheck; open?: OpenFile }> = {},
): Promise<RowCounts> {
  const head = await verify(path, checkOption, open);
  const restore = async (tx: Statements) => {
    if (kind === "server") await liftTimeouts(tx);
    const { all } = await listTables(tx);
    if (kind === "server") await refuseInUse(tx);
    if (!replace) await refuseFilled(tx);
    await tx.unsafe(`truncate ${quotedList(all)}`);
    await createLogMonths(tx, head.logMonths);
    const constraints = await deferConstraints(tx);
    const { counts, sequences } = await load(tx, path, open);
    await tx.unsafe("set constraints all immediate");
    for (const { name, table } of constraints) {
      await tx.unsafe(`alter table ${table} alter constraint ${quoted(name)} not deferrable`);
    }
    await advance(tx, sequences);
    await carryOver(head.migration, (statement) => tx.unsafe(statement));
    // The processes of the backup use another database, or have ended: nobody has to wait for them, nor for their journals.
    await tx`update processes set lease_until = 0, location = '' where lease_until > extract(epoch from now())::bigint`;
    return counts;
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
  for await (const item of readBackup(path, open)) {
    if (item.kind === "head") head = item.head;
    else if (item.kind === "table") table = item.name;
    else if (item.kind === "row" && table === "options") checkOption?.(JSON.parse(item.json) as Option);
  }
  if (!head) throw new BackupError(`${path} is empty`);
  if (head.migration > (await newestMigration())) {
    throw new BackupError(`${path} was made by sluice ${head.version}: restore it with that release or a later one`);
  }
  return head;
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

/** Until the end of the transaction rows may refer to rows that are yet to come. */
async function deferConstraints(tx: Statements): Promise<{ name: string; table: string }[]> {
  const constraints = await tx<{ name: string; table: string }[]>`
    select conname as name, conrelid::regclass::text as "table" from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0 and not condeferrable`;
  for (const { name, table } of constraints) {
    await tx.unsafe(`alter table ${table} alter constraint ${quoted(name)} deferrable initially deferred`);
  }
  return constraints;
}

async function load(
  tx: Statements,
  path: string,
  open?: OpenFile,
): Promise<{ counts: RowCounts; sequences: Sequences }> {
  let statement = "";
  let rows: string[] = [];
  let characters = 0;
  const flush = async () => {
    if (rows.length) await tx.unsafe(statement, [`[${rows.join(",")}]`]);
    rows = [];
    characters = 0;
  };
  for await (const item of readBackup(path, open)) {
    if (item.kind === "table") {
      await flush();
      statement = insertInto(item.name, item.columns);
    } else if (item.kind === "row") {
      rows.push(item.json);
      characters += item.json.length;
      if (rows.length >= ROWS_A_STATEMENT || characters >= CHARACTERS_A_STATEMENT) await flush();
    } else if (item.kind === "end") {
      await flush();
      return item;
    }
  }
  throw new BackupError(`${path} changed while it was read`);
}

/** Columns that the backup does not know yet get their defaults. */
function insertInto(table: string, columns: readonly string[]): string {
  const names = quotedList(columns);
  return `insert into ${quoted(table)} (${names})
    select ${names} from json_populate_recordset(null::${quoted(table)}, $1::text::json)`;
}

/** No id that was ever given out is given out again. */
async function advance(tx: Statements, sequences: Sequences): Promise<void> {
  for (const [name, last] of Object.entries(sequences)) {
    await tx`select setval(format('public.%I', ${name}::text)::regclass, ${last ?? 1}::bigint, ${last !== null})`;
  }
}
