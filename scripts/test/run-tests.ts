/**
 * Runs everything that must hold: checks and build while Debian's packages are installed, then the unit tests (embedded database,
 * then a real Postgres) at the same time as the tests that start the executable, whose browsers leave the cores idle now
 * and then. Started by test.sh; the ten slowest files and the count end it.
 *   --update-timings   writes how long each file took to test/timings.json
 */

import { cpus, tmpdir } from "node:os";
import { hasReference, REFERENCE } from "../../test/support/formats/reference.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { runChecks } from "../checks/index.ts";
import { readSources } from "../checks/source.ts";
import { runTests, TIMINGS } from "./bun-test.ts";
import { findMemoryFolder } from "./memory-folder.ts";
import { type Count, type FileTime, renderSkipped, renderSlowest, renderTimings } from "./report.ts";
import {
  listDatabaseTests,
  listGatewayTests,
  listPlainTests,
  listReferenceTests,
  listShareable,
} from "./select-tests.ts";

const total = { passed: 0, failed: 0 };
const failures: string[] = [];
const files: FileTime[] = [];
/** For a unit test or hook; far above what one takes, since the machine may be busy. */
const UNIT_MS = 90_000;
const BROWSER_MS = 180_000;
/** Together more than two cores have: a good part of the tests wait for a process to start or a pause to end. */
const WORKERS = 2;
/** A browser test waits for its page more than half of its time. A worker more of both kinds takes as long, and tests time out. */
const BROWSER_WORKERS = 3;
/** One opens more connections than other tests would leave it, one measures pages: nothing else runs meanwhile. */
const ALONE = ["test/e2e/gateway/streams.test.ts", "test/e2e/operation/lighthouse.test.ts"];
/** What a longer file leaves on the heap costs the files after it more than they save by sharing modules with it. */
const LONG_MS = 20_000;
/** The embedded database's code would be compiled once more, for speed: more work than a test's few seconds give back. */
const SHORT_LIVED = { BUN_JSC_useOMGJIT: "0" };
/** An executable that a test starts ends before its own code is worth compiling for speed: a quarter of a start's work. */
const STARTED = { ...SHORT_LIVED, BUN_JSC_useDFGJIT: "0" };
const isTimed = process.argv.includes("--update-timings");
const abort = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => abort.abort());

// Before anything starts: a file that can't be read ends the run at once.
const sources = readSources();
// Before TMPDIR is set: what installs packages may need the machine's own.
const parts = ensureParts();
// The gateways' data, the browsers' profiles and the database server's files.
process.env.TMPDIR ??= findMemoryFolder() ?? tmpdir();
const { onBoth, onPostgres } = listDatabaseTests(sources);
const shareable = listShareable(sources);
const plainTests = listPlainTests(sources);
const timings: { files: Record<string, number> } = await Bun.file(TIMINGS).json();
const isLong = (file: string) => (timings.files[file] ?? 0) >= LONG_MS;
const gatewayTests = listGatewayTests(sources).filter((file) => !isLong(file));
const began = readCores();
let postgres: TemporaryPostgres | undefined;
try {
  const checks = runChecks(({ name, ok, output }) => {
    record(`check: ${name}`, oneOf(ok));
    if (output) process.stdout.write(`${output}\n`);
  }, abort.signal);
  await Promise.all([parts, checks, runGroup("build", build)]);
  if (!abort.signal.aborted) postgres = await startTemporaryPostgres({ durable: false });
  const server: Record<string, string> = postgres ? { TEST_DATABASE_URL: postgres.url } : {};
  await Promise.all([runUnitTests(server), runExecutable(server)]);
  await runGroup("executable, alone", () => tests(ALONE, BROWSER_MS, 1, server));
} finally {
  await postgres?.stop();
}

if (isTimed) await Bun.write(TIMINGS, renderTimings(files));
process.stdout.write(`\nThe slowest files:\n${renderSlowest(files)}`);
process.stdout.write(`The cores were busy ${busyShare(began)} % of the time\n`);
for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
if (!hasReference()) process.stdout.write(renderSkipped(files, listReferenceTests(sources), REFERENCE));
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 && !abort.signal.aborted ? 0 : 1);

