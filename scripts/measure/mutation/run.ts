/**
 * Mutation testing: changes one thing in the source at a time and runs the tests that execute it. A mutant that no test
 * notices shows a gap.
 *   bun run mutation [--area=pricing] [--minutes=30] [--jobs=2] [--out=mutation.json]
 * Mutants are tried in a fixed, mixed order, so that a run that ends early is a fair sample.
 */
import { parseArgs } from "node:util";
import { ROOT, readSources } from "../../checks/source.ts";
import { AREAS, isArea } from "./areas.ts";
import { measureCoverage, type TestCoverage } from "./coverage.ts";
import { listMutants, type Mutant } from "./mutants.ts";
import { type Outcome, renderReport, type TriedMutant } from "./report.ts";

const { values } = parseArgs({
  options: {
    area: { type: "string", multiple: true, default: Object.keys(AREAS) },
    minutes: { type: "string", default: "30" },
    jobs: { type: "string", default: "2" },
    out: { type: "string" },
  },
});
const endsAt = performance.now() + Number(values.minutes) * 60_000;
const areas = values.area.map((name) => {
  if (!isArea(name)) throw new Error(`no area ${name}: there are ${Object.keys(AREAS).join(", ")}`);
  return AREAS[name];
});
const sources = readSources();
const isIn = (globs: readonly string[], path: string) => globs.some((glob) => new Bun.Glob(glob).match(path));
const pick = (kind: "sources" | "tests") =>
  sources.filter(
    ({ path }) => path.endsWith(".test.ts") === (kind === "tests") && areas.some((area) => isIn(area[kind], path)),
  );

const coverage: TestCoverage[] = [];
await inParallel(pick("tests"), async ({ path }) => {
  coverage.push(await measureCoverage(path));
});
coverage.sort((a, b) => a.durationMs - b.durationMs);
process.stdout.write(`${coverage.length} test files measured\n`);

const mutants = pick("sources").flatMap(({ path, text }) => listMutants(path, text));
const order = (mutant: Mutant) => Bun.hash.wyhash(`${mutant.file}:${mutant.start}:${mutant.replacement}`);
mutants.sort((a, b) => Number(order(a) - order(b)));
const tried: TriedMutant[] = [];
await inParallel(mutants, async (mutant) => {
  if (performance.now() > endsAt) return;
  const outcome = await tryMutant(mutant);
  tried.push({ ...mutant, outcome });
  if (outcome === "killed" || outcome === "timeout") return;
  process.stdout.write(`${outcome}: ${mutant.file}:${mutant.line} ${mutant.kind} → ${mutant.replacement}\n`);
});
process.stdout.write(`\n${tried.length} of ${mutants.length} mutants tried\n\n${renderReport(tried)}`);
if (values.out) await Bun.write(values.out, JSON.stringify(tried, null, 1));

/** Runs the tests that execute the mutant's line, the quick ones first, until one fails. */
async function tryMutant(mutant: Mutant): Promise<Outcome> {
  const covering = coverage.filter(({ lines }) => lines.get(mutant.file)?.has(mutant.line));
  if (covering.length === 0) return "not covered";
  const usualMs = covering.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--bail",
      "--timeout=30000",
      "--preload=./scripts/mutation/preload.ts",
      ...covering.map(({ test }) => `./${test}`),
    ],
    {
      cwd: ROOT,
      env: { ...process.env, SLUICE_MUTANT: JSON.stringify(mutant) },
      stdio: ["ignore", "ignore", "ignore"],
      // Far above what they usually take: a mutant that loops for ever ends here.
      timeout: Math.round(usualMs * 5) + 30_000,
      killSignal: "SIGKILL",
    },
  );
  const code = await child.exited;
  if (child.signalCode === "SIGKILL") return "timeout";
  return code === 0 ? "survived" : "killed";
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
}
