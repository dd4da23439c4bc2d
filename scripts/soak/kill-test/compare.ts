import type { Counted } from "./adapters/adapter.ts";

/** What the clients and the upstream have seen. */
export type Seen = Readonly<{
  /** Ids of answers that arrived complete; null: that one has none. */
  delivered: readonly (string | null)[];
  /** Calls that the upstream has answered. */
  upstreamCalls: number;
}>;

export type Verdict = Readonly<{
  delivered: number;
  upstreamCalls: number;
  rows: number;
  /** Complete answers that no charged row stands for. */
  lost: number;
  /** Rows beyond one for a call. */
  doubled: number;
  /** What the account has spent beyond the sum of its rows, in the gateway's unit; null: it does not say. */
  difference: number | null;
}>;

/** Sums of fractions of dollars are exact to this. */
const EXACT = 1e-9;

/**
 * Compares answers, rows and charges: by ids where rows have them, else by numbers, which find what is missing or too much in
 * sum. A call that a kill broke may be charged or not, at most once.
 */
export function compare({ delivered, upstreamCalls }: Seen, { rows, charged, spent, rowsById }: Counted): Verdict {
  const byId = rowsById !== null && delivered.every((id) => id !== null) ? rowsById : null;
  const difference = spent === null ? null : spent - charged;
  return {
    delivered: delivered.length,
    upstreamCalls,
    rows,
    lost: byId ? delivered.filter((id) => !byId.has(id ?? "")).length : Math.max(0, delivered.length - rows),
    doubled: rowsById
      ? [...rowsById.values()].reduce((sum, count) => sum + count - 1, 0)
      : Math.max(0, rows - upstreamCalls),
    difference: difference !== null && Math.abs(difference) <= EXACT * Math.max(1, charged) ? 0 : difference,
  };
}

/** Whether nothing is lost, charged twice, or booked otherwise than it is logged. */
export const isExact = ({ lost, doubled, difference }: Verdict): boolean =>
  lost === 0 && doubled === 0 && (difference ?? 0) === 0;
