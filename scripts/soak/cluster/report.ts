import { readFile, writeFile } from "node:fs/promises";
import { table } from "../../bench/report/report.ts";
import type { Finding } from "../audit.ts";
import type { LoadResult } from "./load.ts";
import type { Scenario } from "./scenarios.ts";

export type ScenarioResult = Readonly<{
  scenario: Scenario;
  /** What the scenario itself saw. */
  seen: string;
  traffic: LoadResult;
  lost: number;
  doubled: number;
  /** Quota units by which the key's rows and its counter differ. */
  keyDiffers: number;
}>;

const MARKS = { from: "<!-- cluster -->", to: "<!-- /cluster -->" };
const HEAD = ["scenario", "calls", "served", "failed", "lost", "doubled", "books", "p99 ms", "what was seen", ""];

/** The report as Markdown; "**missed**" marks what is worse than it must be. */
export function renderReport(results: readonly ScenarioResult[], findings: readonly Finding[]): string {
  const rows = results.map(({ scenario, seen, traffic, lost, doubled, keyDiffers }) => {
    const share = traffic.delivered.length / traffic.calls;
    const isRight = lost === 0 && doubled === 0 && keyDiffers === 0 && !seen.startsWith("FAILED");
    const failed = [...traffic.failures].map(([kind, count]) => `${kind} × ${count}`).join(", ");
    return [
      ...[scenario.name, String(traffic.calls), `${(Math.floor(share * 1e5) / 1e3).toFixed(3)} %`, failed || "none"],
      ...[String(lost), String(doubled), keyDiffers === 0 ? "agree" : `differ by ${keyDiffers}`],
      ...[traffic.p99Ms.toFixed(0), seen, isRight && share >= scenario.served ? "kept" : "**missed**"],
    ];
  });
  const wrong = findings.filter(({ expected, found }) => expected !== found);
  const sums = wrong.map(({ name, expected, found }) => [name, String(expected), String(found), "**missed**"]);
  const books = [
    ...(findings.length > 0
      ? [`Books at the end: ${findings.length - wrong.length} of ${findings.length} sums agree.`]
      : []),
    ...(wrong.length > 0 ? [table(["books at the end", "expected", "found", ""], sums)] : []),
  ];
  return `${[table(HEAD, rows), ...books].join("\n\n")}\n`;
}

/** Puts the report between its marks in a page of the documentation. */
export async function writeReport(page: string, report: string): Promise<void> {
  const text = await readFile(page, "utf8");
  const [from, to] = [text.indexOf(MARKS.from), text.indexOf(MARKS.to)];
  if (from === -1 || to === -1) throw new Error(`${page} has no place for the report`);
  await writeFile(page, `${text.slice(0, from + MARKS.from.length)}\n${report}${text.slice(to)}`);
}
