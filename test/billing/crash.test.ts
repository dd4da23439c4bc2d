import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { openDatabase } from "../../db/connect.ts";
import type { Database } from "../../db/types.ts";
import { createBilling } from "../../src/billing/billing.ts";
import { applyBatch } from "../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../src/billing/journal/apply/record-text.ts";
import { linesOf } from "../../src/billing/journal/segments/segment.ts";
import type { UsageRecord } from "../../src/billing/types.ts";
import {
  addIncludedCalls,
  addToken,
  addUser,
  booksOf,
  includedBooks,
  silentLog,
  temporaryDirectory,
  tokenBooks,
  usageRecord,
} from "../support/billing/start-billing.ts";
import type { Spender } from "../support/billing/workers/spending-worker.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { shortLivedEnv } from "../support/processes/run-command.ts";

/** A process killed in the middle of its work loses no charge, makes none twice and leaves nothing held. */

const KILLS = 6;
const USERS = 4;
const BALANCE = 400_000;
/** More than all rounds make. */
const INCLUDED_CALLS = 100_000;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterAll(async () => {
  await database.close();
  await directory.remove();
});

/** Starts a spender, lets it work for a while and kills it. */
async function spendAndDie(spender: Spender, afterMs: number): Promise<void> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../support/billing/workers/spending-worker.ts"), JSON.stringify(spender)],
    {
      env: shortLivedEnv(),
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const reader = child.stdout.getReader();
  await reader.read();
  await Bun.sleep(afterMs);
  expect(child.exitCode).toBeNull();
  child.kill("SIGKILL");
  await child.exited;
}

/** What a start after a crash does before it serves. */
async function recover(on: Pick<Database, "sql" | "kind">, dataDir: string): Promise<void> {
  const billing = await createBilling({
    database: on,
    changes: database.changes,
    dataDir,
    processId: Bun.randomUUIDv7(),
    log: silentLog,
  });
  await billing.close();
}

async function expectTrueBooks(sql: Database["sql"], spender: Spender, balances: number): Promise<void> {
  // A process that was killed at once may have made the file and written nothing.
  const acknowledgedText = existsSync(spender.acknowledgements)
    ? readFileSync(spender.acknowledgements, "utf8").trimEnd()
    : "";
  const acknowledged = acknowledgedText === "" ? [] : acknowledgedText.split("\n");
  const rows = await sql<{ id: string; quota: number; uncovered: number }[]>`
    select request_id as id, quota, uncovered from logs where user_id = any(${spender.userIds as number[]}::int[])`;
  const logged = new Map(rows.map((row) => [row.id, row.quota]));
  expect(logged.size).toBe(rows.length);
  const lost = acknowledged.filter((line) => {
    const [id = "", quota] = line.split(" ");
    return logged.get(id) !== Number(quota);
  });
  expect(lost).toEqual([]);
  let left = 0;
  for (const userId of spender.userIds) {
    const books = await booksOf(sql, userId);
    expect(books).toMatchObject({ held: 0, uncovered: 0, used: books.logged, rolledUp: books.logged });
    expect(books.quota).toBe(BALANCE - books.logged);
    left += books.quota;
  }
  const sum = [...logged.values()].reduce((total, quota) => total + quota, 0);
  expect(balances - left).toBe(sum);
  for (const budget of Object.values(spender.included ?? {})) {
    const { left, remaining, held, used, calls } = await includedBooks(sql, budget);
    expect({ left, remaining, held }).toEqual({ left: calls - used, remaining: calls - used, held: 0 });
  }
  const token = await tokenBooks(sql, spender.token.id);
  expect(token).toMatchObject({ held: 0, used: token.logged });
}

async function prepare(sql: Database["sql"], dataDir: string, databaseUrl: string | null): Promise<Spender> {
  const userIds: number[] = [];
  while (userIds.length < USERS) userIds.push(await addUser(sql, BALANCE));
  const token = { id: await addToken(sql, userIds[0] as number, BALANCE), limited: true };
  const caller = userIds[1] as number;
  const included = { [caller]: await addIncludedCalls(sql, caller, INCLUDED_CALLS) };
  return { included, databaseUrl, dataDir, acknowledgements: join(dataDir, "acknowledged"), userIds, token };
}

