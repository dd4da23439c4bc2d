/**
 * Runs everything that must hold: checks, build, unit tests (embedded database), tests of the database on a
 * real Postgres, and the tests that start the executable. Started by test.sh; the ten slowest files and the count end it.
 *   --update-timings   notes how long each file took in test/timings.json
 */

import { startTemporaryPostgres, type TemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { runChecks } from "../checks/index.ts";
import { readSources } from "../checks/source.ts";
import { runTests } from "./bun-test.ts";
import { listDatabaseTests } from "./database-tests.ts";
import { type Count, type FileTime, renderSlowest } from "./report.ts";

const total = { passed: 0, failed: 0 };
const failures: string[] = [];
const files: FileTime[] = [];
/** For a unit test or hook; far above what one takes, since the machine may be busy. */
const UNIT_MS = 90_000;
const BROWSER_MS = 180_000;
/** More than two cores have: a good part of the tests wait for a process to start or a pause to end. */
const WORKERS = 4;
/** A browser test waits for its page more than half of its time. */
const BROWSER_WORKERS = 5;
/** Opens more connections than other tests would leave it: nothing else runs meanwhile. */
const ALONE = ["test/e2e/gateway/streams.test.ts"];
/** The embedded database's code would be compiled once more, for speed: more work than a test's few seconds give back. */
const SHORT_LIVED = { BUN_JSC_useOMGJIT: "0" };
const isTimed = process.argv.includes("--update-timings");
const abort = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => abort.abort());

let postgres: TemporaryPostgres | undefined;
try {
  await runChecks(({ name, ok, output }) => {
    record(`check: ${name}`, oneOf(ok));
    if (output) process.stdout.write(`${output}\n`);
  });
  await runGroup("build", build);
  const { onBoth, onPostgres } = listDatabaseTests(readSources());
  const unitTests = listTests((file) => !file.startsWith("test/e2e/") && !onPostgres.includes(file));
  await runGroup("unit tests", () => tests(unitTests, UNIT_MS, WORKERS, SHORT_LIVED, isTimed));
  await runGroup("database tests on Postgres", async () => {
    postgres = await startTemporaryPostgres({ durable: false });
    return tests([...onBoth, ...onPostgres], UNIT_MS, WORKERS, { ...SHORT_LIVED, TEST_DATABASE_URL: postgres.url });
  });
  const server: Record<string, string> = postgres ? { TEST_DATABASE_URL: postgres.url } : {};
  // Each has its own gateway, data and browser.
  const endToEnd = listTests((file) => file.startsWith("test/e2e/") && !ALONE.includes(file));
  await runGroup("executable", () =>
    tests(endToEnd, BROWSER_MS, BROWSER_WORKERS, { ...SHORT_LIVED, ...server }, isTimed),
  );
  await runGroup("executable, alone", () => tests(ALONE, BROWSER_MS, 1, server));
} finally {
  await postgres?.stop();
}

process.stdout.write(`\nThe slowest files:\n${renderSlowest(files)}`);
for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 && !abort.signal.aborted ? 0 : 1);

async function runGroup(name: string, run: () => Promise<Count>): Promise<void> {
  if (abort.signal.aborted) return record(name, oneOf(false));
  process.stdout.write(`\n== ${name}\n`);
  const start = performance.now();
  const count = await run().catch((error: unknown) => {
    process.stdout.write(`${error instanceof Error ? error.message : error}\n`);
    return oneOf(false);
  });
  record(`${name} (${Math.round((performance.now() - start) / 1000)} s)`, count);
}

function record(name: string, count: Count): void {
  total.passed += count.passed;
  total.failed += count.failed;
  files.push(...count.files);
  if (count.failed) failures.push(name, ...count.failures.map(({ file, name }) => `${file}: ${name}`));
  process.stdout.write(`${count.failed ? "FAIL" : "ok  "} ${name}: ${count.passed} + ${count.failed} failed\n`);
}

async function build(): Promise<Count> {
  const child = Bun.spawn([process.execPath, "scripts/build/build.ts"], { stdio: ["ignore", "inherit", "inherit"] });
  return oneOf((await child.exited) === 0);
}

/** The count of a single thing that holds or not. */
function oneOf(ok: boolean): Count {
  return { passed: Number(ok), failed: Number(!ok), failures: [], files: [] };
}

function tests(
  files: readonly string[],
  timeoutMs: number,
  workers: number,
  env: Record<string, string> = {},
  isTimed = false,
) {
  return runTests(
    files.map((file) => `./${file}`),
    { env, timeoutMs, workers, isTimed, signal: abort.signal },
  );
}

/** The project's test files that `isWanted`, as paths from its folder. */
function listTests(isRequested: (file: string) => boolean): string[] {
  const all = new Bun.Glob("{src,ui,db,scripts,test}/**/*.test.{ts,tsx}").scanSync(".");
  return [...all].filter((file) => !file.startsWith("ui/dist/") && isRequested(file)).sort();
}
