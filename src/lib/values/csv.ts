import { divide, integer, toText } from "./decimal.ts";

/** A value of a table; null is an empty cell. */
export type CsvCell = string | number | boolean | null;

/**
 * A table as CSV (RFC 4180, with a byte order mark for spreadsheets). A slice is asked for only when the one before has
 * been taken, so that a file of any length needs the memory of one.
 */
export function csvOf(
  columns: readonly string[],
  slices: AsyncGenerator<readonly (readonly CsvCell[])[]>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(`\uFEFF${columns.join(",")}\r\n`)),
    async pull(controller) {
      const { value: rows, done } = await slices.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(rows.map((row) => `${row.map(textOf).join(",")}\r\n`).join("")));
    },
    cancel: async () => {
      await slices.return(undefined);
    },
  });
}

/** The name of the column that has an amount of quota units in dollars. */
export const dollarColumn = (column: string): string => `${column}_usd`;

const DOLLAR_PLACES = 6;

/** An amount of quota units in dollars, to six places; empty where there is none. */
export const dollarCell = (quota: CsvCell, unitsPerDollar: number): CsvCell =>
  typeof quota === "number" ? Number(toText(divide(integer(quota), integer(unitsPerDollar), DOLLAR_PLACES))) : null;

/** Which columns are amounts of quota units: each has a column of its dollars behind all others. */
type Amounts<Column> = Readonly<{ columns: readonly Column[]; unitsPerDollar: number }>;

/**
 * Rows of a table as CSV, oldest first, read while it is sent. `read` gives up to `limit` rows with an id greater than
 * `after`, in the order of their ids.
 */
export const csvById = <Column extends string, Row extends Readonly<Record<Column, CsvCell> & { id: number }>>(
  columns: readonly Column[],
  amounts: Amounts<NoInfer<Column>>,
  read: (after: number, limit: number) => Promise<readonly Row[]>,
): ReadableStream<Uint8Array> =>
  csvOf([...columns, ...amounts.columns.map(dollarColumn)], cellsOf(columns, amounts, slicesById(read)));

async function* cellsOf<Column extends string, Row extends Readonly<Record<Column, CsvCell>>>(
  columns: readonly Column[],
  amounts: Amounts<Column>,
  slices: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  for await (const rows of slices)
    yield rows.map((row) => [
      ...columns.map((column) => row[column]),
      ...amounts.columns.map((column) => dollarCell(row[column], amounts.unitsPerDollar)),
    ]);
}

const SLICE = 500;

/** Slices of rows by growing id; `read` gives up to `limit` rows with an id greater than `after`, in the order of their ids. */
export async function* slicesById<Row extends Readonly<{ id: number }>>(
  read: (after: number, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = 0; ; ) {
    const rows = await read(after, SLICE);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < SLICE) return;
    after = last.id;
  }
}

function textOf(value: CsvCell): string {
  const text = String(value ?? "");
  // A leading = + - @ would be run as a formula by spreadsheets, and by some in full width too.
  const harmless = typeof value === "string" && /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
