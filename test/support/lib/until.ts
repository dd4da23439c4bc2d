/** Far above what anything waited for takes on an idle machine: a busy one gets the time. */
const LIMIT_MS = 30_000;
const MAX_PAUSE_MS = 50;

/**
 * Reads again and again, ever less often and at most half of the time, until what is read holds (is true, unless `holds` says otherwise), and returns
 * it. Throws with what was read last when it never does.
 */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean = Boolean,
): Promise<Value> {
  const deadline = performance.now() + LIMIT_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    const start = performance.now();
    const value = await read();
    if (holds(value)) return value;
    const now = performance.now();
    if (now > deadline) {
      throw new Error(`Waited in vain for ${read}, last: ${JSON.stringify(value)?.slice(0, 400)}`);
    }
    await Bun.sleep(Math.max(pauseMs, now - start));
  }
}
