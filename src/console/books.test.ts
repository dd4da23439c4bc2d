import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { redemptionCodes } from "../../db/schema/codes.ts";
import { usageRollups } from "../../db/schema/logs.ts";
import { users } from "../../db/schema/users.ts";
import { BOOKS, type BookSlice } from "../billing/books/check-books.ts";
import { nowSeconds } from "../lib/clock.ts";
import { bookRoutes } from "./books.ts";
import { startTestConsole, type TestConsole } from "./testing.ts";

let app: TestConsole;
let root: Record<string, string>;
let userId: number;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => bookRoutes(services, guarded));
  userId = await app.addUser("ann");
  await app.addUser("root", "root");
  root = await app.login("root");
});
afterAll(() => app.close());

const check = async (book: string, query = "") =>
  (await app.ask("GET", `/api/books/${book}${query}`, undefined, root)).body.data as BookSlice;
const hour = nowSeconds() - (nowSeconds() % 3600);
const rollUp = (quota: number, uncovered = 0) =>
  app.db.insert(usageRollups).values({
    ...{ hour, userId, username: "ann", tokenId: 0, tokenName: "", channelId: 0, modelName: "m", group: "default" },
    ...{ quota, uncovered, count: 1 },
  });

test("books of a new site are right", async () => {
  for (const book of BOOKS) expect(await check(book)).toMatchObject({ wrong: [], next: null });
  expect((await check("hours")).checked).toBeGreaterThanOrEqual(24);
});

test("a sum that is off by one unit is shown, with both sides", async () => {
  await rollUp(100, 7);
  await app.db.update(users).set({ usedQuota: 99 }).where(sql`${users.id} = ${userId}`);
  const wrong = [{ id: userId, name: "ann", kept: 99, added: 100 }];
  expect(await check("users")).toMatchObject({ wrong });
  expect(await check("users", `?after=${userId}`)).toMatchObject({ wrong: [] });
  expect(await check("hours")).toMatchObject({ wrong: [{ id: hour, kept: 100, added: 0 }] });
  await app.db.update(users).set({ usedQuota: 100, held: 5 });
  expect((await check("users")).wrong.filter(({ id }) => id === userId)).toEqual([]);
  expect((await check("holds")).wrong[0]).toMatchObject({ kept: 5, added: 0 });
  expect((await app.ask("GET", "/api/books/", undefined, root)).body.data).toMatchObject({ uncovered: 7 });
});

test("a used code without a use is shown", async () => {
  await app.db.insert(redemptionCodes).values({ key: "k", name: "spring", quota: 1, status: 3, createdTime: 1 });
  expect(await check("codes")).toMatchObject({ wrong: [{ name: "spring", kept: 1, added: 0 }] });
});

test("is for super admins", async () => {
  await app.addUser("admin", "admin");
  const admin = await app.login("admin");
  for (const path of ["", "users"]) {
    expect((await app.ask("GET", `/api/books/${path}`, undefined, admin)).body.code).toBe("permission_denied");
    expect((await app.ask("GET", `/api/books/${path}`)).status).toBe(401);
  }
  expect((await app.ask("GET", "/api/books/secrets", undefined, root)).status).toBe(400);
});
