import type { Logger } from "../runtime/log.ts";

/** Changes arrive by events, so a full reading misses few entries: so many, or this share, is no cause for doubt. */
const FEW = 10;
const SMALL_SHARE = 0.05;

/**
 * Finds the entries that are in memory and no longer in the database. `read` reads everything once and answers the entries
 * it did not meet. A reading that misses all of them, or far more than changes between two readings, is more likely to be
 * cut short than true: it is logged and repeated, and only what both missed counts as removed.
 */
export async function findRemoved<Id>(
  read: () => Promise<ReadonlySet<Id>>,
  known: () => number,
  name: string,
  log: Logger,
): Promise<Iterable<Id>> {
  const before = known();
  const missing = await read();
  const isUsual = missing.size <= Math.max(FEW, before * SMALL_SHARE) && missing.size < before;
  if (missing.size === 0 || isUsual) return missing;
  log.warn({ missing: missing.size, known: before }, `${name}: far more is missing than expected, reading again`);
  const again = await read();
  return [...again].filter((id) => missing.has(id));
}
