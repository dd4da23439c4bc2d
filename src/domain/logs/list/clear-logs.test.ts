import { afterAll, beforeAll, expect, test } from "bun:test";
import { count, sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { clearLogs } from "./clear-logs.ts";

const FIRST_ROWS = 500;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("whoever hangs up stops the clearing after the step that is under way", async () => {
  await database.db.execute(sql`insert into logs (created_at, type) select n, 4 from generate_series(1, 7000) n`);
  const noticed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  let steps = 0;
  const execute = async (...query: Parameters<Db["execute"]>) => {
    steps += 1;
    if (steps === 2) await noticed.promise;
    return database.db.execute(...query);
  };
  const db: Db = Object.create(database.db, { execute: { value: execute } });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      request.signal.addEventListener("abort", () => noticed.resolve());
      return new Response(clearLogs({ ...database, db }, 10_000, async (deleted) => ended.resolve(deleted)));
    },
  });
  const hangUp = new AbortController();
  const answer = await fetch(server.url, { signal: hangUp.signal });
  const line = await answer.body?.getReader().read();
  expect(new TextDecoder().decode(line?.value)).toBe(`{"deleted":${FIRST_ROWS}}\n`);
  hangUp.abort();
  // How large the second step is depends on how long the first one took.
  const deleted = await ended.promise;
  expect(deleted).toBeGreaterThan(FIRST_ROWS);
  expect(await database.db.select({ left: count() }).from(logs)).toEqual([{ left: 7000 - deleted }]);
  expect(steps).toBe(2);
  await server.stop(true);
});

test("what was deleted before a failure is reported", async () => {
  let calls = 0;
  const execute = async (...query: Parameters<Db["execute"]>) => {
    calls += 1;
    if (calls === 2) throw new Error("the disk is full");
    return database.db.execute(...query);
  };
  const db: Db = Object.create(database.db, { execute: { value: execute } });
  await database.db.delete(logs);
  await database.db.execute(sql`insert into logs (created_at, type) select n, 4 from generate_series(1, 3000) n`);
  const reported: number[] = [];
  const lines = clearLogs({ ...database, db }, 10_000, async (deleted) => void reported.push(deleted));
  await expect(new Response(lines).text()).rejects.toThrow("the disk is full");
  expect(reported).toEqual([FIRST_ROWS]);
});
