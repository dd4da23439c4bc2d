import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { eq, sql as raw } from "drizzle-orm";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { users } from "../schema/index.ts";

setDefaultTimeout(240_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`insert into users (username, aff_code, created_at, quota) values ('one', 'a', 1, 9007199254740991)`;
});
afterAll(() => database.close());

test("statements of the query builder are prepared under a name, once, also inside transactions and savepoints", async () => {
  const { db } = database;
  await db.transaction(async (tx) => {
    for (const name of ["one", "two"]) await tx.select({ id: users.id }).from(users).where(eq(users.username, name));
    await tx.transaction(async (inner) => {
      await inner.select({ id: users.id }).from(users).where(eq(users.group, "one"));
    });
    const count = async (text: string) => {
      const [row] = await tx.execute<{ count: number }>(
        raw.raw(`select count(*)::int as count from pg_prepared_statements
          where statement like '%${text}%' and statement not like '%pg_prepared%'`),
      );
      return row?.count;
    };
    expect(await count('"users"."username" = $1')).toBe(1);
    expect(await count('"users"."group" = $1')).toBe(1);
  });
});

test("statements of lists have no name, so that each is planned for its own values however often it runs", async () => {
  await database.listDb.transaction(async (tx) => {
    for (let run = 0; run < 8; run++) await tx.select({ id: users.id }).from(users).where(eq(users.status, run));
    await tx.transaction((inner) => inner.select({ id: users.id }).from(users).where(eq(users.status, 1)));
    const named = await tx.execute(
      raw.raw(`select statement from pg_prepared_statements where statement like '%"users"."status" = $1%'
        and statement not like '%pg_prepared%'`),
    );
    expect([...named]).toEqual([]);
  });
});

test("64-bit numbers arrive as numbers, from the builder and from the driver", async () => {
  const [built] = await database.db.select({ quota: users.quota }).from(users);
  const [driven] =
    await database.sql`select quota, sum(quota)::bigint as total, count(*) as rows from users group by quota`;
  expect(built?.quota).toBe(Number.MAX_SAFE_INTEGER);
  expect(driven).toEqual({ quota: Number.MAX_SAFE_INTEGER, total: Number.MAX_SAFE_INTEGER, rows: 1 });
});

test("a failed transaction leaves nothing behind and the connection usable", async () => {
  const { db, sql } = database;
  const failing = db.transaction(async (tx) => {
    await tx.update(users).set({ quota: 0 });
    await tx.execute(raw`select 1 / 0`);
  });
  await expect(failing).rejects.toThrow();
  const [row] = await sql`select quota from users`;
  expect(row?.quota).toBe(Number.MAX_SAFE_INTEGER);
});
