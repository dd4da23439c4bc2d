import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import {
  createLogMonths,
  dropLogsBefore,
  dropLogsInSteps,
  listLogMonths,
  monthOf,
} from "../../../db/maintenance/partitions.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { checkBooks } from "./check-ledger.ts";

setDefaultTimeout(240_000);

const LONG_AGO = Date.parse("2025-01-10T00:00:00Z") / 1000;
const now = Math.floor(Date.now() / 1000);
const UNTIL = now + 3600;
const GIFT = "Quota for a new user";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate users, logs, usage_rollups, carried_balances, cleared_hours cascade`;
  await database.sql`insert into users (id, username, aff_code, created_at, quota)
    values (1, 'ann', 'a', 1, 1000), (2, 'bob', 'b', 1, 70), (3, 'admin', 'c', 1, 0)`;
});

const wrong = async (book: "balances" | "hours") => (await checkBooks(database.db, book, 0, now)).wrong;
const gift = (at: number, userId: number, quota: number) =>
  database.sql`insert into logs (created_at, type, user_id, content, quota) values (${at}, 4, ${userId}, ${GIFT}, ${quota})`;
const change = (at: number, userId: number, delta: number) =>
  database.sql`insert into logs (created_at, type, user_id, other)
    values (${at}, 3, 3, ${JSON.stringify({ user_id: userId, quota_delta: delta })})`;
const carried = async () =>
  (await database.sql`select user_id, quota from carried_balances order by 1`).map((row) => Object.values(row));

/** Rows in a month of its own, in the rest of the log and in this month, that come to what the balances are. */
async function fillLog(): Promise<void> {
  await database.sql.begin((tx) => createLogMonths(tx, [monthOf(new Date(LONG_AGO * 1000), 0)]));
  await gift(LONG_AGO, 1, 600);
  await change(LONG_AGO, 1, 500);
  await change(LONG_AGO + 1, 2, 100);
  await gift(LONG_AGO - 400 * 24 * 3600, 1, 40);
  await change(LONG_AGO - 400 * 24 * 3600, 2, -30);
  await change(now, 1, -140);
}

test("clearing the log leaves balances right: dropped months, slices, and what comes after", async () => {
  await fillLog();
  expect(await wrong("balances")).toEqual([]);
  expect(await dropLogsBefore(database, LONG_AGO + 60 * 24 * 3600)).toBe(5);
  expect((await listLogMonths(database.sql)).map(({ name }) => name)).not.toContain("logs_2025_01");
  expect(await carried()).toEqual([
    [1, 1140],
    [2, 70],
  ]);
  expect(await wrong("balances")).toEqual([]);
  expect(await dropLogsBefore(database, UNTIL)).toBe(1);
  expect(await dropLogsBefore(database, UNTIL)).toBe(0);
  expect(await carried()).toEqual([
    [1, 1000],
    [2, 70],
  ]);
  expect(await wrong("balances")).toEqual([]);
  await gift(now, 2, 5);
  expect(await wrong("balances")).toEqual([{ id: 2, name: "bob", stored: 70, added: 75 }]);
});

test("balances are right after each step of a clearing that is stopped half-way", async () => {
  await fillLog();
  const steps = dropLogsInSteps(database, UNTIL);
  await steps.next();
  expect(await database.sql`select from logs`).not.toHaveLength(0);
  expect(await wrong("balances")).toEqual([]);
  await steps.return();
  expect(await wrong("balances")).toEqual([]);
});

test("rows that record no credit are not carried: other gateways' rows, other changes, users who are nobody", async () => {
  await database.sql`insert into logs (created_at, type, user_id, content, quota, request_id, other) values
    (${LONG_AGO}, 4, 1, ${GIFT}, 9, 'imported-1', ''),
    (${LONG_AGO}, 3, 3, '', 0, 'imported-2', 'not JSON, with "quota_delta"'),
    (${LONG_AGO}, 4, 1, 'Reward for an invitation', 9, null, ''),
    (${LONG_AGO}, 3, 3, '', 0, null, '{"before":{"quota_delta":"5"}}'),
    (${LONG_AGO}, 3, 3, '', 0, null, '{"user_id":404,"quota_delta":5}'),
    (${LONG_AGO}, 2, 1, '', 9, 'a call', '')`;
  const off = await wrong("balances");
  expect(off.map(({ added }) => added)).toEqual([0, 0]);
  await dropLogsBefore(database, UNTIL);
  expect(await carried()).toEqual([]);
  expect(await wrong("balances")).toEqual(off);
});

test("hours whose log was cleared stay right", async () => {
  const at = now - 2 * 3600;
  await database.sql`insert into logs (created_at, type, user_id, quota, request_id) values
    (${at}, 2, 1, 30, 'x'), (${at}, 2, 1, 12, 'y'), (${LONG_AGO}, 2, 1, 500, 'z')`;
  await database.sql`insert into usage_rollups (hour, user_id, username, token_id, token_name, channel_id, model_name, "group", quota)
    values (${at - (at % 3600)}, 1, 'ann', 0, '', 0, '', '', 42)`;
  expect(await wrong("hours")).toEqual([]);
  expect(await dropLogsBefore(database, UNTIL)).toBe(3);
  expect(await wrong("hours")).toEqual([]);
  expect(await database.sql`select from cleared_hours`).toHaveLength(1);
});
