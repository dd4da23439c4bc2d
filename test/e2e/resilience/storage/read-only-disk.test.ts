/** The file system of DATA_DIR turns read-only while the gateway serves, as it does after an error of its disk. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { settledAccount } from "../../../support/billing/books.ts";
import { createApiKey, createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../../support/e2e/console-client.ts";
import {
  type FakeUpstream,
  type Gateway,
  setOption,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";

setDefaultTimeout(240_000);

const MODEL = "gpt-4o-mini";
/** What a call costs, in quota units. */
const PRICE = 1000;
const SHARED = { ENCRYPTION_KEY: "k".repeat(43), SESSION_SECRET: "s".repeat(43), LOG_LEVEL: "warn" };

/** Loop devices need the right to make them, and a kernel that has them. */
const canLoop = process.getuid?.() === 0 && Bun.spawnSync(["losetup", "-f"]).exitCode === 0;

type Disk = Readonly<{ folder: string; fail(): void; repair(): void; end(): Promise<void> }>;

function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
  return stdout.toString().trim();
}

/** A file system of its own, which turns read-only by an error. */
async function makeDisk(megabytes: number): Promise<Disk> {
  const home = await mkdtemp(path.join(tmpdir(), "sluice-disk-"));
  const [image, folder] = [path.join(home, "image"), path.join(home, "data")];
  run("truncate", "-s", `${megabytes}M`, image);
  run("mkfs.ext4", "-q", image);
  run("mkdir", folder);
  const device = run("losetup", "-f", "--show", image);
  const mount = () => run("mount", "-o", "errors=remount-ro", device, folder);
  mount();
  return {
    folder,
    fail: () => writeFileSync(`/sys/fs/ext4/${path.basename(device)}/trigger_fs_error`, "1"),
    repair() {
      run("umount", folder);
      // It ends with 1 where it repaired something.
      Bun.spawnSync(["e2fsck", "-fy", device]);
      mount();
    },
    async end() {
      run("umount", "-l", folder);
      run("losetup", "-d", device);
      await rm(home, { recursive: true, force: true });
    },
  };
}

const disks: Disk[] = [];
const diskOf = async (megabytes: number): Promise<Disk> => {
  const disk = await makeDisk(megabytes);
  disks.push(disk);
  return disk;
};

let postgres: TemporaryPostgres;
let upstream: FakeUpstream;
beforeAll(async () => {
  if (!canLoop) return;
  postgres = await startTemporaryPostgres({ durable: false });
  upstream = startFakeUpstream();
});
afterAll(async () => {
  if (!canLoop) return;
  await upstream.stop();
  await postgres.stop();
  for (const disk of disks) await disk.end();
});

async function prepare(gateway: Gateway): Promise<string> {
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, [MODEL]);
  await setOption(root, "ModelPrice", { [MODEL]: PRICE / 500_000 });
  return (await createApiKey(root)).key;
}

async function call({ url }: Pick<Gateway, "url">, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
  });
  await answer.text();
  return answer.status;
}

const degraded = async ({ url }: Gateway): Promise<string> =>
  ((await (await fetch(`${url}/readyz`)).json()) as { degraded: string[] }).degraded.join("\n");

test.skipIf(!canLoop)("with a Postgres server, each charge is there before its call ends", async () => {
  const disk = await diskOf(64);
  const DATABASE_URL = await postgres.createDatabase();
  const start = () => startGateway({ dataDir: disk.folder, env: { ...SHARED, DATABASE_URL } });
  const gateway = await start();
  const key = await prepare(gateway);
  expect(await call(gateway, key)).toBe(200);
  disk.fail();
  for (let round = 0; round < 5; round += 1) {
    expect(await Promise.all(Array.from({ length: 8 }, () => call(gateway, key)))).toEqual(Array(8).fill(200));
  }
  expect(await degraded(gateway)).toContain("the disk refuses it");
  // What is in memory dies with it.
  expect(await gateway.stop("SIGKILL")).toBe(137);
  const sql = new Bun.SQL(DATABASE_URL, { max: 1 });
  const [found] = await sql`select (select count(*)::int from logs where type = 2 and quota = ${PRICE}) as rows,
    (select coalesce(sum(used_quota), 0)::int from users) as used`;
  await sql.close();
  expect(found).toEqual({ rows: 41, used: 41 * PRICE });
  disk.repair();
  const again = await start();
  expect(await call(again, key)).toBe(200);
  expect(await again.stop()).toBe(0);
});

test.skipIf(!canLoop)("with the embedded database, calls are refused before a second one goes uncharged", async () => {
  const disk = await diskOf(400);
  const gateway = await startGateway({ dataDir: disk.folder, env: SHARED, isFirstStart: true });
  const key = await prepare(gateway);
  let served = 0;
  const callUntil = (wished: number) =>
    until(async () => {
      const status = await call(gateway, key);
      expect([200, 503]).toContain(status);
      if (status === 200) served += 1;
      return status === wished;
    });
  await callUntil(200);
  // What the first start wrote: a kernel takes up to half a minute for it.
  run("sync", "-f", disk.folder);
  const charged = served;
  disk.fail();
  await callUntil(503);
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503);
  expect(await gateway.stop("SIGKILL")).toBe(137);
  disk.repair();
  expect(existsSync(path.join(disk.folder, "journal")) && readdirSync(disk.folder).length).toBeGreaterThan(1);
  const again = await startGateway({ dataDir: disk.folder, env: SHARED });
  const root = await login(again, ROOT_NAME, ROOT_PASSWORD);
  // The call that found the disk broken was answered before anybody knew: no place was left for its charge.
  expect(served - charged).toBeLessThanOrEqual(1);
  expect(await settledAccount(root)).toMatchObject({ request_count: charged, used_quota: charged * PRICE });
  expect(await again.stop()).toBe(0);
});
