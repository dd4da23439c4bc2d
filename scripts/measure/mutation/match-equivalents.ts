import path from "node:path";
import type { Mutant } from "./mutants.ts";

/** Changes that no test can notice, because they make no difference. */
export type Equivalent = Readonly<{
  /** The file's name, without its folder. */
  file: string;
  reason: string;
  /** A line, and what it becomes. */
  changes: readonly (readonly [line: string, becomes: string])[];
}>;

/** The lines that a mutant changes, before and after, without the space at their ends and between them. */
export function linesOf(text: string, { start, end, replacement }: Mutant): readonly [line: string, becomes: string] {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const to = text.indexOf("\n", end);
  const rest = text.slice(end, to < 0 ? text.length : to);
  const trim = (part: string) => part.trim().replace(/\s+/g, " ");
  return [
    trim(text.slice(from, start) + text.slice(start, end) + rest),
    trim(text.slice(from, start) + replacement + rest),
  ];
}

/** Looks mutants up in a table of equivalents, and knows afterwards which of its changes no mutant makes. */
export function matchEquivalents(table: readonly Equivalent[]) {
  const keyOf = (...parts: readonly string[]) => parts.join("\n");
  const unused = new Set(
    table.flatMap(({ file, changes }) => changes.map(([line, becomes]) => keyOf(file, line, becomes))),
  );
  const known = new Set(unused);
  return {
    /** Whether the table has the mutant of this text. */
    has(text: string, mutant: Mutant): boolean {
      const key = keyOf(path.basename(mutant.file), ...linesOf(text, mutant));
      unused.delete(key);
      return known.has(key);
    },
    /** Changes in files of these names that no mutant makes any more. */
    stale: (files: readonly string[]): string[] => {
      const names = new Set(files.map((file) => path.basename(file)));
      return [...unused].filter((key) => names.has(key.slice(0, key.indexOf("\n"))));
    },
  };
}
