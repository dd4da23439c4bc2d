import { totalmem } from "node:os";
import { cgroupPaths, type ReadText, readText } from "./cgroup.ts";

/** Bytes that this host's processes may use: those of the machine, or fewer where a container or service has a limit (cgroup v2, v1). */
export function memoryLimitBytes(machineBytes = totalmem(), read: ReadText = readText): number {
  const paths = [...cgroupPaths(read, "", "memory.max"), ...cgroupPaths(read, "memory", "memory.limit_in_bytes")];
  // "max" is no number, and without a limit v1 says the largest there is.
  const limits = paths.map((path) => Number(read(path) ?? Number.NaN)).filter((bytes) => bytes > 0);
  return Math.min(machineBytes, ...limits);
}
