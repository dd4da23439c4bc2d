import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { until } from "../../../../test/support/lib/until.ts";
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

test("a key that was deleted is not found by asking either", async () => {
  const { db } = database;
  const row = { userId: 1, name: "k", keyHash: vault.keyedHash("deleted"), keyCipher: "c", createdTime: 1 };
  await db.insert(tokens).values({ ...row, deletedAt: 2 });
  expect(await directory.reread("deleted")).toBeUndefined();
  expect(directory.findByKey("deleted")).toBeUndefined();
});

test("who does not wait for all keys finds each by asking, many at once too", async () => {
  const { db, changes } = database;
  const names = Array.from({ length: 1200 }, (_, at) => `early ${at}`);
  const row = { userId: 1, keyCipher: "c", createdTime: 1 };
  await db.insert(tokens).values(names.map((name) => ({ ...row, name, keyHash: vault.keyedHash(name) })));
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  const early = await createApiKeyDirectory({ db, changes, vault, log, patienceMs: 0 });
  const found = await Promise.all(names.map((name) => early.reread(name)));
  expect(found.map((entry) => entry?.name)).toEqual(names);
  await until(() => early.isComplete());
  expect([...early.rows()].length).toBeGreaterThanOrEqual(names.length);
  early.close();
});

test("reads of the database what differs by key", async () => {
  const { db } = database;
  const row = { userId: 1, keyHash: vault.keyedHash("special"), keyCipher: "c", createdTime: 1 };
  await db.insert(tokens).values({
    ...{
      ...row,
      name: 'a "name"\x1f[with] \x1epitfalls 钥匙',
      status: 4,
      unlimitedQuota: true,
      expiredTime: 4_000_000_000,
    },
    ...{ modelLimitsEnabled: true, modelLimits: ["gpt-4o"], allowIps: "10.0.0.0/8", group: "vip", strict: true },
    ...{ requestsPerMinute: 5, tokensPerMinute: 6, budgetRenewsAt: 9 },
  });
  const entry = await directory.reread("special");
  expect(entry).toMatchObject({
    ...{ userId: 1, projectId: 0, createdBy: 0, name: 'a "name"[with] pitfalls 钥匙', status: 4, unlimitedQuota: true },
    ...{
      expiredTime: 4_000_000_000,
      keyHash: row.keyHash,
      modelLimits: new Set(["gpt-4o"]),
      group: "vip",
      strict: true,
    },
    ...{ previousKeyHash: null, previousKeyUntil: 0, requestsPerMinute: 5, tokensPerMinute: 6, budgetRenewsAt: 9 },
  });
  expect(entry?.allowIps?.matches("10.1.1.1")).toBe(true);
});

test.each([
  ["made by a member", { createdBy: 1, createdTime: 50 }, 50],
  ["made by a member, rotated", { createdBy: 1, createdTime: 50, secretSince: 70 }, 70],
  ["imported without its creator", { createdTime: 50, secretSince: 50 }, 50],
  ["of a person, whom no policy is about", { createdTime: 50 }, 0],
])("knows when the secret of a key was made: %s", async (name, fields, secretSince) => {
  const values = { userId: 1, name, keyHash: vault.keyedHash(name), keyCipher: "c", ...fields };
  await database.db.insert(tokens).values(values);
  expect(await directory.reread(name)).toMatchObject({ name, secretSince });
});

test("of a rotated key each secret has its own age, by which policies refuse it", async () => {
  const hashes = { keyHash: vault.keyedHash("young"), previousKeyHash: vault.keyedHash("aged") };
  const ages = { createdTime: 50, previousSecretSince: 70, secretSince: 90, previousKeyUntil: 9e9 };
  await database.db
    .insert(tokens)
    .values({ ...{ userId: 1, createdBy: 1, name: "r", keyCipher: "c" }, ...hashes, ...ages });
  expect(await directory.reread("young")).toMatchObject({ name: "r", secretSince: 90 });
  expect(directory.findByKey("aged")).toMatchObject({ name: "r", secretSince: 70 });
  await database.db.update(tokens).set({ previousSecretSince: 0 }).where(eq(tokens.name, "r"));
  await directory.reread("aged");
  expect(directory.findByKey("aged")).toMatchObject({ name: "r", secretSince: 50 });
  expect(directory.findByKey("young")).toMatchObject({ name: "r", secretSince: 90 });
});
