import type { Mutant } from "./mutants.ts";

/** `survived`: the tests that execute its line all passed. `not covered`: no test executes it. */
export type Outcome = "killed" | "timeout" | "survived" | "not covered";

/** `killer`: the test that noticed. */
export type TriedMutant = Mutant & Readonly<{ outcome: Outcome; killer?: string }>;

/** Whether a test noticed. */
export const isKilled = ({ outcome }: TriedMutant): boolean => outcome === "killed" || outcome === "timeout";

/** A Markdown table of the outcomes by file, with the share of mutants that tests noticed, and the totals. */
export function renderReport(tried: readonly TriedMutant[]): string {
  const byFile = Map.groupBy(tried, ({ file }) => file);
  const rows = [...byFile].sort(([a], [b]) => a.localeCompare(b)).map(([file, own]) => renderRow(`\`${file}\``, own));
  const head =
    "| File | Mutants | Killed | Survived | Not covered | Score |\n| --- | ---: | ---: | ---: | ---: | ---: |";
  return `${[head, ...rows, renderRow("**All**", tried)].join("\n")}\n`;
}

function renderRow(name: string, tried: readonly TriedMutant[]): string {
  const count = (...outcomes: Outcome[]) => tried.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const killed = tried.filter(isKilled).length;
  const score = tried.length === 0 ? "–" : `${Math.round((killed / tried.length) * 100)} %`;
  return `| ${name} | ${tried.length} | ${killed} | ${count("survived")} | ${count("not covered")} | ${score} |`;
}
