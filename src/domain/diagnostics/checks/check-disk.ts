import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "../../../lib/reason.ts";
import { type Finding, fine, trouble } from "../check-result.ts";

const GIB = 1024 ** 3;
const LITTLE_BYTES = 2 * GIB;
const TOO_LITTLE_BYTES = GIB / 4;
const SLOW_SYNC_MS = 50;
const SYNCS = 5;

/** Whether the data directory has room, takes writes, and how long one takes to be on the disk. */
export async function checkDisk({ config: { dataDir } }: { config: { dataDir: string } }): Promise<Finding[]> {
  try {
    const { bavail, bsize } = await statfs(dataDir);
    return [judgeSpace(bavail * bsize, dataDir), judgeSync(await timeSync(dataDir))];
  } catch (error) {
    return [
      trouble("fail", ["doctor_disk_refuses", { dataDir, reason: reasonOf(error) }], ["doctor_fix_disk_refuses"]),
    ];
  }
}

/** Whether a data directory has enough free bytes. */
export function judgeSpace(freeBytes: number, dataDir: string): Finding {
  const message = ["doctor_disk_free", { gib: (freeBytes / GIB).toFixed(1), dataDir }] as const;
  if (freeBytes >= LITTLE_BYTES) return fine(...message);
  return trouble(freeBytes < TOO_LITTLE_BYTES ? "fail" : "warn", message, ["doctor_fix_disk_free"]);
}

/** Whether the disk writes through fast enough; the time of one flush in milliseconds. */
export function judgeSync(ms: number): Finding {
  const message = ["doctor_disk_sync", { ms: ms.toFixed(1) }] as const;
  return ms > SLOW_SYNC_MS ? trouble("warn", message, ["doctor_fix_disk_sync"]) : fine(...message);
}

/** The median time of a small write that is on the disk when it returns. */
async function timeSync(dataDir: string): Promise<number> {
  const path = join(dataDir, `.doctor-${Bun.randomUUIDv7()}`);
  const file = await open(path, "wx", 0o600);
  try {
    const times: number[] = [];
    for (let round = 0; round < SYNCS; round += 1) {
      const start = performance.now();
      await file.write("a line of the journal\n");
      await file.datasync();
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[Math.floor(SYNCS / 2)] ?? 0;
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
