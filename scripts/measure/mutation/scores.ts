import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withoutComments } from "../../checks/source.ts";
import { AREAS, type Area, filesOf } from "./areas.ts";

/** What the tests of its area noticed of a file's mutants, without those that make no difference. */
export type Score = Readonly<{ hash: string; mutants: number; killed: number }>;

/** By area and by path. */
export type Scores = Readonly<Record<string, Readonly<Record<string, Score>>>>;

const FILE = "scripts/measure/mutation/scores.json";

/** Changes with what the file does: not with comments, layout, or the places of what it imports. */
export function hashOf(text: string): string {
  const code = withoutComments(text)
    .replace(/^import\s[^;]*;$/gm, "")
    .replace(/\s+/g, " ");
  return Bun.hash.wyhash(code).toString(16);
}

export function readScores(root: string): Scores {
  const file = path.join(root, FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** One line for each file, so that two changes of different files can be merged. */
export function writeScores(root: string, scores: Scores): void {
  const byKey = <Value>(record: Readonly<Record<string, Value>>) =>
    Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  const areas = byKey(scores).map(([area, files]) => {
    const rows = byKey(files).map(
      ([file, { hash, mutants, killed }]) =>
        `    ${JSON.stringify(file)}: { "hash": ${JSON.stringify(hash)}, "mutants": ${mutants}, "killed": ${killed} }`,
    );
    return `  ${JSON.stringify(area)}: {\n${rows.join(",\n")}\n  }`;
  });
  mkdirSync(path.dirname(path.join(root, FILE)), { recursive: true });
  writeFileSync(path.join(root, FILE), `{\n${areas.join(",\n")}\n}\n`);
}

/** What the recorded scores say of an area's files as they are now. A file that was only moved keeps its score. */
export function compareScores(area: Area, recorded: Readonly<Record<string, Score>>, root: string) {
  const byHash = new Map(Object.values(recorded).map((score) => [score.hash, score]));
  const current: Record<string, Score> = {};
  const changed: string[] = [];
  for (const file of filesOf(area, "sources", root)) {
    const score = byHash.get(hashOf(readFileSync(path.join(root, file), "utf8")));
    if (score) current[file] = score;
    else changed.push(file);
  }
  return { current, changed };
}

/** In percent, rounded down; 100 without mutants. */
export function percentKilled(scores: readonly Score[]): number {
  const sum = (key: "mutants" | "killed") => scores.reduce((total, score) => total + score[key], 0);
  return sum("mutants") === 0 ? 100 : Math.floor((sum("killed") / sum("mutants")) * 1000) / 10;
}

/** Problems of recorded areas: those below their gate, and files that changed since their mutants were tried. */
export function checkScores(root: string, scores = readScores(root), areas: Readonly<Record<string, Area>> = AREAS) {
  const problems: string[] = [];
  for (const [name, area] of Object.entries(areas)) {
    const recorded = scores[name];
    if (!recorded) continue;
    const { current, changed } = compareScores(area, recorded, root);
    for (const file of changed) {
      problems.push(`${file}: changed since its mutants were tried: run \`bun run mutation --changed\``);
    }
    const percent = percentKilled(Object.values(current));
    if (percent < area.gate) {
      problems.push(`${name}: its tests notice ${percent} % of the mutants, fewer than ${area.gate} % (${FILE})`);
    }
  }
  return { problems };
}
