import { sql } from "drizzle-orm";

/** Sums of one period of one series: calls, quota units, tokens, milliseconds. */
export type SeriesPoint = {
  /** Epoch seconds at which the period begins. */
  start: number;
  count: number;
  failed: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  elapsed_ms: number;
};

/** A period of one series; key null: of all that have no series of their own. */
export type Cell = SeriesPoint & { key: string | null; name: string };

export const SUMMED = [
  "count",
  "failed",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "elapsed_ms",
] as const satisfies readonly (keyof SeriesPoint)[];

/** Whether nothing was called: hours that were taken off leave such cells. */
export const isEmptyCell = (cell: SeriesPoint): boolean => SUMMED.every((name) => cell[name] === 0);

/** The sums of a cell, selected from hours or from other cells. */
export const CELL_SUMS = sql.raw(SUMMED.map((name) => `sum(${name})::bigint as ${name}`).join(", "));

/** A row of cells with its numbers as numbers. */
export const cellOf = ({ key, name, ...point }: Cell): Cell => ({
  key,
  name,
  start: Number(point.start),
  count: Number(point.count),
  failed: Number(point.failed),
  quota: Number(point.quota),
  prompt_tokens: Number(point.prompt_tokens),
  completion_tokens: Number(point.completion_tokens),
  elapsed_ms: Number(point.elapsed_ms),
});
