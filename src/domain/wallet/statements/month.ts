import { OperationError } from "../../../lib/operation-error.ts";

/** A calendar month in UTC: `name` as in `2026-11`, from `from` (included) to `until` (excluded), epoch seconds. */
export type Month = Readonly<{ name: string; from: number; until: number }>;

const SHAPE = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** The month that `seconds` (epoch) lies in. */
export function monthAt(seconds: number): Month {
  const date = new Date(seconds * 1000);
  return monthOf(date.getUTCFullYear(), date.getUTCMonth());
}

/** The calendar month before (UTC). */
export const monthBefore = (month: Month): Month => monthAt(month.from - 1);

/** Parses `2026-11`. Throws OperationError. */
export function parseMonth(name: string): Month {
  const [, year, number] = SHAPE.exec(name) ?? [];
  if (year === undefined || number === undefined) throw new OperationError("statement_month_invalid");
  return monthOf(Number(year), Number(number) - 1);
}

function monthOf(year: number, index: number): Month {
  const from = Date.UTC(year, index) / 1000;
  return {
    name: new Date(from * 1000).toISOString().slice(0, 7),
    from,
    until: Date.UTC(year, index + 1) / 1000,
  };
}
