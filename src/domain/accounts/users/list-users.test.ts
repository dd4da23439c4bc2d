import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { createUser } from "./create-user.ts";
import { listUsers } from "./list-users.ts";

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
  ["%", 0],
  ["Emile", 0],
])("a search for %s in any case finds %i", async (keyword, found) => {
  await database.db.update(users).set({ displayName: "Émile Zola" }).where(eq(users.username, "paged1"));
  await database.db.update(users).set({ displayName: "ИВАН" }).where(eq(users.username, "paged2"));
  const { total } = await listUsers(database.db, { keyword }, { page: 0, pageSize: 10 });
  expect(total).toBe(found);
});
