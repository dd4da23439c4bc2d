import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { fieldsOf, ONE_SNAPSHOT, type PackedRow, type PackedText, readBlocks, textField } from "./packed-rows.ts";

const ROWS = 20_000;
const SOURCE = { table: users, id: users.id, fields: [textField(users.username), users.quota] };

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`
    insert into users (id, username, aff_code, quota, created_at)
    select i, 'u' || i || repeat(chr(30), i % 2), 'a' || i, 0, 0 from generate_series(1, ${ROWS}::int) i`;
  await database.sql`delete from users where id % 10 = 3`;
  await database.sql`update users set quota = 5 where id % 4 = 0`;
  await database.sql`analyze users`;
});
afterAll(() => database.close());

/** Reads all users; `between` runs before each statement but the first. */
async function readAll(between?: () => Promise<unknown>) {
  let statements = 0;
  const pages: (readonly PackedRow[])[] = [];
  let expected = 0;
  await database.db.transaction(
    (tx) =>
      readBlocks(
        async (statement) => {
          statements += 1;
          if (statements > 1) await between?.();
          return requireRow(await tx.execute<PackedText>(statement)).text;
        },
        SOURCE,
        sql`${users.id} <> 7`,
        { take: (rows) => pages.push(rows), expect: (rows) => (expected = rows), rest: async () => {} },
      ),
    ONE_SNAPSHOT,
  );
  return { rows: pages.flat().sort((a, b) => a.id - b.id), pages: pages.length, expected };
}

const present = Array.from({ length: ROWS }, (_, at) => at + 1).filter((id) => id % 10 !== 3 && id !== 7);

test("every row is read once, with its newest fields", async () => {
  const { rows, pages, expected } = await readAll();
  expect(rows.map(({ id }) => id)).toEqual(present);
  expect(rows.every(({ id, text }) => Bun.deepEquals(fieldsOf(text), [`u${id}`, id % 4 === 0 ? "5" : "0"]))).toBe(true);
  expect(pages).toBeGreaterThan(1);
  expect(expected).toBe(ROWS - ROWS / 10);
});

// The embedded engine has one connection: nothing runs next to a transaction.
test.if(process.env.TEST_DATABASE_URL !== undefined)(
  "rows that move meanwhile are read once all the same",
  async () => {
    let changed = 0;
    let turn = 0;
    const { rows } = await readAll(async () => {
      changed += (await database.sql`update users set quota = quota + 1 where id % 4 = ${turn++ % 4}`).count;
    });
    expect(changed).toBeGreaterThan(1000);
    expect(rows.map(({ id }) => id)).toEqual(present);
  },
);
