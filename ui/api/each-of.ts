const AT_A_TIME = 4;

type EachResult = Readonly<{ done: number; failed: number; firstError: Error | null }>;

/** Runs an async function for each item, a few at a time, and continues after failures. */
export async function eachOf<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<EachResult> {
  const queue = [...items];
  let done = 0;
  const errors: Error[] = [];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        await act(item);
        done += 1;
      } catch (error) {
        errors.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return { done, failed: errors.length, firstError: errors[0] ?? null };
}
