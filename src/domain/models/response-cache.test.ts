import { afterAll, beforeAll, expect, test } from "bun:test";
import pino from "pino";
import { responseCacheDays } from "../../../db/schema/models/response-cache.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { dayOf } from "../../billing/operator-spend.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { createCacheTotals, readCacheDays } from "./response-cache.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("several processes add up what the cache did, by day and model, and what is very old goes", async () => {
  const { db } = database;
  const today = dayOf(nowSeconds());
  const old = { model: "a", hits: 1, misses: 0, saved: 9 };
  await db.insert(responseCacheDays).values([
    { ...old, day: today - 500 },
    { ...old, day: today - 40 },
  ]);
  const processes = [0, 1, 2].map(() => createCacheTotals(db, pino({ level: "silent" })));
  for (const totals of processes) {
    totals.count("a", { hits: 2, misses: 0, saved: 7 });
    totals.count("a", { hits: 0, misses: 1, saved: 0 });
    totals.count("b\u0000".padEnd(1000, "x"), { hits: 0, misses: 1, saved: 0 });
  }
  await Promise.all(processes.map((totals) => totals.flush()));
  await Promise.all(processes.map((totals) => totals.flush()));
  const [first, ...others] = await readCacheDays(db, 30);
  expect(first).toEqual({ day: today, model: "a", hits: 6, misses: 3, saved: 21 });
  expect(others).toMatchObject([{ hits: 0, misses: 3, saved: 0 }]);
  expect((await db.select().from(responseCacheDays)).map(({ day }) => day).sort()).toEqual([today - 40, today, today]);
});
