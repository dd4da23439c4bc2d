import { diffLines } from "diff";
import { indented } from "./indented.ts";

/** A line of a comparison, or how many equal lines were left out. */
export type ExchangeLine =
  | Readonly<{ kind: "same" | "removed" | "added"; text: string }>
  | Readonly<{ kind: "skipped"; count: number }>;

/** Equal lines that are shown before and after a change. */
const CONTEXT_LINES = 3;

/** What changed between the client's request and the one that went upstream, line by line of their indented JSON. */
export function exchangeLines(client: string, upstream: string): ExchangeLine[] {
  const changes = diffLines(indented(client), indented(upstream));
  return changes.flatMap(({ value, added, removed }, at): ExchangeLine[] => {
    const texts = value.replace(/\n$/, "").split("\n");
    if (added || removed) return texts.map((text) => ({ kind: added ? "added" : "removed", text }));
    const head = at === 0 ? 0 : CONTEXT_LINES;
    const tail = at === changes.length - 1 ? 0 : CONTEXT_LINES;
    const count = texts.length - head - tail;
    const lines = texts.map((text): ExchangeLine => ({ kind: "same", text }));
    // To leave out a single line would save nothing.
    return count <= 1 ? lines : [...lines.slice(0, head), { kind: "skipped", count }, ...lines.slice(head + count)];
  });
}