test(`killed ${KILLS} times, one after the other`, async () => {
  const { url: databaseUrl } = database;
  const home = await temporaryDirectory();
  const reopen = () => openDatabase({ databaseUrl, dataDir: home.path });
  let own = await reopen();
  const spender = await prepare(own.sql, home.path, databaseUrl);
  await own.close();
  for (let kill = 0; kill < KILLS; kill++) {
    await spendAndDie(spender, 30 + kill * 50);
    own = await reopen();
    await recover(own, home.path);
    await expectTrueBooks(own.sql, spender, USERS * BALANCE);
    await own.close();
  }
  own = await reopen();
  for (const budget of Object.values(spender.included ?? {})) {
    expect((await includedBooks(own.sql, budget)).used).toBeGreaterThan(0);
  }
  await own.close();
  await home.remove();
}, 240_000);

/** A journal as a process that died left it. */
function leaveJournal(...lines: readonly (Buffer | string)[]): string {
  const left = join(directory.path, "journal", Bun.randomUUIDv7());
  mkdirSync(left, { recursive: true });
  for (const line of lines) appendFileSync(join(left, "00000001.jsonl"), line);
  return left;
}

const lines = (records: readonly UsageRecord[]) =>
  records.map((record) => Buffer.from(linesOf([recordText(record)]).bytes));

test("charges that the dead process had already written are not made twice", async () => {
  const { sql } = database;
  const userId = await addUser(sql, 1000);
  const records = Array.from({ length: 5 }, () => usageRecord({ userId, quota: 200 }));
  await applyBatch(sql, "dead", records.slice(0, 2).map(recordText));
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 600, rows: 2 });
  const left = leaveJournal(...lines(records));
  await recover(database, directory.path);
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 0, used: 1000, rows: 5, requests: 5, uncovered: 0 });
  leaveJournal(...lines(records));
  await recover(database, directory.path);
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 0, used: 1000, rows: 5, requests: 5, rolledUp: 1000 });
  expect(existsSync(left)).toBe(false);
});

test("damaged and incomplete lines are put aside with their bytes, the rest is charged", async () => {
  const { sql } = database;
  const userId = await addUser(sql, 1000);
  const records = Array.from({ length: 5 }, () => usageRecord({ userId, quota: 100 }));
  const [a, b, c, d, e] = lines(records) as [Buffer, Buffer, Buffer, Buffer, Buffer];
  b[b.length - 10] = 0x41;
  // Bytes that are no text, and zeros, as a disk leaves them that lost its power.
  d.fill(0, 20, d.length - 1);
  d[15] = 0xff;
  const incomplete = e.subarray(0, e.length - 30);
  const left = leaveJournal(a, b, c, d, incomplete);
  await recover(database, directory.path);
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 800, used: 200, rows: 2 });
  const file = readFileSync(join(directory.path, "journal", "rejected.jsonl"), "utf8");
  const entries = file
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const process = basename(left);
  const at = (offset: number, bytes: Buffer) => ({
    ...{ process, file: `${process}/00000001.jsonl`, offset, record: null },
    raw: bytes.toString("base64"),
  });
  expect(entries).toMatchObject([
    { ...at(a.length, b.subarray(0, -1)), reason: expect.stringContaining("checksum") },
    at(a.length + b.length + c.length, d.subarray(0, -1)),
    { ...at(a.length + b.length + c.length + d.length, incomplete), reason: expect.stringContaining("incomplete") },
  ]);
  expect(entries[0].readable).toMatchObject({ requestId: records[1]?.requestId, quota: 100 });
});

test("the journal of a process that lives is left alone", async () => {
  const userId = await addUser(database.sql, 1000);
  const open = () =>
    createBilling({
      database,
      changes: database.changes,
      dataDir: directory.path,
      processId: Bun.randomUUIDv7(),
      log: silentLog,
      sole: false,
    });
  const living = await open();
  living.settle(await living.reserve({ userId, token: null, amount: 500 }), usageRecord({ userId, quota: 400 }));
  const other = await open();
  expect(
    readdirSync(join(directory.path, "journal"), { withFileTypes: true }).filter((entry) => entry.isDirectory()),
  ).toHaveLength(2);
  await living.close();
  await other.close();
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 600, held: 0, rows: 1 });
});
