/** The disk of DATA_DIR is full while the gateway serves. Needs the right to mount. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
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
import { startRedis } from "../../../support/lib/redis/start-redis.ts";
import { until } from "../../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";

setDefaultTimeout(240_000);

const MODEL = "gpt-4o-mini";
/** What a call costs, in quota units. */
const PRICE = 1000;
/** Longer than a process that died is taken for one that lives. */
const LEASE_MS = 30_000;
const SHARED = { ENCRYPTION_KEY: "k".repeat(43), SESSION_SECRET: "s".repeat(43), LOG_LEVEL: "warn" };

const canMount = process.getuid?.() === 0 && Bun.spawnSync(["unshare", "-m", "true"]).exitCode === 0;

/** A disk of its own, in memory. */
type Disk = Readonly<{ folder: string; fill(): void; free(): void }>;

const mounted: string[] = [];
function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}

async function makeDisk(megabytes: number): Promise<Disk> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-disk-"));
  run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tmpfs", folder);
  mounted.push(folder);
  const ballast = path.join(folder, "ballast");
  return {
    folder,
    fill() {
      // In smaller and smaller pieces, until nothing fits.
      for (let bytes = 1 << 20; bytes >= 1; bytes = bytes >> 4) {
        for (;;) {
          try {
            writeFileSync(ballast, Buffer.alloc(bytes), { flag: "a" });
          } catch {
            break;
          }
        }
      }
    },
    free: () => rmSync(ballast, { force: true }),
  };
}

let postgres: TemporaryPostgres;
let redis: Awaited<ReturnType<typeof startRedis>>;
let upstream: FakeUpstream;
beforeAll(async () => {
  if (!canMount) return;
  [postgres, redis] = await Promise.all([startTemporaryPostgres({ durable: false }), startRedis()]);
  upstream = startFakeUpstream();
});
afterAll(async () => {
  if (!canMount) return;
  await upstream.stop();
  await Promise.all([postgres.stop(), redis.end()]);
  for (const folder of mounted) {
    run("umount", "-l", folder);
    await rm(folder, { recursive: true, force: true });
  }
});

async function prepare(gateway: Gateway): Promise<string> {
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, [MODEL]);
  await setOption(root, "ModelPrice", { [MODEL]: PRICE / 500_000 });
  return (await createApiKey(root)).key;
}

/** The status of a call; a refusal says when to try again. */
async function call({ url }: Pick<Gateway, "url">, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
  });
  await answer.text();
  if (answer.status === 503) expect(answer.headers.get("retry-after")).not.toBeNull();
  return answer.status;
}

const callMany = async (gateway: Gateway, key: string, count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => call(gateway, key)));

const readyz = async ({ url }: Gateway) => {
  const reply = await fetch(`${url}/readyz`);
  return { status: reply.status, degraded: ((await reply.json()) as { degraded: string[] }).degraded.join("\n") };
};

/** What has been charged, read past the gateway. */
async function chargedIn(url: string): Promise<{ rows: number; used: number }> {
  const sql = new Bun.SQL(url, { max: 1 });
  const [found] = await sql`select (select count(*)::int from logs where type = 2 and quota = ${PRICE}) as rows,
    (select coalesce(sum(used_quota), 0)::int from users) as used`;
  await sql.close();
  return found;
}

