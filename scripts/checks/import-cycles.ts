import { listImports } from "./import-list.ts";
import { type Findings, isTestFile, type SourceFile } from "./source.ts";

/**
 * Checks that no files import each other in a circle. Types don't count: they are gone at run time, while a circle of
 * values runs in an order that depends on who is loaded first.
 */
export function checkImportCycles(files: readonly SourceFile[]): Findings {
  const graph = new Map<string, string[]>();
  for (const { from, target, typeOnly } of listImports(files)) {
    if (typeOnly || isTestFile(from)) continue;
    graph.set(from, [...(graph.get(from) ?? []), target]);
  }
  const problems = findCycles(graph).map(
    (cycle) => `${cycle.join(" → ")}: a circle of imports; move what both sides need into a file of its own`,
  );
  return { problems };
}

/** Depth-first search; each circle is reported once, beginning at the file where it was entered. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const path: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    if (done.has(file)) return;
    const entered = path.indexOf(file);
    if (entered >= 0) {
      cycles.push([...path.slice(entered), file]);
      return;
    }
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return cycles;
}
