import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Statements } from "../types.ts";
import { decodeRows } from "./copy-text.ts";
import { BackupError, type BackupItem, quoted, quotedList, type RowCounts, type Sequences } from "./format.ts";

const ROWS_A_STATEMENT = 500;
const CHARACTERS_A_STATEMENT = 2_000_000;

/** What the tables of this release are: the types of their columns by name, by the name of the table. */
type TableTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What a backup has and this release's tables have not: a newer release has added it. */
export type LeftOut = Readonly<{ tables: readonly string[]; columns: readonly string[] }>;

/** Takes the rows of one table, in the two forms that a backup has them in. */
type RowTaker = Readonly<{
  row(json: string): Promise<void>;
  rows(text: Buffer): Promise<void>;
  finish(): Promise<void>;
  /** Ends a statement that waits for more rows: nothing else reaches the database before. */
  abandon(error: Error): void;
}>;

async function readTypes(tx: Statements): Promise<TableTypes> {
  const rows = await tx<{ table: string; column: string; type: string }[]>`
    select c.relname::text as "table", a.attname::text as "column", format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by a.attnum`;
  const types = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    const columns = types.get(table) ?? new Map<string, string>();
    types.set(table, columns.set(column, type));
  }
  return types;
}

/**
 * Puts the rows of a backup into empty tables. `canCopy`: the database takes COPY FROM STDIN. What the tables do not know is left
 * out, and named; columns that the backup does not know get their defaults. Throws BackupError for a backup that ends early.
 */
export async function loadRows(
  tx: Statements,
  items: AsyncIterable<BackupItem>,
  canCopy: boolean,
): Promise<{ counts: RowCounts; sequences: Sequences; leftOut: LeftOut }> {
  const types = await readTypes(tx);
  const leftOut = { tables: [] as string[], columns: [] as string[] };
  let taker: RowTaker = TAKES_NONE;
  try {
    for await (const item of items) {
      if (item.kind === "table") {
        await taker.finish();
        const known = types.get(item.name);
        const unknown = item.columns.filter((column) => !known?.has(column));
        if (known) leftOut.columns.push(...unknown.map((column) => `${item.name}.${column}`));
        else leftOut.tables.push(item.name);
        taker = known ? takerOf(tx, { name: item.name, columns: item.columns, known }, canCopy) : TAKES_NONE;
      } else if (item.kind === "row") await taker.row(item.json);
      else if (item.kind === "rows") await taker.rows(item.text);
      else if (item.kind === "end") {
        await taker.finish();
        return { counts: item.counts, sequences: item.sequences, leftOut };
      }
    }
    throw new BackupError("the backup changed while it was read");
  } catch (error) {
    taker.abandon(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

const nothing = () => Promise.resolve();
const TAKES_NONE: RowTaker = { row: nothing, rows: nothing, finish: nothing, abandon() {} };

/** A table as the backup has it, and the types of the columns that this release knows. */
type Target = Readonly<{ name: string; columns: readonly string[]; known: ReadonlyMap<string, string> }>;

function takerOf(tx: Statements, target: Target, canCopy: boolean): RowTaker {
  const json = insertJson(tx, target);
  const text = canCopy ? copyText(tx, target) : insertText(tx, target);
  return {
    row: json.add,
    rows: text.add,
    async finish() {
      await json.finish();
      await text.finish();
    },
    abandon: text.abandon,
  };
}

const knownColumns = ({ columns, known }: Target): string[] => columns.filter((column) => known.has(column));

function insertJson(tx: Statements, target: Target) {
  const names = quotedList(knownColumns(target));
  const statement = `insert into ${quoted(target.name)} (${names})
    select ${names} from json_populate_recordset(null::${quoted(target.name)}, $1::text::json)`;
  let rows: string[] = [];
  let characters = 0;
  const flush = async () => {
    if (rows.length) await tx.unsafe(statement, [`[${rows.join(",")}]`]);
    rows = [];
    characters = 0;
  };
  return {
    async add(json: string) {
      rows.push(json);
      characters += json.length;
      if (rows.length >= ROWS_A_STATEMENT || characters >= CHARACTERS_A_STATEMENT) await flush();
    },
    finish: flush,
  };
}

/** The fastest way, of which the embedded engine has no form. */
function copyText(tx: Statements, target: Target) {
  const isKnown = target.columns.every((column) => target.known.has(column));
  const into = isKnown ? quoted(target.name) : "backup_rows";
  let stream: Writable | null = null;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const begin = async () => {
    // COPY leaves no column out: a table that has them all takes the rows first.
    if (!isKnown) await tx.unsafe(`create temp table backup_rows (${columnList(target)}) on commit drop`);
    const begun: Writable = await tx.unsafe(`copy ${into} (${quotedList(target.columns)}) from stdin`).writable();
    begun.on("error", failed.reject);
    return begun;
  };
  return {
    async add(text: Buffer) {
      stream ??= await begin();
      if (!stream.write(text)) await Promise.race([once(stream, "drain"), failed.promise]);
    },
    abandon(error: Error) {
      stream?.destroy(error);
    },
    async finish() {
      if (stream === null) return;
      const ended = once(stream, "finish");
      stream.end();
      await Promise.race([ended, failed.promise]);
      if (isKnown) return;
      const names = quotedList(knownColumns(target));
      await tx.unsafe(`insert into ${quoted(target.name)} (${names}) select ${names} from backup_rows`);
      await tx.unsafe("drop table backup_rows");
    },
  };
}

const columnList = ({ columns, known }: Target): string =>
  columns.map((column) => `${quoted(column)} ${known.get(column) ?? "text"}`).join(", ");

function insertText(tx: Statements, target: Target) {
  const places = target.columns.flatMap((column, place) => {
    const type = target.known.get(column);
    return type === undefined ? [] : [{ column, place, type }];
  });
  const values = places.map(({ type }, at) => `(r ->> ${at})::${type}`).join(", ");
  const statement = `insert into ${quoted(target.name)} (${quotedList(places.map(({ column }) => column))})
    select ${values} from json_array_elements($1::text::json) r`;
  return {
    async add(text: Buffer) {
      const rows = decodeRows(text).map((row) => places.map(({ place }) => row[place] ?? null));
      for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
        await tx.unsafe(statement, [JSON.stringify(rows.slice(from, from + ROWS_A_STATEMENT))]);
      }
    },
    finish: nothing,
    abandon() {},
  };
}
