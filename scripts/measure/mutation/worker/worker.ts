/** Runs tests of instrumented sources for one mutant after the other, as run-mutants.ts asks over IPC. */
import { readFileSync } from "node:fs";
import { ensureSeed } from "../../../build/seed.ts";
import { instrument } from "../instrument.ts";
import { type Case, collectTests } from "./collect-tests.ts";
import type { CaseCoverage, PlannedCase, Report, Task, WorkerSetup } from "./messages.ts";
import { chainOf, closeAllBut, isOpen, lastError, openSuite, runCase } from "./run-case.ts";
import { installSwitchboard, resetQueries } from "./switchboard.ts";

/** No test takes so long without a mutant. */
const MEASURE_TIMEOUT_MS = 60_000;
const LOAD_MS = 20_000;

// Written by run-mutants.ts.
const setup: WorkerSetup = JSON.parse(readFileSync(process.env.SLUICE_MUTATION_SETUP ?? "", "utf8"));
const active = Number(process.env.SLUICE_MUTANT ?? -1);
const board = installSwitchboard(active);
const report = (message: Report): void => void process.send?.(message);

const sources = new Map(setup.sources.map((source) => [source.path, source]));
const stub = `${import.meta.dir}/collect-tests.ts`;
Bun.plugin({
  name: "mutation",
  setup(build) {
    build.onLoad({ filter: /(^|[\\/])(src|test|ui|db)[\\/].*\.ts$|\.test\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const source = sources.get(path);
      if (source) return { contents: instrument(text, source.mutants, source.firstId), loader: "ts" };
      return { contents: text.replace('from "bun:test"', `from ${JSON.stringify(stub)}`), loader: "ts" };
    });
  },
});

/** Tests by file. Only a process that measures imports all files; others those that they run. */
const cases: (readonly Case[] | undefined)[] = [];
async function casesOf(file: number): Promise<readonly Case[]> {
  const path = setup.tests[file];
  if (path === undefined) throw new Error("there is no such test file");
  cases[file] ??= await collectTests(path);
  return cases[file];
}

process.on("message", (task: Task) => {
  const work = task.type === "measure" ? measure() : tryMutant(task);
  // What fails here are the tests' own `afterAll`.
  work.catch(() => report({ type: "tried", verdict: "unsure", killer: null, isSpent: true }));
});
await ensureSeed();
report({ type: "loaded" });

/** Runs each test once, without a mutant. */
async function measure(): Promise<void> {
  resetQueries(board, 0);
  board.limit = Number.POSITIVE_INFINITY;
  try {
    for (const file of setup.tests.keys()) await casesOf(file);
  } catch (error) {
    report({ type: "load-failed", error: Bun.inspect(error) });
    return;
  }
  const reachedByLoad = [...board.reached];
  const coverage: CaseCoverage[] = [];
  const setups = new Map<unknown, { reached: ReadonlySet<number>; ms: number }>();
  const ids = cases.flatMap((own, file) => (own ?? []).map((entry, index) => ({ entry, id: { file, index } })));
  for (const { entry, id } of ids) {
    await closeAllBut(chainOf(entry.suite));
    for (const suite of chainOf(entry.suite)) {
      resetQueries(board, Number.POSITIVE_INFINITY);
      const begun = Bun.nanoseconds();
      await openSuite(suite);
      if (!setups.has(suite)) setups.set(suite, { reached: board.reached, ms: (Bun.nanoseconds() - begun) / 1e6 });
    }
    resetQueries(board, Number.POSITIVE_INFINITY);
    const begun = Bun.nanoseconds();
    if ((await runCase(entry, MEASURE_TIMEOUT_MS)) !== "passed") {
      report({ type: "broken", name: `${entry.file}: ${entry.name}`, error: Bun.inspect(lastError) });
      return;
    }
    const before = chainOf(entry.suite).flatMap((suite) => setups.get(suite) ?? []);
    coverage.push({
      id,
      name: entry.name,
      durationMs: (Bun.nanoseconds() - begun) / 1e6,
      queries: board.queries,
      reached: [...board.reached],
      reachedBefore: [...new Set(before.flatMap(({ reached }) => [...reached]))],
      setupMs: before.reduce((sum, { ms }) => sum + ms, 0),
    });
  }
  report({ type: "measured", coverage: { cases: coverage, reachedByLoad } });
}

async function tryMutant({ mutant, cases: planned, isOnly }: Task & { type: "try" }): Promise<void> {
  let isUnsure = false;
  for (const plan of planned) {
    // What is built before the tests is built again for this mutant, and not left to the next one.
    if (plan.reachesBefore && !isOnly) await closeAllBut([]);
    const result = await run(plan, mutant, isOnly);
    const isReached = board.reached.has(mutant);
    if (plan.reachesBefore && !isOnly) await closeAllBut([]);
    if (result === "hung") return report({ type: "tried", verdict: "timeout", killer: plan.name, isSpent: true });
    if (result === "passed") {
      if (plan.reaches && !isReached) isUnsure = true;
      continue;
    }
    if (isOnly) return report({ type: "tried", verdict: "killed", killer: plan.name, isSpent: true });
    // The mutant has killed this test when it passes without it, and fails again with it.
    const isClean = (await run(plan, -1)) === "passed";
    const verdict = isClean && (await run(plan, mutant)) !== "passed" ? "killed" : "unsure";
    return report({ type: "tried", verdict, killer: plan.name, isSpent: !isClean });
  }
  const verdict = isUnsure && !isOnly ? "unsure" : "survived";
  report({ type: "tried", verdict, killer: null, isSpent: false });
}

/** `isOnly`: the mutant stays active afterwards. */
async function run({ id, queries, ...plan }: PlannedCase, mutant: number, isOnly = false) {
  // The first test of a file loads it.
  report({ type: "begun", timeoutMs: plan.timeoutMs + plan.setupTimeoutMs + (cases[id.file] ? 0 : LOAD_MS) });
  // What a file prepares while it loads has no mutant, unless the process has.
  board.active = isOnly ? mutant : -1;
  resetQueries(board, queries);
  const entry = await findCase(id);
  if (!entry) return "failed";
  board.active = mutant;
  resetQueries(board, queries);
  const timeoutMs = plan.timeoutMs + (isOpen(entry) ? 0 : plan.setupTimeoutMs);
  const result = await runCase(entry, timeoutMs);
  if (!isOnly) board.active = -1;
  board.limit = Number.POSITIVE_INFINITY;
  return result;
}

/** Null where the mutant does not let the file load. */
async function findCase({ file, index }: PlannedCase["id"]): Promise<Case | null> {
  try {
    return (await casesOf(file))[index] ?? null;
  } catch {
    return null;
  }
}