describe.skipIf(!canMount)("the disk is full, on a Postgres server", () => {
  test("each charge is in Postgres before its call ends", async () => {
    const disk = await makeDisk(48);
    const DATABASE_URL = await postgres.createDatabase();
    const start = () => startGateway({ dataDir: disk.folder, env: { ...SHARED, DATABASE_URL } });
    const gateway = await start();
    const key = await prepare(gateway);
    expect(await callMany(gateway, key, 5)).toEqual(Array(5).fill(200));
    disk.fill();
    let calls = 5;
    for (let round = 0; round < 5; round += 1) {
      expect(await callMany(gateway, key, 8)).toEqual(Array(8).fill(200));
      calls += 8;
    }
    expect(await readyz(gateway)).toMatchObject({
      status: 200,
      degraded: expect.stringContaining("the disk refuses it, charges go to redis and the database at once"),
    });
    // What is in memory dies with it.
    expect(await gateway.stop("SIGKILL")).toBe(137);
    expect(await chargedIn(DATABASE_URL)).toEqual({ rows: calls, used: calls * PRICE });
    disk.free();
    const again = await start();
    await until(async () => (await readyz(again)).degraded === "");
    expect(await callMany(again, key, 2)).toEqual([200, 200]);
    expect(await again.stop()).toBe(0);
    expect(await chargedIn(DATABASE_URL)).toEqual({ rows: calls + 2, used: (calls + 2) * PRICE });
  });

  test("with Postgres away calls are refused until one of them is back, with all charges", async () => {
    const disk = await makeDisk(48);
    const DATABASE_URL = await postgres.createDatabase();
    const gateway = await startGateway({ dataDir: disk.folder, env: { ...SHARED, DATABASE_URL } });
    const key = await prepare(gateway);
    expect(await call(gateway, key)).toBe(200);
    let served = 1;
    const callUntil = (isOver: (status: number) => boolean) =>
      until(async () => {
        const status = await call(gateway, key);
        expect([200, 503]).toContain(status);
        if (status === 200) served += 1;
        return isOver(status);
      });
    await postgres.shutDown();
    try {
      expect(await call(gateway, key)).toBe(200);
      served += 1;
      disk.fill();
      await callUntil((status) => status === 503);
      expect(await call(gateway, key)).toBe(503);
      expect(await readyz(gateway)).toMatchObject({
        status: 503,
        degraded: expect.stringContaining("calls are refused"),
      });
      disk.free();
      await callUntil((status) => status === 200);
      expect(await readyz(gateway)).toMatchObject({ status: 200 });
      // All of it is on the disk again.
      expect(await gateway.stop("SIGKILL")).toBe(137);
    } finally {
      await postgres.startAgain();
    }
    const again = await startGateway({ dataDir: disk.folder, env: { ...SHARED, DATABASE_URL } });
    expect(await again.stop()).toBe(0);
    expect(await chargedIn(DATABASE_URL)).toEqual({ rows: served, used: served * PRICE });
  });

  test("with Postgres away Redis takes the charges, and another replica finds them there", async () => {
    const disk = await makeDisk(48);
    const DATABASE_URL = await postgres.createDatabase();
    const env = { ...SHARED, DATABASE_URL, REDIS_URL: redis.url };
    const gateway = await startGateway({ dataDir: disk.folder, env });
    const key = await prepare(gateway);
    expect(await call(gateway, key)).toBe(200);
    await postgres.shutDown();
    disk.fill();
    expect(await callMany(gateway, key, 10)).toEqual(Array(10).fill(200));
    expect(await callMany(gateway, key, 10)).toEqual(Array(10).fill(200));
    expect(await gateway.stop("SIGKILL")).toBe(137);
    await postgres.startAgain();
    // Another machine: the disk is lost for good.
    const other = await startGateway({ env });
    // Its lease runs out first.
    await Bun.sleep(LEASE_MS);
    await until(
      () => chargedIn(DATABASE_URL),
      ({ rows }) => rows === 21,
    );
    expect(await chargedIn(DATABASE_URL)).toEqual({ rows: 21, used: 21 * PRICE });
    expect(await other.stop()).toBe(0);
  });
});

test.skipIf(!canMount)(
  "the disk is full, with the embedded database: calls that nothing would charge are refused, and no charge is missing",
  async () => {
    const disk = await makeDisk(200);
    const gateway = await startGateway({ dataDir: disk.folder, env: SHARED, isFirstStart: true });
    const key = await prepare(gateway);
    let served = 0;
    const callUntil = (isOver: (status: number) => boolean) =>
      until(async () => {
        const status = await call(gateway, key);
        expect([200, 503]).toContain(status);
        if (status === 200) served += 1;
        return isOver(status);
      });
    await callUntil((status) => status === 200);
    disk.fill();
    await callUntil((status) => status === 503);
    expect((await readyz(gateway)).status).toBe(503);
    disk.free();
    await callUntil((status) => status === 200);
    expect(await gateway.stop("SIGKILL")).toBe(137);
    expect(existsSync(path.join(disk.folder, "journal"))).toBe(true);
    const again = await startGateway({ dataDir: disk.folder, env: SHARED });
    const root = await login(again, ROOT_NAME, ROOT_PASSWORD);
    expect(await settledAccount(root)).toMatchObject({ request_count: served, used_quota: served * PRICE });
    expect(await again.stop()).toBe(0);
  },
);
