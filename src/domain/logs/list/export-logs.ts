import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import type { Db } from "../../../../db/types.ts";
import { type CsvCell, csvOf, dollarCell, dollarColumn } from "../../../lib/values/csv.ts";
import type { LogFilter } from "../log-filter.ts";
import type { LogView } from "../log-view.ts";
import { type LogCursor, readLogs, type Viewer } from "./list-logs.ts";

/** Rows: of larger slices more memory is left to the collector while a file goes out, and it takes as long. */
const SLICE = 200;
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
  "tags",
  "end_user",
] as const satisfies readonly (keyof LogView)[];
const ADMIN = [
  "user_id",
  "username",
  "channel",
  "channel_name",
  "ip",
  "uncovered",
] as const satisfies readonly (keyof LogView)[];

/** What the call cost the operator, and what is left of its charge. */
const MARGIN = ["upstream_cost", "margin"] as const;
/** A member of a row, or one of its `other`. */
type Column = keyof LogView | "service_tier" | (typeof MARGIN)[number];
/** Columns that follow in dollars, behind all others. */
const AMOUNTS = { owner: ["quota"], admin: ["quota", ...MARGIN] } as const satisfies Record<Viewer, readonly Column[]>;

/** Log rows as CSV, newest first, read in slices while it is sent. */
export const exportLogs = (
  db: Db,
  filter: LogFilter,
  viewer: Viewer,
  unitsPerDollar: number,
): ReadableStream<Uint8Array> => exportRows(slicesOf(db, filter, viewer), viewer, unitsPerDollar);

/** Slices of log rows as CSV. */
export function exportRows(
  slices: AsyncGenerator<readonly LogView[], void>,
  viewer: Viewer,
  unitsPerDollar: number,
): ReadableStream<Uint8Array> {
  const operators: readonly Column[] = viewer === "admin" ? [...ADMIN, ...MARGIN] : [];
  const columns: readonly Column[] = [...COMMON, ...operators, "service_tier"];
  const amounts = AMOUNTS[viewer];
  return csvOf([...columns, ...amounts.map(dollarColumn)], cellsOf(slices, columns, amounts, unitsPerDollar));
}

async function* cellsOf(
  slices: AsyncGenerator<readonly LogView[], void>,
  columns: readonly Column[],
  amounts: readonly Column[],
  unitsPerDollar: number,
) {
  const dollars = (value: CsvCell) => (typeof value === "number" ? dollarCell(value, unitsPerDollar) : "");
  for await (const rows of slices)
    yield rows.map((row) => [
      ...columns.map((column) => cell(column, row)),
      ...amounts.map((column) => dollars(cell(column, row))),
    ]);
}

async function* slicesOf(db: Db, filter: LogFilter, viewer: Viewer): AsyncGenerator<LogView[], void> {
  let before: LogCursor | undefined;
  for (;;) {
    const slice = { page: 0, pageSize: SLICE, ...(before && { before }) };
    const rows = await withDeadline(DEADLINES_MS.long, () => readLogs(db, filter, slice, viewer));
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < SLICE) return;
    before = { createdAt: last.created_at, id: last.id };
  }
}

/** Inside texts its quotes would be escaped. */
const SERVICE_TIER = /"service_tier":\s*"([^"\\]*)"/;

/** Of the response that the caller got, and of those that nobody got. */
const COSTS = /"(?:upstream|channel)_cost":(\d+)/g;

function cell(column: Column, row: LogView): CsvCell {
  if (column === "upstream_cost" || column === "margin") {
    const costs = [...row.other.matchAll(COSTS)].map(([, cost]) => Number(cost));
    if (costs.length === 0) return "";
    const cost = costs.reduce((sum, each) => sum + each, 0);
    return column === "margin" ? row.quota - cost : cost;
  }
  if (column === "service_tier") return SERVICE_TIER.exec(row.other)?.[1] ?? "";
  if (column === "created_at") return new Date(row.created_at * 1000).toISOString();
  const value = row[column];
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}
