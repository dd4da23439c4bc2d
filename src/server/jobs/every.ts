/**
 * Runs `work` every so many milliseconds, never twice at a time; `failed` hears of each run that rejects. Does not keep
 * the process alive. Returns what ends it.
 */
export function every(everyMs: number, work: () => Promise<unknown>, failed: (error: unknown) => void): () => void {
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    work()
      .catch(failed)
      .finally(() => {
        isRunning = false;
      });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
