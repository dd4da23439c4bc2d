import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { dropLogsBefore } from "../../db/maintenance/partitions.ts";
import { type Billing, createBilling } from "../../src/billing/billing.ts";
import { LEASE_SECONDS } from "../../src/billing/ledger/processes/registration.ts";
import {
  addToken,
  addUser,
  booksOf,
  NOW,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "../support/billing/start-billing.ts";
import type { Spender } from "../support/billing/workers/spending-worker.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { REDIS, startRedis } from "../support/lib/redis/start-redis.ts";
import { openTcpGate } from "../support/lib/tcp-gate.ts";
import { until } from "../support/lib/until.ts";
import { shortLivedEnv } from "../support/processes/run-command.ts";

/** A process is killed and its disk is gone: what it had promised is charged out of Redis, once, or an alarm says so. */

const BALANCE = 400_000;
const USERS = 4;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let redis: Awaited<ReturnType<typeof startRedis>>;

const isPossible = process.env.TEST_DATABASE_URL !== undefined && REDIS !== undefined;
const onServer = describe.skipIf(!isPossible);
beforeAll(async () => {
  if (!isPossible) return;
  database = await openTestDatabase();
  directory = await temporaryDirectory();
  redis = await startRedis();
});
afterAll(async () => {
  if (!isPossible) return;
  await database.close();
  await directory.remove();
  await redis.end();
});

/** A replica that lives, with a data directory of its own. */
function openSurvivor(redisUrl: string | null, dataDir = join(directory.path, Bun.randomUUIDv7())): Promise<Billing> {
  return createBilling({
    ...{ database, changes: database.changes, dataDir, redisUrl, log: silentLog },
    processId: Bun.randomUUIDv7(),
  });
}

type Victim = Readonly<{ spender: Spender; kill(): Promise<void> }>;

/** `outageSpendRatio`: so little of its balances that it stops soon when the database is away. */
async function startVictim(redisUrl: string | null, databaseUrl = database.url, outageSpendRatio = 1): Promise<Victim> {
  const dataDir = join(directory.path, Bun.randomUUIDv7());
  const userIds: number[] = [];
  while (userIds.length < USERS) userIds.push(await addUser(database.sql, BALANCE));
  const token = { id: await addToken(database.sql, userIds[0] as number, BALANCE), limited: true };
  const acknowledgements = join(directory.path, Bun.randomUUIDv7());
  const payers = { userIds, token, outageSpendRatio };
  const spender: Spender = { databaseUrl, redisUrl, dataDir, acknowledgements, ...payers };
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../support/billing/workers/spending-worker.ts"), JSON.stringify(spender)],
    {
      env: shortLivedEnv(),
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  await child.stdout.getReader().read();
  return {
    spender,
    async kill() {
      const connections = redisUrl === null ? null : await watchConnections(redisUrl);
      child.kill("SIGKILL");
      await child.exited;
      await connections?.lost();
    },
  };
}

/** What a killed process has sent may still wait for a busy Redis, which reads it before it sees the connection's end. */
async function watchConnections(url: string) {
  const client = new Bun.RedisClient(url);
  const count = async () =>
    String(await client.send("CLIENT", ["LIST"]))
      .trim()
      .split("\n").length;
  const before = await count();
  return {
    async lost() {
      await until(async () => (await count()) < before);
      client.close();
    },
  };
}

const acknowledged = ({ acknowledgements }: Spender): string[] =>
  existsSync(acknowledgements) ? readFileSync(acknowledgements, "utf8").trimEnd().split("\n").filter(Boolean) : [];

/** As if the lease had ended by now, `ago` seconds ago. */
const endLeases = (living: readonly string[], ago = 1) => database.sql`
  update processes set lease_until = extract(epoch from now())::bigint - ${ago} where id <> all(${living as string[]}::text[])`;

const listProcesses = async () => (await database.sql<{ id: string }[]>`select id from processes`).map(({ id }) => id);

async function expectTrueBooks(spender: Spender): Promise<void> {
  const { sql } = database;
  const rows = await sql<{ id: string; quota: number }[]>`
    select request_id as id, quota from logs where user_id = any(${spender.userIds as number[]}::int[])`;
  const logged = new Map(rows.map((row) => [row.id, row.quota]));
  expect(logged.size).toBe(rows.length);
  const lines = acknowledged(spender);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => logged.get(line.split(" ")[0] ?? "") !== Number(line.split(" ")[1]))).toEqual([]);
  for (const userId of spender.userIds) {
    const books = await booksOf(sql, userId);
    expect(books).toMatchObject({ held: 0, uncovered: 0, used: books.logged, rolledUp: books.logged });
    expect(books.quota).toBe(BALANCE - books.logged);
  }
  const token = await tokenBooks(sql, spender.token.id);
  expect(token).toMatchObject({ held: 0, used: token.logged });
}

