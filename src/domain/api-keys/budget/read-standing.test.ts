import { afterAll, beforeAll, expect, test } from "bun:test";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { readStanding } from "./read-standing.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("a key's standing is its own, its owner's is that of the account", async () => {
  const { db } = database;
  const [user] = await db
    .insert(users)
    .values({ username: "ann", quota: 900, usedQuota: 100, affCode: "A", createdAt: 1 })
    .returning({ id: users.id });
  const userId = user?.id ?? 0;
  const [token] = await db
    .insert(tokens)
    .values({ userId, name: "k", keyHash: "h", keyCipher: "c", remainQuota: 30, usedQuota: 7, createdTime: 1 })
    .returning({ id: tokens.id });
  expect(await readStanding(db, { tokenId: token?.id ?? 0 })).toEqual({ remaining: 30, used: 7 });
  expect(await readStanding(db, { userId })).toEqual({ remaining: 900, used: 100 });
  expect(await readStanding(db, { tokenId: 999 })).toEqual({ remaining: 0, used: 0 });
});
