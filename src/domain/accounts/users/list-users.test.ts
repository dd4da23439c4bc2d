import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { createUser } from "../identity/create-user.ts";
import { ensureSearchIndex, listUsers } from "./list-users.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  for (let number = 1; number <= 7; number += 1) {
    await createUser(database.db, { username: `paged${number}`, password: "correct horse" });
  }
});
afterAll(() => database.close());

test("pages follow each other to the last one, newest first, whatever end they are counted from", async () => {
  const pages: string[][] = [];
  for (let page = 0; page < 5; page += 1) {
    const { items, total } = await listUsers(database.db, {}, { page, pageSize: 2 });
    expect(total).toBe(7);
    pages.push(items.map(({ username }) => username));
  }
  expect(pages).toEqual([["paged7", "paged6"], ["paged5", "paged4"], ["paged3", "paged2"], ["paged1"], []]);
  const oldest = await listUsers(database.db, {}, { page: 2, pageSize: 3, sort: "id", descending: false });
  expect(oldest.items.map(({ username }) => username)).toEqual(["paged7"]);
});

test.each([
  ["paged", 7],
  ["PAGED3", 1],
  ["émile", 1],
  ["ÉMILE", 1],
  ["mile z", 1],
  ["иван", 1],
  ["王小", 1],
  ["4@Example.org", 1],
  ["d4@exam", 1],
  ["aged4@EXAMPLE.ORG", 1],
  ["d4@ample.org", 0],
  ["%@_ample.org", 0],
  ["%", 0],
  ["Emile", 0],
])("a search for %s in any case finds %i", async (keyword, found) => {
  await database.db.update(users).set({ displayName: "Émile Zola" }).where(eq(users.username, "paged1"));
  await database.db.update(users).set({ displayName: "ИВАН" }).where(eq(users.username, "paged2"));
  await database.db.update(users).set({ displayName: "王小明" }).where(eq(users.username, "paged3"));
  await database.db.update(users).set({ email: "paged4@example.org" }).where(eq(users.username, "paged4"));
  const { total } = await listUsers(database.db, { keyword }, { page: 0, pageSize: 10 });
  expect(total).toBe(found);
});

test.skipIf(!process.env.TEST_DATABASE_URL)(
  "many users are searched by an index, which is made again when it is broken",
  async () => {
    const { db, sql } = database;
    const hasIndex = async () => (await sql`select from pg_class where relname = 'users_search_idx'`).length === 1;
    await ensureSearchIndex(database);
    expect(await hasIndex()).toBe(false);
    await sql`
    insert into users (username, display_name, aff_code, created_at)
    select 'many-' || i, 'Émile ' || i, 'm' || i, 0 from generate_series(1, 20001) i`;
    await ensureSearchIndex(database);
    expect(await hasIndex()).toBe(true);
    await sql`update pg_index set indisvalid = false where indexrelid = 'users_search_idx'::regclass`;
    await ensureSearchIndex(database);
    await sql`analyze users`;
    const scansOf = async () => {
      await sql`select pg_stat_clear_snapshot(), pg_stat_force_next_flush()`;
      return Number(
        (await sql`select idx_scan from pg_stat_user_indexes where indexrelname = 'users_search_idx'`)[0]?.idx_scan,
      );
    };
    const before = await scansOf();
    const found = await listUsers(db, { keyword: "Any-1999" }, { page: 0, pageSize: 20 });
    expect(found.total).toBe(11);
    expect(found.items[0]?.username).toBe("many-19999");
    expect((await listUsers(db, { keyword: "émile 1999" }, { page: 0, pageSize: 20 })).total).toBe(11);
    await sql`update users set email = username || '@example.org' where username like 'many-%'`;
    expect((await listUsers(db, { keyword: "y-1999@example.org" }, { page: 0, pageSize: 20 })).total).toBe(1);
    let after = before;
    for (let tries = 0; after === before && tries < 50; tries += 1) {
      await Bun.sleep(100);
      after = await scansOf();
    }
    expect(after).toBeGreaterThan(before);
  },
);

test("of many users those that came since are counted", async () => {
  const { db, sql } = database;
  const totalOf = async (filter: Parameters<typeof listUsers>[1] = {}) =>
    (await listUsers(db, filter, { page: 0, pageSize: 1 })).total;
  await sql`
    insert into users (username, display_name, aff_code, created_at)
    select 'counted-' || i, 'c', 'c' || i, 0 from generate_series(1, 20001) i`;
  const [row] = await sql<{ total: number }[]>`select count(*)::int as total from users`;
  const all = row?.total ?? 0;
  expect(await totalOf()).toBe(all);
  await createUser(db, { username: "newest", password: "correct horse" });
  expect(await totalOf()).toBe(all + 1);
  // Which never happens, so it shows that nobody counts.
  await sql`delete from users where username = 'counted-1'`;
  expect(await totalOf()).toBe(all + 1);
  expect(await totalOf({ kind: "person" })).toBe(all);
});