/** The unit tests, in one global object where they can share it, and those of the database on Postgres. */
async function runUnitTests(server: Record<string, string>): Promise<void> {
  const apart = new Set([...onPostgres, ...plainTests, ...gatewayTests]);
  const unitTests = listTests((file) => !file.startsWith("test/e2e/") && !apart.has(file));
  const shared = { timeoutMs: UNIT_MS, isShared: true, signal: abort.signal };
  await runGroup("plain unit tests", () => runTests(plainTests.map(asTarget), { ...shared, workers: 2 }));
  await runGroup("gateway tests", () =>
    runTests(gatewayTests.map(asTarget), { ...shared, workers: WORKERS, env: SHORT_LIVED }),
  );
  // Each has a database of its own, but much of their time is loading the same modules.
  const canShare = (file: string) => shareable.has(file) && !isLong(file);
  await runGroup("shared unit tests", () =>
    runTests(unitTests.filter(canShare).map(asTarget), { ...shared, workers: WORKERS, env: SHORT_LIVED }),
  );
  const apartTests = unitTests.filter((file) => !canShare(file));
  await runGroup("unit tests", () => tests(apartTests, UNIT_MS, WORKERS, SHORT_LIVED));
  const env = { ...SHORT_LIVED, ...server };
  const sharing = new Set([...onPostgres.filter((file) => shareable.has(file)), ...onBoth.filter(canShare)]);
  await runGroup("shared tests on Postgres", () =>
    runTests([...sharing].map(asTarget), { ...shared, workers: WORKERS, env }),
  );
  const others = [...onBoth, ...onPostgres].filter((file) => !sharing.has(file));
  await runGroup("database tests on Postgres", () => tests(others, UNIT_MS, WORKERS, env));
}

/**
 * The tests that start the executable. Each has its own gateway, data and browser, and replaces nothing in its own
 * process: sharing modules saves half a second of CPU a file.
 */
async function runExecutable(server: Record<string, string>): Promise<void> {
  const endToEnd = listTests((file) => file.startsWith("test/e2e/") && !ALONE.includes(file));
  const options = { timeoutMs: BROWSER_MS, workers: BROWSER_WORKERS, isShared: true, signal: abort.signal };
  await runGroup("executable", () => runTests(endToEnd.map(asTarget), { ...options, env: { ...STARTED, ...server } }));
}

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

/** Installs what the tests start, where it is missing. Where that fails, ends the run: what was printed says why. */
async function ensureParts(): Promise<void> {
  const child = Bun.spawn(["sh", "scripts/test.sh", "--parts"], { stdio: ["ignore", "inherit", "inherit"] });
  if ((await child.exited) === 0) return;
  abort.abort();
  process.exit(1);
}

async function build(): Promise<Count> {
  const child = Bun.spawn([process.execPath, "scripts/build/build.ts"], {
    stdio: ["ignore", "inherit", "inherit"],
    signal: abort.signal,
  });
  return oneOf((await child.exited) === 0);
}

/** The count of a single thing that holds or not. */
function oneOf(ok: boolean): Count {
  return { passed: Number(ok), failed: Number(!ok), failures: [], files: [] };
}

function tests(files: readonly string[], timeoutMs: number, workers: number, env: Record<string, string> = {}) {
  return runTests(files.map(asTarget), { env, timeoutMs, workers, signal: abort.signal });
}

function asTarget(file: string): string {
  return `./${file}`;
}

type Cores = Readonly<{ idleMs: number; totalMs: number }>;

function readCores(): Cores {
  const times = cpus().map((core) => core.times);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    idleMs: sum(times.map(({ idle }) => idle)),
    totalMs: sum(times.map(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq)),
  };
}

/** How much of the time since then the machine's cores worked, in percent. */
function busyShare(since: Cores): number {
  const now = readCores();
  return Math.round(100 * (1 - (now.idleMs - since.idleMs) / (now.totalMs - since.totalMs)));
}

/** The project's test files that `isRequested`, as paths from its folder. */
function listTests(isRequested: (file: string) => boolean): string[] {
  const all = new Bun.Glob("{src,ui,db,scripts,test}/**/*.test.{ts,tsx}").scanSync(".");
  return [...all].filter((file) => !file.startsWith("ui/dist/") && isRequested(file)).sort();
}
