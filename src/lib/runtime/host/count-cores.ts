import { availableParallelism } from "node:os";
import { cgroupPaths, type ReadText, readText } from "./cgroup.ts";

/**
 * Cores that this process may use: those of the machine, or fewer where a container or service has a CPU quota (cgroup v2 and
 * v1); one at least.
 */
export function countCores(cores = availableParallelism(), read: ReadText = readText): number {
  const quota = Math.min(Number.POSITIVE_INFINITY, ...quotas(read));
  return Math.max(1, Math.min(cores, Math.floor(quota)));
}

/** From so many cores on, workers serve more than a single process does. */
const CORES_FOR_WORKERS = 4;

/**
 * Processes that serve most on so many cores. On fewer than four one process serves more calls than several, each for less: it
 * shares its cores with Postgres and the kernel's part of the network.
 */
export const bestWorkers = (cores: number): number => (cores < CORES_FOR_WORKERS ? 1 : cores);

/** CPU quotas in cores: of the group itself, and of those that it is in. */
function quotas(read: ReadText): number[] {
  const found = cgroupPaths(read, "", "cpu.max").map((path) => readQuota(read(path)));
  const periods = cgroupPaths(read, "cpu", "cpu.cfs_period_us");
  cgroupPaths(read, "cpu", "cpu.cfs_quota_us").forEach((path, at) => {
    const micros = [read(path), read(periods[at] ?? "")];
    if (Number(micros[0]) > 0) found.push(readQuota(micros.join(" ")));
  });
  return found;
}

/** `max 100000` or `50000 100000`: microseconds of CPU time in a period of so many. */
function readQuota(text: string | null): number {
  const [quota, period] = (text ?? "").trim().split(/\s+/).map(Number);
  return quota && period ? quota / period : Number.POSITIVE_INFINITY;
}
