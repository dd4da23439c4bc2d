/**
 * Under load one turn of the event loop handles much that came at the same time. What goes out is gathered until the turn is
 * over and then goes in one go: a write to the disk for all, and the other side is woken once, not for each.
 */

let works: (() => void)[] = [];
let end: PromiseWithResolvers<void> | null = null;
let isUnderWay = false;

/** Does `work`, which must not throw, when everything that has come is handled; in the order it was asked for. */
export function atEndOfTurn(work: () => void): void {
  works.push(work);
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
  setImmediate(finish);
}

function finish(): void {
  const [all, ended] = [works, end];
  works = [];
  end = null;
  isUnderWay = false;
  for (const work of all) work();
  ended?.resolve();
}
