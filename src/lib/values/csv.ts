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

function textOf(value: CsvCell): string {
  const text = String(value ?? "");
  // A leading = + - @ would be run as a formula by spreadsheets.
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
