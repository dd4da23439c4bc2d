import { type Column, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { endOfTurn } from "../../runtime/tick.ts";
import type { PageReader, RowQuery, TableCopy } from "./keep-table.ts";
import { PagedColumn } from "./paged-column.ts";
import { recentEntries } from "./recent-entries.ts";
import { TextColumn } from "./text-column.ts";

/** A row as the database wrote it: its fields, one after another, without the id. */
export type PackedRow = Readonly<{ id: number; text: string }>;

/** Between rows, and between the fields of one. */
const ROWS = "\x1e";
const FIELDS = "\x1f";

/** SQL for a text as a field; null reads as empty. Two `replace` take a third of what one `translate` does. */
export const textField = (text: Column | SQL): SQL =>
  sql`replace(replace(coalesce(${text}, ''), ${ROWS}, ''), ${FIELDS}, '')`;

/** The fields of a row's text. */
export const fieldsOf = (text: string): string[] => text.split(FIELDS);

/** The text of a row with these fields. */
export const packFields = (fields: readonly string[]): string => fields.join(FIELDS);

export type RowSource = Readonly<{
  table: PgTable;
  id: Column;
  /** SQL of each field, never null: that would shift those after it. Texts are a `textField`. */
  fields: readonly (Column | SQL)[];
}>;

/** What a `packedQuery` answers; null: no rows. */
export type PackedText = { text: string | null };

/**
 * The statement that answers the rows that meet the query, by id, as one `text` for `unpackRows`: a page costs both sides a
 * fraction of what its rows would, and there may be a million. Always one row: none would read as "there are no rows".
 */
export function packedQuery({ table, id, fields }: RowSource, { where, limit }: RowQuery): SQL {
  const line = sql.join([id, ...fields], sql`, `);
  return sql`
    select string_agg(line, ${ROWS}) as text from (
      select concat_ws(${FIELDS}, ${line}) as line from ${table} where ${where} order by ${id} limit ${limit}
    ) page`;
}

/** Blocks of a table's file that one query of `readBlocks` reads: a thousand rows or two, which calls wait for no longer than a few ms. */
const PAGE_BLOCKS = 32;

/** The transaction that `readBlocks` needs: every page as of the same moment. */
export const ONE_SNAPSHOT = { isolationLevel: "repeatable read", accessMode: "read only" } as const;

/**
 * Reads all rows that meet `where` in the order of the table's file, a third of the work of reading them by id where rows
 * were changed since. `query` runs a statement in a transaction with `ONE_SNAPSHOT` and resolves with its one text: else a row
 * that is changed meanwhile could move from a page that is ahead to one that was read. While `take` takes over a page, the
 * database reads the next one. Rejects as `query` does.
 */
export async function readBlocks(
  query: (statement: SQL) => Promise<string | null>,
  { table, id, fields }: RowSource,
  where: SQL,
  { take, expect, rest }: PageReader<PackedRow>,
): Promise<void> {
  const size = await query(sql`
    select concat_ws(' ', pg_relation_size(oid) / current_setting('block_size')::int, greatest(0, reltuples)::bigint) as text
    from pg_class where oid = ${getTableName(table)}::regclass`);
  const [blocks = 0, rows = 0] = size?.split(" ").map(Number) ?? [];
  expect(rows);
  const line = sql.join([id, ...fields], sql`, `);
  const readFrom = (first: number) =>
    query(sql`
      select string_agg(line, ${ROWS}) as text from (
        select concat_ws(${FIELDS}, ${line}) as line from ${table}
        where ctid >= ${`(${first},0)`}::tid and ctid < ${`(${first + PAGE_BLOCKS},0)`}::tid and ${where}
      ) page`);
  let next = blocks > 0 ? readFrom(0) : null;
  for (let first = PAGE_BLOCKS; next; first += PAGE_BLOCKS) {
    const text: string | null = await next;
    next = first < blocks ? readFrom(first) : null;
    // The query has left when the second turn is over: the driver gathers what it sends in the first.
    await endOfTurn();
    await endOfTurn();
    take(unpackRows(text));
    await rest();
  }
}

/** The rows in the text of a `packedQuery`. */
export function unpackRows(text: string | null): PackedRow[] {
  const rows: PackedRow[] = [];
  for (let start = 0; text && start < text.length; ) {
    const idEnd = text.indexOf(FIELDS, start);
    const end = text.indexOf(ROWS, idEnd);
    const rowEnd = end < 0 ? text.length : end;
    rows.push({ id: Number(text.slice(start, idEnd)), text: text.slice(idEnd + 1, rowEnd) });
    start = rowEnd + 1;
  }
  return rows;
}

/** Rows in use, read only once. */
const MOST_ENTRIES = 10_000;

/**
 * All rows of a large table as texts, by id; what is in a row is read when somebody asks for it. Where a `folder` is given the texts
 * are in a file there, and a row takes five bytes of memory.
 */
export abstract class PackedRows<Entry> implements TableCopy<PackedRow> {
  readonly #texts: TextColumn;
  /** Which sweep has seen each row last. */
  readonly #seen = new PagedColumn((rows) => new Uint8Array(rows));
  #sweep = 0;
  readonly #entries = recentEntries<number, NonNullable<Entry>>(MOST_ENTRIES);
  size = 0;
  /** Becomes another with every change. */
  version = 0;

  constructor(folder: string | null = null) {
    this.#texts = new TextColumn(folder);
  }

  protected abstract entryOf(row: PackedRow): NonNullable<Entry>;
  /** A row has come, or is about to leave: for look-ups by other fields. */
  protected added(_row: PackedRow): void {}
  protected removing(_row: PackedRow): void {}

  get(id: number): Entry | undefined {
    const known = this.#entries.get(id);
    if (known) return known;
    if (!this.#texts.has(id)) return undefined;
    const entry = this.entryOf(this.#rowOf(id));
    this.#entries.set(id, entry);
    return entry;
  }

  put(row: PackedRow): void {
    if (this.#texts.has(row.id)) {
      this.#seen.set(row.id, this.#sweep);
      if (this.textOf(row.id) === row.text) return;
      this.remove(row.id);
    }
    this.version += 1;
    this.size += 1;
    this.#seen.set(row.id, this.#sweep);
    this.#texts.set(row.id, row.text);
    this.added(row);
  }

  remove(id: number): void {
    if (!this.#texts.has(id)) return;
    this.version += 1;
    this.size -= 1;
    this.removing(this.#rowOf(id));
    this.#entries.delete(id);
    this.#texts.set(id, "");
  }

  *rows(): Generator<PackedRow> {
    for (const id of this.#texts.rows()) yield this.#rowOf(id);
  }

  beginSweep() {
    this.#sweep = (this.#sweep + 1) & 0xff;
    const sweep = this.#sweep;
    return { seen: () => {}, missing: () => this.#missingAfter(sweep) };
  }

  /** The text of a row; empty where there is none. */
  protected textOf(id: number): string {
    return this.#texts.get(id);
  }

  /** Ids that a sweep did not meet; none where another sweep has overtaken it: the later one will find them. */
  #missingAfter(sweep: number): Set<number> {
    const missing = new Set<number>();
    if (sweep !== this.#sweep) return missing;
    for (const id of this.#texts.rows()) if (this.#seen.get(id) !== sweep) missing.add(id);
    return missing;
  }

  #rowOf(id: number): PackedRow {
    return { id, text: this.textOf(id) };
  }
}
