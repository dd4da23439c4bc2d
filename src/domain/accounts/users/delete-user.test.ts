import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { storedResponses } from "../../../../db/schema/channels/objects.ts";
import { withdrawals } from "../../../../db/schema/wallet/wallet.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { createUser } from "../identity/create-user.ts";
import { deleteUser } from "./delete-user.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const NOW = 1_700_000_000;

test("nothing stays of message content, where money went and where calls came from; what is to be paid can be", async () => {
  const { db, changes } = database;
  const [deleted, stays] = [await addUser("gone"), await addUser("stays")];
  await deleteUser({ db, changes, vault: createVault({ encryptionKey: "of this test" }) }, deleted);
  const of = { removed: await left(deleted), stays: await left(stays) };
  expect(of.removed).toEqual({
    sessions: ["upstream"],
    accounts: ["", "", "IBAN 1", "IBAN 1"],
    keys: [""],
  });
  expect(of.stays).toEqual({
    sessions: ["here", "masked", "upstream"],
    accounts: ["IBAN 1", "IBAN 1", "IBAN 1", "IBAN 1"],
    keys: ["10.0.0.1"],
  });
});

async function addUser(username: string): Promise<number> {
  const { db } = database;
  const userId = await createUser(db, { username, password: "correct horse" });
  const session = { userId, channelId: 1, createdAt: NOW, expiresAt: NOW + 1 };
  await db.insert(storedResponses).values([
    { ...session, id: `${username} here`, isNative: false, turns: '["my secret"]' },
    { ...session, id: `${username} upstream`, isNative: true },
    { ...session, id: `${username} masked`, isNative: true, body: "v1.what was masked" },
  ]);
  await db.insert(withdrawals).values(
    ["requested", "approved", "paid", "rejected"].map((status) => ({
      userId,
      quota: 1,
      account: "IBAN 1",
      status,
      createdTime: NOW,
    })),
  );
  await db.insert(tokens).values({
    userId,
    name: "a",
    keyHash: `hash of ${username}`,
    keyCipher: "-",
    allowIps: "10.0.0.1",
    createdTime: NOW,
  });
  return userId;
}

async function left(userId: number) {
  const { db } = database;
  const sessions = await db.select().from(storedResponses).where(eq(storedResponses.userId, userId));
  const paid = await db.select().from(withdrawals).where(eq(withdrawals.userId, userId));
  const keys = await db.select().from(tokens).where(eq(tokens.userId, userId));
  return {
    sessions: sessions.map(({ id }) => id.split(" ").at(-1)).sort(),
    accounts: paid.map(({ account }) => account).sort(),
    keys: keys.map(({ allowIps }) => allowIps),
  };
}
