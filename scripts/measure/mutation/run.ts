/**
 * Mutation testing: changes one thing in the source at a time and runs the tests that execute it. A change that no test
 * notices shows a gap. Records the score of each file in scores.json.
 *   bun run mutation [--area=pricing] [--file=charge] [--changed] [--jobs=2]
 * `--changed`: only files that differ from those that were tried before. `--file`: only files whose path contains this.
 * Ends with 1 when an area is below its gate, or a change that is known to make no difference was noticed.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../checks/source.ts";
import { AREAS, filesOf, isArea } from "./areas.ts";
import { EQUIVALENTS } from "./equivalents.ts";
import { linesOf, matchEquivalents } from "./match-equivalents.ts";
import { listMutants } from "./mutants.ts";
import { isKilled, renderReport, type TriedMutant } from "./report.ts";
import { runMutants } from "./run-mutants.ts";
import { compareScores, hashOf, percentKilled, readScores, writeScores } from "./scores.ts";

const { values } = parseArgs({
  options: {
    area: { type: "string", multiple: true, default: Object.keys(AREAS) },
    file: { type: "string", default: "" },
    changed: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);
let isOk = true;
for (const name of values.area) await runArea(name);
process.exit(isOk ? 0 : 1);

async function runArea(name: string): Promise<void> {
  if (!isArea(name)) throw new Error(`no area ${name}: there are ${Object.keys(AREAS).join(", ")}`);
  const area = AREAS[name];
  const before = compareScores(area, readScores(ROOT)[name] ?? {}, ROOT);
  const all = values.changed ? before.changed : filesOf(area, "sources", ROOT);
  const sources = all.filter((file) => file.includes(values.file));
  if (sources.length === 0) return;

  const started = performance.now();
  const equivalents = matchEquivalents(EQUIVALENTS);
  const texts = new Map(sources.map((file) => [file, readFileSync(path.join(ROOT, file), "utf8")]));
  const textOf = (file: string) => texts.get(file) ?? "";
  const missing = new Map(sources.map((file) => [file, listMutants(file, textOf(file)).length]));
  const counted: TriedMutant[] = [];
  const onTried = (tried: TriedMutant) => {
    const [line, becomes] = linesOf(textOf(tried.file), tried);
    const place = `${tried.file}:${tried.line}`;
    if (!equivalents.has(textOf(tried.file), tried)) {
      counted.push(tried);
      if (!isKilled(tried)) print(`${tried.outcome}: ${place}\n  ${line}\n  ${becomes}`);
    } else if (isKilled(tried)) {
      isOk = false;
      print(`makes a difference after all: ${place}\n  ${becomes}\n  noticed by: ${tried.killer}`);
    }
    const left = (missing.get(tried.file) ?? 0) - 1;
    missing.set(tried.file, left);
    // A run that ends early keeps the files that it has done.
    if (left === 0) record(tried.file);
  };
  /** Another run may record other files at the same time. */
  const record = (file: string): void => {
    const scores = readScores(ROOT);
    const mutants = counted.filter((tried) => tried.file === file);
    const score = { hash: hashOf(textOf(file)), mutants: mutants.length, killed: mutants.filter(isKilled).length };
    const files = { ...compareScores(area, scores[name] ?? {}, ROOT).current, [file]: score };
    writeScores(ROOT, { ...scores, [name]: files });
  };
  for (const [file, count] of missing) if (count === 0) record(file);
  const tests = filesOf(area, "tests", ROOT);
  await runMutants({ root: ROOT, sources, tests, jobs: Number(values.jobs), onTried });
  for (const stale of equivalents.stale(sources)) {
    isOk = false;
    print(`no such change any more, remove it from equivalents.ts:\n  ${stale.replaceAll("\n", "\n  ")}`);
  }

  const own = compareScores(area, readScores(ROOT)[name] ?? {}, ROOT).current;
  const percent = percentKilled(Object.values(own));
  const seconds = Math.round((performance.now() - started) / 1000);
  print(`\n${renderReport(counted)}\n${name}: ${percent} % noticed, ${area.gate} % required (${seconds} s)`);
  if (percent < area.gate) isOk = false;
}
