import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shortLivedEnv } from "../../test/support/processes/run-command.ts";
import { openEmbedded } from "./open.ts";

const KILLS = 8;
setDefaultTimeout(300_000);

let dataDir = "";
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sluice-kill-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Lets a process write for a moment and kills it. Returns the last row that the process reported as committed. */
async function writeAndDie(start: number, afterMs: number): Promise<number> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "../../test/support/billing/workers/writing-worker.ts"),
      dataDir,
      String(start),
    ],
    {
      env: shortLivedEnv(),
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const reader = child.stdout.getReader();
  let acknowledged = new TextDecoder().decode((await reader.read()).value);
  await Bun.sleep(afterMs);
  expect(child.exitCode).toBeNull();
  child.kill("SIGKILL");
  await child.exited;
  for (let part = await reader.read(); part.value; part = await reader.read()) {
    acknowledged += new TextDecoder().decode(part.value);
  }
  // What follows the last line break was cut off by the kill.
  return Number(acknowledged.split("\n").at(-2));
}

test(`after ${KILLS} kills in the middle of writing every acknowledged row is there, and no half transaction`, async () => {
  let next = 0;
  const acknowledged: [number, number][] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const last = await writeAndDie(next, 5 + ((kill * 37) % 150));
    acknowledged.push([next, last]);
    next = last + 1000;
  }
  const { sql, close } = await openEmbedded({ dataDir });
  const ids = new Set((await sql<{ id: number }[]>`select id from written`).map(({ id }) => id));
  for (const [from, to] of acknowledged) {
    for (let id = from; id <= to; id += 1) if (!ids.has(id)) throw new Error(`row ${id} of ${from}–${to} is lost`);
  }
  for (const id of ids) if (id >= 0 && id % 5 === 0) expect(ids.has(-id - 1)).toBe(true);
  for (const id of ids) if (id < 0) expect(ids.has(-id - 1)).toBe(true);
  await close();
});

test("a second process is refused while the first lives, however the first ends", async () => {
  const first = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "../../test/support/billing/workers/writing-worker.ts"),
      dataDir,
      "5000000",
    ],
    {
      env: shortLivedEnv(),
      stdout: "pipe",
    },
  );
  await first.stdout.getReader().read();
  await expect(openEmbedded({ dataDir })).rejects.toThrow(`another sluice process is using ${dataDir}`);
  first.kill("SIGKILL");
  await first.exited;
  const second = await openEmbedded({ dataDir });
  await second.health();
  await second.close();
});
