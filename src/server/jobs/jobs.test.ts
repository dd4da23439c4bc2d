import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { forgetUnlogged } from "./jobs.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("charges are forgotten after 30 days, calls that a plan included once their month has its statement", async () => {
  const now = 1_900_000_000;
  for (const days of [0, 29, 31, 400]) {
    await database.sql`insert into unlogged_calls
      (request_id, created_at, user_id, token_id, channel_id, quota, uncovered)
      values (${`${days} days`}, ${now - days * 86_400}, 1, 1, 1, 5, 0)`;
  }
  for (const days of [40, 46]) {
    await database.sql`insert into unlogged_calls (request_id, created_at, user_id, token_id, channel_id, quota, uncovered, included)
      values (${`${days} days`}, ${now - days * 86_400}, 1, 1, 1, 0, 0, 1)`;
  }
  expect(await forgetUnlogged(database, now)).toBe(3);
  const left = await database.sql`select request_id from unlogged_calls order by created_at desc`;
  expect(left.map(({ request_id }) => request_id)).toEqual(["0 days", "29 days", "40 days"]);
  expect(await forgetUnlogged(database, now)).toBe(0);
});
