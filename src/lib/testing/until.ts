/** Far above what anything waited for takes on an idle machine: a busy one gets the time. */
const LIMIT_MS = 15_000;

/** Waits until `holds` is true, looking every few milliseconds. Throws when it never is. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for: ${holds}`);
    await Bun.sleep(5);
  }
}
