import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

type Read = (path: string) => string | null;

/**
 * Cores that this process may use: those of the machine, or fewer where a container or service has a CPU quota (cgroup v2 and
 * v1); one at least.
 */
export function countCores(cores = availableParallelism(), read: Read = readText): number {
  const quota = Math.min(...quotas(read));
  return Math.max(1, Math.min(cores, Math.floor(quota)));
}

/** From so many cores on, workers serve more than a single process does. */
const CORES_FOR_WORKERS = 4;

/**
 * Processes that serve most on so many cores. On fewer than four one process serves more calls than several, each for less: it
 * shares its cores with Postgres and the kernel's part of the network.
 */
export const bestWorkers = (cores: number): number => (cores < CORES_FOR_WORKERS ? 1 : cores);

const ROOT = "/sys/fs/cgroup";

/** CPU quotas in cores: of the group itself, and of those that it is in. */
function quotas(read: Read): number[] {
  const found = [Number.POSITIVE_INFINITY, readQuota(read(`${ROOT}/cpu.max`))];
  const own = /^0::(\/\S*)$/m.exec(read("/proc/self/cgroup") ?? "")?.[1] ?? "/";
  for (let path = own; path.length > 1; path = path.slice(0, path.lastIndexOf("/"))) {
    found.push(readQuota(read(`${ROOT}${path}/cpu.max`)));
  }
  const micros = [read(`${ROOT}/cpu/cpu.cfs_quota_us`), read(`${ROOT}/cpu/cpu.cfs_period_us`)];
  if (Number(micros[0]) > 0) found.push(readQuota(micros.join(" ")));
  return found;
}

/** `max 100000` or `50000 100000`: microseconds of CPU time in a period of so many. */
function readQuota(text: string | null): number {
  const [quota, period] = (text ?? "").trim().split(/\s+/).map(Number);
  return quota && period ? quota / period : Number.POSITIVE_INFINITY;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
