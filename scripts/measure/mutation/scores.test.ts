import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { EQUIVALENTS } from "./equivalents.ts";
import { linesOf, matchEquivalents } from "./match-equivalents.ts";
import { listMutants } from "./mutants.ts";
import { checkScores, hashOf, readScores, writeScores } from "./scores.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sluice-scores-"));
});
afterEach(() => rm(root, { recursive: true }));

const SUM = "import { a } from './a.ts';\n/** Adds. */\nexport const sum = (x: number) => x + a;\n";
const areas = { sums: { sources: ["src/**/*.ts"], tests: ["src/**/*.test.ts"], gate: 80 } };

const check = async (text: string, killed: number, file = "src/sum.ts") => {
  await Bun.write(path.join(root, file), text);
  const scores = { sums: { "src/sum.ts": { hash: hashOf(SUM), mutants: 10, killed } } };
  writeScores(root, scores);
  expect(readScores(root)).toEqual(scores);
  return checkScores(root, readScores(root), areas).problems.map(
    (problem) => problem.split(":", 2).join(":").split(" of ")[0],
  );
};

test("a file with enough noticed mutants passes, one with fewer fails", async () => {
  expect(await check(SUM, 8)).toEqual([]);
  expect(await check(SUM, 7)).toEqual(["sums: its tests notice 70 %"]);
});

test("a file that does something else has to be tried again", async () => {
  expect(await check(SUM.replace("x + a", "x - a"), 8)).toEqual(["src/sum.ts: changed since its mutants were tried"]);
});

test("comments, layout and the places of imports don't count, nor where the file is", async () => {
  const same = "import {\n  a,\n} from '../b/a.ts';\n\n// Adds one.\nexport const sum = (x: number) =>\n  x + a;\n";
  await mkdir(path.join(root, "src/math"), { recursive: true });
  expect(await check(same, 8)).toEqual([]);
  await rename(path.join(root, "src/sum.ts"), path.join(root, "src/math/add.ts"));
  expect(checkScores(root, readScores(root), areas).problems).toEqual([]);
});

test("a change is known as one that makes no difference by its lines, in whichever folder the file is", () => {
  const text = "const a = 1;\nconst larger =\n  a > b ? a : b;\n";
  const [mutant] = listMutants("src/x/a.ts", text).filter(({ replacement }) => replacement === ">=");
  if (!mutant) throw new Error("there is no such mutant");
  expect(linesOf(text, mutant)).toEqual(["a > b ? a : b;", "a >= b ? a : b;"]);
  const tie = { file: "a.ts", reason: "a tie", changes: [["a > b ? a : b;", "a >= b ? a : b;"]] } as const;
  const known = matchEquivalents([tie]);
  expect(known.stale(["src/y/a.ts"])).toHaveLength(1);
  expect(known.stale(["src/y/b.ts"])).toHaveLength(0);
  expect(known.has(text, mutant)).toBe(true);
  expect(known.stale(["src/y/a.ts"])).toHaveLength(0);
  expect(known.has(text.replace("? a : b", "? b : a"), mutant)).toBe(false);
});

test("each change that makes no difference has a reason", () => {
  for (const { reason } of EQUIVALENTS) expect(reason.length).toBeGreaterThan(20);
});
