import { existsSync, readFileSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

const GIB = 1024 ** 3;
/** Linux's file system in memory, which every user may write to. */
const FOLDER = "/dev/shm";
/** Twice what a run has there at its fullest. */
const MIN_FREE_BYTES = 4 * GIB;
/** The processes of the tests need some as well. */
const MIN_MEMORY_BYTES = 8 * GIB;

/**
 * The folder in memory for the files of tests; null where there is none, or too little of it. The embedded engine's
 * 1,500 files take a second of CPU to copy on a disk, and a tenth of that in memory.
 */
export function findMemoryFolder(): string | null {
  if (!existsSync(FOLDER)) return null;
  const { bavail, bsize } = statfsSync(FOLDER);
  const isLargeEnough = bavail * bsize >= MIN_FREE_BYTES && freemem() >= MIN_MEMORY_BYTES;
  return isLargeEnough && allowsPrograms(readFileSync("/proc/mounts", "utf8"), FOLDER) ? FOLDER : null;
}

/** Whether `folder` is a mount of this table (proc_mounts(5)) from which programs can be started, as some tests do. */
export function allowsPrograms(mounts: string, folder: string): boolean {
  const lines = mounts.split("\n").map((line) => line.split(" "));
  // Of several at the same place the last one counts.
  const options = lines.findLast(([, place]) => place === folder)?.[3];
  return options !== undefined && !options.split(",").includes("noexec");
}