onServer("with Redis", () => {
  test("killed again and again, each disk gone for ever: every promised charge is made once", async () => {
    for (let kill = 0; kill < 8; kill++) {
      const survivor = await openSurvivor(redis.url);
      const living = await listProcesses();
      const { spender, kill: end } = await startVictim(redis.url);
      await until(() => acknowledged(spender).length > kill * 60);
      await end();
      await rm(spender.dataDir, { recursive: true });
      await endLeases(living);
      await survivor.searchLostProcesses();
      await expectTrueBooks(spender);
      expect(survivor.status().lostJournals).toEqual([]);
      await survivor.close();
    }
  }, 120_000);

  test("killed in an outage of the database: all that it promised is charged, though another comes too and the disk returns", async () => {
    const { hostname, port } = new URL(database.url ?? "");
    const gate = await openTcpGate({ hostname, port: Number(port) });
    const address = new URL(database.url ?? "");
    address.port = String(gate.port);
    const survivors = await Promise.all([openSurvivor(redis.url), openSurvivor(redis.url)]);
    const living = await listProcesses();
    const { spender, kill } = await startVictim(redis.url, address.href);
    await until(() => acknowledged(spender).length > 100);
    gate.shut();
    const before = acknowledged(spender).length;
    // It goes on spending what it has in memory.
    await until(() => acknowledged(spender).length > before + 100);
    await kill();
    const disk = join(directory.path, Bun.randomUUIDv7());
    await cp(spender.dataDir, disk, { recursive: true });
    await rm(spender.dataDir, { recursive: true });
    await endLeases(living);
    await Promise.all(survivors.map((survivor) => survivor.searchLostProcesses()));
    await expectTrueBooks(spender);

    const returned = await openSurvivor(redis.url, disk);
    await expectTrueBooks(spender);
    expect(readdirSync(join(disk, "journal")).filter((name) => name.includes("-"))).toHaveLength(1);
    for (const billing of [...survivors, returned]) await billing.close();
  }, 120_000);

  test("a disk that returns after the log was cleared charges nothing again", async () => {
    const survivor = await openSurvivor(redis.url);
    const living = await listProcesses();
    const { spender, kill } = await startVictim(redis.url);
    await until(() => acknowledged(spender).length > 50);
    await kill();
    await endLeases(living);
    await survivor.searchLostProcesses();
    await expectTrueBooks(spender);
    const balances = () =>
      Promise.all(spender.userIds.map((id) => booksOf(database.sql, id).then(({ quota }) => quota)));
    const before = await balances();
    await dropLogsBefore(database, NOW + 3600);
    const returned = await openSurvivor(redis.url, spender.dataDir);
    expect(await balances()).toEqual(before);
    expect(returned.status().rejectedRecords).toBeGreaterThan(0);
    await returned.close();
    await survivor.close();
    await database.sql`delete from options where key = '_logs_cleared_before'`;
  }, 120_000);

  test("Redis that went away and came back empty has what waits again", async () => {
    const victims = await startRedis();
    const survivor = await openSurvivor(victims.url);
    const living = await listProcesses();
    const { hostname, port } = new URL(database.url ?? "");
    const gate = await openTcpGate({ hostname, port: Number(port) });
    const address = new URL(database.url ?? "");
    address.port = String(gate.port);
    const { spender, kill } = await startVictim(victims.url, address.href, 0.05);
    await until(() => acknowledged(spender).length > 50);
    gate.shut();
    await until(() => acknowledged(spender).length > 200);
    await victims.end();
    const away = acknowledged(spender).length;
    await until(() => acknowledged(spender).length > away + 20);
    await victims.again();
    // Whole batches again: everything that waits, also what was acknowledged before the connection was back.
    const client = new Bun.RedisClient(victims.url);
    const copied = async () => {
      const keys = (await client.send("KEYS", ["sluice:journal:*:*"])) as string[];
      const found = await Promise.all(
        keys.map(async (key) => ((await client.send("XRANGE", [key, "-", "+"])) as [string, string[]][]).flat(2)),
      );
      return found.flat().join("");
    };
    await until(async () => {
      const ids = acknowledged(spender).map((line) => line.split(" ")[0] ?? "");
      const text = await copied();
      return ids.every((id) => text.includes(id));
    });
    await kill();
    await rm(spender.dataDir, { recursive: true });
    await endLeases(living);
    await survivor.searchLostProcesses();
    await expectTrueBooks(spender);
    client.close();
    await survivor.close();
    await victims.end();
  }, 120_000);
});

onServer("without Redis", () => {
  test("a process that dies with charges is an alarm until its disk is back", async () => {
    const survivor = await openSurvivor(null);
    const living = await listProcesses();
    const notices: string[] = [];
    survivor.onLostJournal(({ processId }) => notices.push(processId));
    const { spender, kill } = await startVictim(null);
    await until(() => acknowledged(spender).length > 50);
    await kill();
    // Found late, as after an outage: nobody knows what came since it was last seen.
    await endLeases(living, LEASE_SECONDS + 1);
    await survivor.searchLostProcesses();
    const [lost] = survivor.status().lostJournals;
    expect(lost?.location).toEndWith(spender.dataDir);
    expect(notices).toEqual([lost?.processId ?? ""]);

    const returned = await openSurvivor(null, spender.dataDir);
    await expectTrueBooks(spender);
    await survivor.searchLostProcesses();
    expect(survivor.status().lostJournals).toEqual([]);
    await returned.close();
    await survivor.close();
  }, 120_000);

  test("the alarm has the last report of its journal; a quiet one is none", async () => {
    const survivor = await openSurvivor(null);
    const ended = Math.floor(Date.now() / 1000) - 5;
    await database.sql`
      insert into processes (id, started_at, lease_until, location, unwritten, unwritten_since, recent_charges) values
        ('busy', ${NOW - 100}, ${ended}, 'a:/data', 12, ${NOW - 60}, 40),
        ('quiet', ${NOW - 100}, ${ended}, 'b:/data', 0, null, 0),
        ('older release', ${NOW - 100}, ${ended}, '', 0, null, 0)`;
    await survivor.searchLostProcesses();
    expect(survivor.status().lostJournals).toEqual([
      {
        ...{ processId: "busy", location: "a:/data", unwritten: 12, unwrittenSince: NOW - 60 },
        ...{ lastSeenAt: ended - LEASE_SECONDS, journalCopy: "none" },
      },
    ]);
    await survivor.close();
    await database.sql`delete from lost_journals`;
  });
});
