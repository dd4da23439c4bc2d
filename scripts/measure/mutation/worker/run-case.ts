import type { Case, Suite } from "./collect-tests.ts";
import { TICK_MS } from "./pacer.ts";

const pacer = new Worker(`${import.meta.dir}/pacer.ts`);
let onTick: (() => void) | null = null;
pacer.onmessage = () => {
  onTick?.();
  pacer.postMessage(null);
};
pacer.postMessage(null);

/** `hung`: did not end in time, and may still go on. */
export type CaseResult = "passed" | "failed" | "hung";

/** Suites whose `beforeAll` has run and whose `afterAll` has not, the outer ones first. */
const open: Suite[] = [];
let strayError: { error: unknown } | null = null;
process.on("unhandledRejection", noteStray);
process.on("uncaughtException", noteStray);

function noteStray(error: unknown): void {
  strayError = { error };
}

/** The last failure, for reports of tests that fail without a mutant. */
export let lastError: unknown;

/**
 * Runs one test in its suites, which stay open for the next. An error that nobody caught in the meantime fails it too. The limit
 * counts turns of the event loop, so that a test on a busy machine has its time.
 */
export async function runCase({ suite, run }: Case, timeoutMs: number): Promise<CaseResult> {
  strayError = null;
  const work = async () => {
    const suites = chainOf(suite);
    await closeAllBut(suites);
    for (const outer of suites) await openSuite(outer);
    try {
      for (const { beforeEach } of suites) for (const prepare of beforeEach) await prepare();
      await run();
    } finally {
      for (const { afterEach } of suites.toReversed()) for (const clean of afterEach) await clean();
    }
    return "passed" as const;
  };
  const expired = Promise.withResolvers<"hung">();
  let ticks = 0;
  onTick = () => {
    ticks += 1;
    if (ticks * TICK_MS >= timeoutMs) expired.resolve("hung");
  };
  try {
    const result = await Promise.race([work(), expired.promise]);
    if (!strayError) return result;
    throw (strayError as { error: unknown }).error;
  } catch (error) {
    lastError = error;
    return "failed";
  } finally {
    onTick = null;
  }
}

/** Runs the `afterAll` of suites that are no part of the chain, the inner ones first. */
export async function closeAllBut(chain: readonly Suite[]): Promise<void> {
  for (const suite of open.toReversed()) {
    if (chain.includes(suite)) continue;
    open.splice(open.indexOf(suite), 1);
    for (const clean of suite.afterAll) await clean();
  }
}

/** Whether the `beforeAll` of a test's suites have run. */
export const isOpen = ({ suite }: Case): boolean => chainOf(suite).every((outer) => open.includes(outer));

/** Runs the suite's `beforeAll`, once. */
export async function openSuite(suite: Suite): Promise<void> {
  if (open.includes(suite)) return;
  open.push(suite);
  for (const prepare of suite.beforeAll) await prepare();
}

/** The test file and the blocks around a suite, then itself. */
export function chainOf(suite: Suite): Suite[] {
  return suite.parent ? [...chainOf(suite.parent), suite] : [suite];
}
