import { readFileSync } from "node:fs";

/** Length of a clock tick of /proc/<pid>/stat in microseconds: USER_HZ is 100 on every Linux that runs Bun. */
const TICK_US = 10_000;
const MIB = 1024 * 1024;

/** CPU time that all threads of a process have used since its start, in microseconds (in steps of 10,000). */
export function cpuMicroseconds(pid: number): number {
  return parseCpuTicks(readFileSync(`/proc/${pid}/stat`, "utf8")) * TICK_US;
}

/** CPU time that the main thread of a process has used since its start, in microseconds: its event loop, no workers. */
export function mainThreadMicroseconds(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1000;
}

/** User and system ticks from the text of /proc/<pid>/stat; the command's name in it may hold spaces and brackets. */
export function parseCpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Fields 14 and 15 of the manual, counted from 1; two stand before the bracket.
  return Number(fields[11]) + Number(fields[12]);
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kib) * 1024) / MIB;
}

/** A process and those that it has started. */
export const familyOf = (pid: number): number[] => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
];

/** Proportional memory of processes in MiB: what several of them share counts once. */
export const proportionalMib = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + proportionalKib(pid), 0) / 1024;

/**
 * Memory of a process that no other shares, in MiB: by so much it makes the proportional memory of all grow. Files are left out, as pages
 * of the executable are shared by all that run it.
 */
export const ownMib = (pid: number): number => rollupKib(pid, "Anonymous") / 1024;

const proportionalKib = (pid: number): number => rollupKib(pid, "Pss");

function rollupKib(pid: number, name: string): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1]);
}

/** Waits until a process has nothing left to do (background writing after a load), at most a time. */
export async function becomesQuiet(pid: number, maxMs = 10_000): Promise<void> {
  const deadline = performance.now() + maxMs;
  let before = cpuMicroseconds(pid);
  while (performance.now() < deadline) {
    await Bun.sleep(300);
    const now = cpuMicroseconds(pid);
    if (now - before <= TICK_US) return;
    before = now;
  }
}
