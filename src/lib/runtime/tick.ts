/**
 * Under load one turn of the event loop handles much that came at the same time. What goes out is gathered until the turn is
 * over and then goes in one go: a write to the disk for all, and the other side is woken once, not for each.
 */

let early: (() => void)[] = [];
/** Somebody uses `beforeEndOfTurn`: without that turns need no stage of their own for it. */
let hasEarly = false;
let works: (() => void)[] = [];
let end: PromiseWithResolvers<void> | null = null;
let isUnderWay = false;

/** Does `work`, which must not throw, when everything that has come is handled; in the order it was asked for. */
export function atEndOfTurn(work: () => void): void {
  works.push(work);
  begin();
}

/**
 * Does `work`, which must not throw, before any work of `atEndOfTurn`, in a stage of its own: what it writes to a socket that
 * the runtime buffers has left the process when that stage is over, so before anybody who waits for `endOfTurn` goes on.
 */
export function beforeEndOfTurn(work: () => void): void {
  hasEarly = true;
  early.push(work);
  begin();
}

/** Resolves when the work of this turn is done: one promise for all who wait. */
export function endOfTurn(): Promise<void> {
  end ??= Promise.withResolvers();
  begin();
  return end.promise;
}

function begin(): void {
  if (isUnderWay) return;
  isUnderWay = true;
  if (hasEarly) setImmediate(doEarly);
  setImmediate(finish);
}

function doEarly(): void {
  const all = early;
  early = [];
  for (const work of all) work();
}

function finish(): void {
  if (early.length > 0) doEarly();
  const [all, ended] = [works, end];
  works = [];
  end = null;
  isUnderWay = false;
  for (const work of all) work();
  ended?.resolve();
}
