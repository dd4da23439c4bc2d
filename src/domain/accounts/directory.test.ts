import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Changes, createChanges } from "../../../db/changes.ts";
import { sessions as sessionRows, users } from "../../../db/schema/accounts/users.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createUserDirectory, type UserDirectory } from "./directory.ts";
import { createSessions } from "./sign-in/sessions.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
let database: TestDatabase;
let changes: Changes;
let directory: UserDirectory;

beforeAll(async () => {
  database = await openTestDatabase();
  changes = await createChanges(database, (error) => {
    throw error;
  });
  await database.sql`
    insert into users (username, aff_code, created_at)
    select 'u' || n, 'code' || n, 1 from generate_series(1, 4500) n`;
  directory = await createUserDirectory({ db: database.db, changes, log });
});
afterAll(async () => {
  directory.close();
  await changes.close();
  await database.close();
});

describe("user directory", () => {
  test("knows every user after the start, however many slices they fill", () => {
    expect(directory.get(1)?.username).toBe("u1");
    expect(directory.get(4500)).toMatchObject({
      username: "u4500",
      role: 1,
      status: 1,
      group: "default",
      deleted: false,
    });
    expect(directory.get(4501)).toBeUndefined();
  });

  test("reads what differs by user", async () => {
    const { db } = database;
    const [row] = await db
      .insert(users)
      .values({
        ...{
          username: "a\x1fb",
          displayName: "Ann [1]\x1e",
          affCode: "special",
          createdAt: 1,
          kind: "service",
          role: 1,
        },
        ...{ status: 2, group: "vip", deletedAt: 5, setting: { accept_unset_model_ratio_model: true } },
        ...{ sessionVersion: 3, maxConcurrency: 4, requestsPerMinute: 5 },
      })
      .returning({ id: users.id });
    const id = row?.id ?? 0;
    expect(await directory.reread(id)).toEqual({
      ...{ id, kind: "service", username: "ab", displayName: "Ann [1]", role: 1, adminRoleId: null, status: 2 },
      ...{ group: "vip", deleted: true, acceptUnsetPrice: true, sessionVersion: 3 },
      ...{ maxConcurrency: 4, requestsPerMinute: 5 },
    });
    await db.delete(users).where(eq(users.id, id));
    expect(await directory.reread(id)).toBeUndefined();
  });

  test("follows changes: new values, a removed row", async () => {
    const { db } = database;
    await db.update(users).set({ status: 2, group: "vip" }).where(eq(users.id, 7));
    expect(directory.get(7)?.status).toBe(1);
    await changes.publish("users", [7]);
    expect(directory.get(7)).toMatchObject({ status: 2, group: "vip" });
    await db.delete(users).where(eq(users.id, 8));
    await changes.publish("users", [8, 9]);
    expect(directory.get(8)).toBeUndefined();
    expect(directory.get(9)?.username).toBe("u9");
  });
});

describe("sessions", () => {
  test("one that ends while it is being looked up stays ended", async () => {
    const sessions = createSessions({ db: database.db, changes, users: directory, secret: "of this test" });
    for (let round = 0; round < 10; round += 1) {
      const value = await sessions.start(10, { ip: "", userAgent: "" });
      const other = createSessions({ db: database.db, changes, users: directory, secret: "of this test" });
      const session = await other.find(value);
      // Long unseen, it is touched after it was read: the look-up ends after the session did.
      await database.db.update(sessionRows).set({ lastSeenAt: 1 });
      if (!session) throw new Error("the session is missing");
      await Promise.all([sessions.find(value), other.end(session), sessions.find(value)]);
      expect(await sessions.find(value)).toBeNull();
      other.close();
    }
    sessions.close();
  });

  test("begins for a user that this process does not know yet, and is known to another that does not either", async () => {
    // Nothing is published, as if the news of it were on its way.
    const elsewhere = await createUserDirectory({ db: database.db, changes, log });
    const [made] = await database.db
      .insert(users)
      .values({ username: "unheard", affCode: "unheard", createdAt: 1 })
      .returning({ id: users.id });
    const id = made?.id ?? 0;
    const here = createSessions({ db: database.db, changes, users: directory, secret: "of this test" });
    const there = createSessions({ db: database.db, changes, users: elsewhere, secret: "of this test" });
    expect(directory.get(id)).toBeUndefined();
    const first = await here.start(id, { ip: "", userAgent: "" });
    expect(await here.find(first)).toMatchObject({ userId: id });
    // A new password, that neither knows of.
    await database.db.update(users).set({ sessionVersion: 2 }).where(eq(users.id, id));
    const second = await here.start(id, { ip: "", userAgent: "" });
    expect(await here.find(second)).toMatchObject({ version: 2 });
    expect(elsewhere.get(id)).toBeUndefined();
    expect(await there.find(second)).toMatchObject({ version: 2 });
    expect(await there.find(first)).toBeNull();
    for (const opened of [here, there, elsewhere]) opened.close();
  });

  test("another secret ends them all", async () => {
    const make = (secret: string) => createSessions({ db: database.db, changes, users: directory, secret });
    const value = await make("one").start(11, { ip: "192.0.2.1", userAgent: "browser" });
    expect(await make("one").find(value)).toMatchObject({ userId: 11 });
    expect(await make("two").find(value)).toBeNull();
  });

  test("a cached one is in force only as long as its user's version", async () => {
    const sessions = createSessions({ db: database.db, changes, users: directory, secret: "of this test" });
    const value = await sessions.start(12, { ip: "", userAgent: "" });
    expect(await sessions.find(value)).not.toBeNull();
    await database.db.update(users).set({ sessionVersion: 2 }).where(eq(users.id, 12));
    await changes.publish("users", [12]);
    expect(await sessions.find(value)).toBeNull();
    expect(await database.db.select().from(sessionRows).where(eq(sessionRows.userId, 12))).toHaveLength(1);
    sessions.close();
  });
});
