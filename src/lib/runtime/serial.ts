/**
 * Runs tasks one after the other in the order they came: a slow re-read can never overwrite what a later event brought.
 * The promise of each task is its own; one that fails does not stop the next.
 */
export function createSerial(): <T>(task: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = tail.then(task, task);
    tail = run.catch(() => {});
    return run;
  };
}
