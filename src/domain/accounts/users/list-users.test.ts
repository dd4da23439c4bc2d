import { afterAll, beforeAll, expect, test } from "bun:test";
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
