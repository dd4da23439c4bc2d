import type { Db } from "../../db/types.ts";
import { type LogCursor, readLogs, type Viewer } from "./list-logs.ts";
import type { LogFilter } from "./log-filter.ts";
import type { LogView } from "./log-view.ts";

const SLICE = 500;
const COMMON = [
  "created_at",
  "request_id",
  "type",
  "token_name",
  "group",
  "model_name",
  "is_stream",
  "failed",
  "elapsed_ms",
  "prompt_tokens",
  "completion_tokens",
  "quota",
  "content",
] as const satisfies readonly (keyof LogView)[];
const ADMIN = [
  "user_id",
  "username",
  "channel",
  "channel_name",
  "ip",
  "uncovered",
] as const satisfies readonly (keyof LogView)[];

/** Log rows as CSV (RFC 4180, with a byte order mark for spreadsheets), read in slices while it is sent. */
export function exportLogs(db: Db, filter: LogFilter, viewer: Viewer): ReadableStream<Uint8Array> {
  const columns: readonly (keyof LogView)[] = viewer === "admin" ? [...COMMON, ...ADMIN] : COMMON;
  const encoder = new TextEncoder();
  let before: LogCursor | undefined;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(`\uFEFF${columns.join(",")}\r\n`));
    },
    async pull(controller) {
      const rows = await readLogs(db, filter, { page: 0, pageSize: SLICE, ...(before && { before }) }, viewer);
      if (rows.length > 0) {
        const lines = rows.map((row) => columns.map((column) => cell(column, row)).join(","));
        controller.enqueue(encoder.encode(`${lines.join("\r\n")}\r\n`));
      }
      const last = rows.at(-1);
      if (!last || rows.length < SLICE) controller.close();
      else before = { createdAt: last.created_at, id: last.id };
    },
  });
}

function cell(column: keyof LogView, row: LogView): string {
  const value = column === "created_at" ? new Date(row.created_at * 1000).toISOString() : String(row[column]);
  // A leading = + - @ would be run as a formula by spreadsheets.
  const harmless = /^[=+\-@\t\r]/.test(value) && typeof row[column] === "string" ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
