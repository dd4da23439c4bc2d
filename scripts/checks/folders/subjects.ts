import { readFileSync } from "node:fs";
import path from "node:path";
import { type Findings, ROOT } from "../source.ts";

/** The trees that file their parts by subject. */
const TREES = ["src/domain", "src/console", "ui/features", "db/schema", "src/lib/messages", "ui/locales/en"];

/** What stands next to the subjects: shared by all, or of no subject. */
const SHARED: ReadonlySet<string> = new Set([
  "src/domain/lowered-limits",
  "src/console/http",
  "db/schema/columns",
  "db/schema/index",
  "src/lib/messages/common",
  "src/lib/messages/gateway",
  "src/lib/messages/translations",
]);

export type Subject = Readonly<{
  /** The same in each tree that has the subject: a folder, or a file without its ending. */
  path: string;
  /** Names that it must not have. */
  not: readonly string[];
}>;

/** The subjects in the table of CONTRIBUTING.md: `| `path` | what | not these names |`. */
export function readSubjectTable(text = readFileSync(path.join(ROOT, "CONTRIBUTING.md"), "utf8")): Subject[] {
  const [, section = ""] = text.split("\n## Subjects\n");
  const [table = ""] = section.split("\n## ");
  return Array.from(table.matchAll(/^\| `([a-z/-]+)` \|[^|]*\|([^|]*)\|$/gm), ([, name = "", not = ""]) => ({
    path: name,
    not: Array.from(not.matchAll(/`([^`]+)`/g), ([, alias = ""]) => alias),
  }));
}

/**
 * Checks that each subject has the same name and place in every tree that has it, so that who knows one finds the others. `paths`: all
 * files of the project.
 */
export function checkSubjects(paths: readonly string[], subjects: readonly Subject[]): Findings {
  const areas = new Set(subjects.map(({ path: name }) => name.split("/")[0]));
  const seen = new Map<string, Set<string>>();
  const problems = new Set<string>();
  for (const tree of TREES) {
    for (const { place, isFolder } of entriesOf(paths, tree)) {
      const names = place.split("/");
      const name = names.at(-1) ?? "";
      if (names.length === 1 && !areas.has(name) && !SHARED.has(`${tree}/${place}`)) {
        problems.add(`${tree}/${place}: no subject; file it under one of CONTRIBUTING.md, or add it there`);
      }
      const own = subjects.find((subject) => subject.path === place);
      if (own) seen.set(place, (seen.get(place) ?? new Set()).add(tree));
      // Deeper down, a file may be about one side of another subject.
      else if (isFolder || names.length < 3) {
        for (const subject of subjects) {
          const isNamed = name === nameOf(subject) && place !== `${subject.path}/${name}`;
          if (isNamed || subject.not.includes(name)) problems.add(`${tree}/${place}: ${subject.path} in every tree`);
        }
      }
    }
  }
  for (const { path: place } of subjects) {
    if ((seen.get(place)?.size ?? 0) < 2) problems.add(`CONTRIBUTING.md: ${place} is in fewer than two trees`);
  }
  return { problems: [...problems].sort() };
}

const nameOf = ({ path: place }: Subject): string => place.split("/").at(-1) ?? "";

/** The files and folders of a tree by their place in it, files without their endings. */
function entriesOf(paths: readonly string[], tree: string): Readonly<{ place: string; isFolder: boolean }>[] {
  const entries = new Map<string, boolean>();
  for (const file of paths) {
    if (!file.startsWith(`${tree}/`) || file.endsWith(".md")) continue;
    const names = file.slice(tree.length + 1).split("/");
    for (const depth of names.keys()) {
      const isFolder = depth < names.length - 1;
      const place = names.slice(0, depth + 1).join("/");
      const name = isFolder ? place : place.replace(/(\.test)?\.(tsx?|json)$/, "");
      entries.set(name, isFolder || (entries.get(name) ?? false));
    }
  }
  return [...entries].map(([place, isFolder]) => ({ place, isFolder }));
}
