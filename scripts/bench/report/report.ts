import { cpus, totalmem } from "node:os";
import type { Entry } from "../books.ts";
import type { Verdict } from "./targets.ts";

/** Everything a run found out, as it is written to JSON; the Markdown is made from it alone. */
export type Report = Readonly<{
  provenance: Readonly<Record<string, string | number>>;
  costs: readonly CostRow[];
  latencies: readonly LatencyRow[];
  gateways: readonly GatewayRow[];
}>;

export type CostRow = Readonly<{
  workload: string;
  subject: string;
  cpuUsPerRequest: number;
  /** Times the floor's CPU. */
  timesFloor: number;
  requestsPerSecond: number;
  rounds: readonly number[];
}>;

export type LatencyRow = Readonly<{
  load: string;
  subject: string;
  p50Ms: number;
  p99Ms: number;
  addedP50Ms: number;
  addedP99Ms: number;
}>;

export type GatewayRow = Readonly<{
  name: string;
  firstStartMs: number;
  laterStartMs: number;
  idleMib: number;
  peakMib: number;
  verdicts: readonly Verdict[];
  books: readonly Entry[];
}>;

/** What the figures were measured on. */
export async function provenance(rounds: number): Promise<Record<string, string | number>> {
  const commit = await Bun.$`git rev-parse --short HEAD`.nothrow().quiet().text();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit.trim(),
    bun: Bun.version,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    rounds,
  };
}

/** The report as Markdown tables. */
export function markdown(report: Report): string {
  const fixed = (value: number, digits: number) => value.toFixed(digits);
  const facts = Object.entries(report.provenance).map(([name, value]) => `${name} ${value}`);
  return [
    `Measured on: ${facts.join(" · ")}`,
    table(
      ["workload", "gateway", "CPU µs/call", "× floor", "calls/s"],
      report.costs.map((row) => [
        row.workload,
        row.subject,
        fixed(row.cpuUsPerRequest, 0),
        Number.isNaN(row.timesFloor) ? "–" : fixed(row.timesFloor, 2),
        fixed(row.requestsPerSecond, 0),
      ]),
    ),
    table(
      ["latency of a non-streamed call", "gateway", "p50 ms", "p99 ms", "added p50", "added p99"],
      report.latencies.map((row) => [
        row.load,
        row.subject,
        ...[row.p50Ms, row.p99Ms, row.addedP50Ms, row.addedP99Ms].map((value) => fixed(value, 2)),
      ]),
    ),
    table(
      ["process", "first start ms", "later start ms", "idle MiB (PSS)", "highest MiB under load"],
      report.gateways.map((row) => [
        row.name,
        ...[row.firstStartMs, row.laterStartMs, row.idleMib, row.peakMib].map((value) => fixed(value, 0)),
      ]),
    ),
    ...report.gateways.flatMap((row) => [
      table(
        [`target, ${row.name}`, "limit", "measured", ""],
        row.verdicts.map((verdict) => [
          verdict.what,
          verdict.limit,
          verdict.measured,
          verdict.passed ? "kept" : "**missed**",
        ]),
      ),
      table(
        [`books, ${row.name}`, "expected", "found", ""],
        row.books.map((entry) => [
          entry.what,
          String(entry.expected),
          String(entry.found),
          entry.right ? "right" : "**WRONG**",
        ]),
      ),
    ]),
  ].join("\n\n");
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
