import { type Column, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { endOfTurn } from "../../runtime/tick.ts";
import type { PageReader, RowQuery, TableCopy } from "./keep-table.ts";
import { recentEntries } from "./recent-entries.ts";
import { SlotIndex } from "./slot-index.ts";
import { enlarged, TextColumn } from "./text-column.ts";

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

/** Where the first field of a row's text ends. */
export const firstFieldEnd = (text: string): number => text.indexOf(FIELDS);

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

/** Blocks of a table's file that one query of `readBlocks` reads: some thousand rows. */
const PAGE_BLOCKS = 128;

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
  { take, expect }: PageReader<PackedRow>,
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

const FEWEST = 1024;
/** Rows in use, read only once. */
const MOST_ENTRIES = 10_000;

/**
 * All rows of a large table as texts, 20 bytes each besides the text; what is in a row is read when somebody asks for it.
 */
export abstract class PackedRows<Entry> implements TableCopy<PackedRow> {
  /** 0: nothing is in that slot. */
  #ids = new Int32Array(FEWEST);
  readonly #texts = new TextColumn();
  readonly #free: number[] = [];
  #used = 0;
  /** Which sweep has seen each row last. */
  #seen = new Uint8Array(FEWEST);
  #sweep = 0;
  /** Ids that follow each other stand next to each other in the index, too: rows are read nearly in that order. */
  readonly #byId = new SlotIndex((slot) => this.#ids[slot] as number);
  readonly #entries = recentEntries<number, NonNullable<Entry>>(MOST_ENTRIES);
  /** Becomes another with every change. */
  version = 0;

  protected abstract entryOf(row: PackedRow): NonNullable<Entry>;
  /** A row has come, or is about to leave: for look-ups by other fields. */
  protected added(_slot: number, _row: PackedRow): void {}
  protected removing(_slot: number, _row: PackedRow): void {}

  /** Keeps the text of a row; a table may keep a part of it elsewhere. */
  protected writeText(slot: number, text: string): void {
    this.#texts.set(slot, text);
  }

  /** The text that `writeText` was given. */
  protected readText(slot: number): string {
    return this.#texts.get(slot);
  }

  get(id: number): Entry | undefined {
    const known = this.#entries.get(id);
    if (known) return known;
    const slot = this.#slotOf(id);
    return slot < 0 ? undefined : this.entryAt(slot);
  }

  put(row: PackedRow): void {
    const before = this.#slotOf(row.id);
    if (before >= 0) {
      this.#seen[before] = this.#sweep;
      if (this.readText(before) === row.text) return;
      this.remove(row.id);
    }
    this.version += 1;
    const slot = this.#free.pop() ?? this.#used++;
    if (slot >= this.#ids.length) this.#grow();
    this.#ids[slot] = row.id;
    this.#seen[slot] = this.#sweep;
    this.writeText(slot, row.text);
    this.#byId.add(slot);
    this.added(slot, row);
  }

  /** Makes room for so many rows in all look-ups. */
  reserve(rows: number): void {
    this.#byId.reserve(rows);
  }

  remove(id: number): void {
    const slot = this.#slotOf(id);
    if (slot < 0) return;
    this.version += 1;
    this.removing(slot, this.#rowAt(slot));
    this.#byId.remove(slot);
    this.#entries.delete(id);
    this.#ids[slot] = 0;
    this.#texts.set(slot, "");
    this.#free.push(slot);
  }

  *rows(): Generator<PackedRow> {
    for (let slot = 0; slot < this.#used; slot += 1) if (this.#ids[slot] !== 0) yield this.#rowAt(slot);
  }

  get size(): number {
    return this.#used - this.#free.length;
  }

  beginSweep() {
    this.#sweep = (this.#sweep + 1) & 0xff;
    const sweep = this.#sweep;
    return { seen: () => {}, missing: () => this.#missingAfter(sweep) };
  }

  /** What is in a slot that is taken. */
  protected entryAt(slot: number): NonNullable<Entry> {
    const row = this.#rowAt(slot);
    const known = this.#entries.get(row.id);
    if (known) return known;
    const entry = this.entryOf(row);
    this.#entries.set(row.id, entry);
    return entry;
  }

  /** Ids that a sweep did not meet; none where another sweep has overtaken it: the later one will find them. */
  #missingAfter(sweep: number): Set<number> {
    const missing = new Set<number>();
    if (sweep !== this.#sweep) return missing;
    for (let slot = 0; slot < this.#used; slot += 1) {
      const id = this.#ids[slot] as number;
      if (id !== 0 && this.#seen[slot] !== sweep) missing.add(id);
    }
    return missing;
  }

  #rowAt(slot: number): PackedRow {
    return { id: this.#ids[slot] as number, text: this.readText(slot) };
  }

  #slotOf(id: number): number {
    return this.#byId.find(id, (slot) => this.#ids[slot] === id);
  }

  #grow(): void {
    const capacity = this.#ids.length * 2;
    this.#ids = enlarged(this.#ids, new Int32Array(capacity));
    this.#seen = enlarged(this.#seen, new Uint8Array(capacity));
  }
}
