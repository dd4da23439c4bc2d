import { afterAll, beforeAll, expect, test } from "bun:test";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { type ApiKeyDirectory, createApiKeyDirectory } from "./index.ts";

const vault = createVault({ encryptionKey: "k".repeat(32) });
let database: TestDatabase;
let directory: ApiKeyDirectory;
beforeAll(async () => {
  database = await openTestDatabase();
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  directory = await createApiKeyDirectory({ db: database.db, changes: database.changes, vault, log });
});
afterAll(async () => {
  directory.close();
  await database.close();
});

test("a key that another process made unheard is found by asking the database, under its last name too", async () => {
  const { db } = database;
  const [user] = await db
    .insert(users)
    .values({ username: "ann", affCode: "A", createdAt: 1 })
    .returning({ id: users.id });
  const hashes = { keyHash: vault.keyedHash("new"), previousKeyHash: vault.keyedHash("old") };
  await db
    .insert(tokens)
    .values({ userId: user?.id ?? 0, name: "k", ...hashes, previousKeyUntil: 9e9, keyCipher: "c", createdTime: 1 });
  expect(directory.findByKey("new")).toBeUndefined();
  expect(await directory.reread("none")).toBeUndefined();
  expect(await directory.reread("old")).toMatchObject({ name: "k" });
  expect(directory.findByKey("new")).toMatchObject({ name: "k" });
  expect(directory.findByKey("old")).toMatchObject({ name: "k" });
});
