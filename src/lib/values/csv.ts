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

/**
 * Rows of a table as CSV, oldest first, read while it is sent. `read` gives up to `limit` rows with an id greater than
 * `after`, in the order of their ids.
 */
export const csvById = <Column extends string, Row extends Readonly<Record<Column, CsvCell> & { id: number }>>(
  columns: readonly Column[],
  read: (after: number, limit: number) => Promise<readonly Row[]>,
): ReadableStream<Uint8Array> => csvOf(columns, cellsOf(columns, slicesById(read)));

async function* cellsOf<Column extends string, Row extends Readonly<Record<Column, CsvCell>>>(
  columns: readonly Column[],
  slices: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  for await (const rows of slices) yield rows.map((row) => columns.map((column) => row[column]));
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
