import path from "node:path";
import type { TracedFunction } from "./instrument.ts";

/** The size of a call: `switches` counts how often the next function stands in another file. */
export type TraceTotals = Readonly<{
  calls: number;
  functions: number;
  files: number;
  folders: number;
  switches: number;
}>;

/** Counts what a trace entered. */
export function countTrace(entered: readonly TracedFunction[]): TraceTotals {
  const files = new Set(entered.map(({ file }) => file));
  return {
    calls: entered.length,
    functions: new Set(entered).size,
    files: files.size,
    folders: new Set([...files].map((file) => path.dirname(file))).size,
    switches: entered.filter(({ file }, index) => index > 0 && file !== entered[index - 1]?.file).length,
  };
}

/** A line per stay in a file: its path and the functions entered there, in order; a repeated one with its count. */
export function formatTrace(entered: readonly TracedFunction[]): string {
  const stays: { file: string; names: { name: string; count: number }[] }[] = [];
  for (const { file, name } of entered) {
    let stay = stays.at(-1);
    if (stay?.file !== file) {
      stay = { file, names: [] };
      stays.push(stay);
    }
    const last = stay.names.at(-1);
    if (last?.name === name) last.count += 1;
    else stay.names.push({ name, count: 1 });
  }
  const lines = stays.map(({ file, names }) => {
    const list = names.map(({ name, count }) => (count > 1 ? `${name} ×${count}` : name));
    return `${file}: ${list.join(" → ")}`;
  });
  return lines.map((line, index) => `${String(index + 1).padStart(4)}  ${line}`).join("\n");
}
