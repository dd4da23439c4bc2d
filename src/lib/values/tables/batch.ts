/**
 * Returns a function that asks for an item and resolves when a batch with it has run. One batch runs at a time: what is asked for
 * meanwhile, at most `most` at once, is the next one. It rejects as the batch does.
 */
export function createBatch<Item>(
  run: (items: readonly Item[]) => Promise<unknown>,
  most: number,
): (item: Item) => Promise<void> {
  type Waiting = Readonly<{ items: Item[]; done: PromiseWithResolvers<void> }>;
  const waiting: Waiting[] = [];
  let isRunning = false;
  const runAll = async () => {
    isRunning = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await run(next.items);
        next.done.resolve();
      } catch (error) {
        next.done.reject(error);
      }
    }
    isRunning = false;
  };
  return (item) => {
    const last = waiting.at(-1);
    if (last && last.items.length < most) {
      last.items.push(item);
      return last.done.promise;
    }
    const next = { items: [item], done: Promise.withResolvers<void>() };
    waiting.push(next);
    if (!isRunning) queueMicrotask(() => isRunning || void runAll());
    return next.done.promise;
  };
}
