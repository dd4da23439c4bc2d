import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import { redemptionCodes } from "../../../db/schema/wallet/codes.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { redemptionRoutes } from "./codes.ts";

let app: TestConsole;
let user: Record<string, string>;
let admin: Record<string, string>;
let adminId: number;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => redemptionRoutes(services, guarded));
  await app.addUser("user");
  adminId = await app.addUser("admin", "admin");
  user = await app.login("user");
  admin = await app.login("admin");
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.db.delete(redemptionCodes);
});

const call = async (method: string, path: string, body?: unknown, headers = admin) =>
  (await app.ask(method, `/api/redemption/${path}`, body, headers)).body;
const create = async (fields: object = {}) =>
  (await call("POST", "", { name: "spring", quota: 500, ...fields })).data as string[];
const rows = () => app.db.select().from(redemptionCodes).orderBy(redemptionCodes.id);
const firstId = async () => (await rows())[0]?.id ?? 0;

describe("creating", () => {
  test("a batch has as many different keys as requested, and a line in the log", async () => {
    const keys = await create({ count: 100 });
    expect(new Set(keys).size).toBe(100);
    expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true);
    expect((await rows())[0]).toMatchObject({ status: 1, quota: 500, isGift: false, maxUses: -1, userId: adminId });
    const [row] = await app.db.select().from(logs).where(eq(logs.type, 3)).limit(1);
    expect(row).toMatchObject({ userId: adminId, content: "Created 100 redemption codes named spring" });
  });

  test("a key of one's choice makes one gift code with so many uses, and is never issued twice", async () => {
    const fields = { key: " WELCOME ", count: 1, is_gift: true, max_uses: 3, valid_from: 10, valid_until: 20 };
    expect(await create(fields)).toEqual(["WELCOME"]);
    expect(await rows()).toMatchObject([{ key: "WELCOME", isGift: true, maxUses: 3, validFrom: 10, validUntil: 20 }]);
    const again = await call("POST", "", { name: "x", quota: 1, key: "WELCOME" });
    expect(again).toMatchObject({ success: false, code: "code_key_taken" });
  });

  test.each([
    [{ name: "n".repeat(21) }, "code_name_length"],
    [{ quota: 0 }, "code_quota_invalid"],
    [{ quota: 1.5 }, "code_quota_invalid"],
    [{ count: 0 }, "code_count_invalid"],
    [{ count: 101 }, "code_count_invalid"],
    [{ key: "OWN", count: 2 }, "code_key_single"],
    [{ is_gift: true, max_uses: 0 }, "code_max_uses_invalid"],
    [{ valid_from: 20, valid_until: 20 }, "code_window_invalid"],
    [{ valid_from: -1 }, "code_time_invalid"],
    [{ key: "two words" }, "code_key_invalid"],
  ])("%p is refused", async (fields, code) => {
    expect(await call("POST", "", { name: "spring", quota: 500, ...fields })).toMatchObject({ success: false, code });
    expect(await rows()).toHaveLength(0);
  });

  test.each([[" "], [""], [undefined]])("a name that is %p becomes what the code is worth", async (name) => {
    expect(await create({ name, quota: 750_000 })).toHaveLength(1);
    expect(await rows()).toMatchObject([{ name: "$1.5", quota: 750_000 }]);
    const id = await firstId();
    expect(await call("PUT", "", { id, name: "spring" })).toMatchObject({ data: { name: "spring" } });
    expect(await call("PUT", "", { id, name: " ", quota: 1_000_000 })).toMatchObject({ data: { name: "$2" } });
    expect(await call("PUT", "", { id, quota: 500_000 })).toMatchObject({ data: { name: "$2", quota: 500_000 } });
  });

  test("names count characters, not bytes", async () => {
    expect(await create({ name: "春".repeat(20) })).toHaveLength(1);
  });
});

describe("lists", () => {
  beforeEach(async () => {
    await create({ name: "b", quota: 300, valid_until: 4_000_000_000 });
    await create({ name: "a", quota: 100 });
    await create({ name: "=c", quota: 300, is_gift: true, valid_until: 3_900_000_000 });
  });
  const names = async (query: string) =>
    ((await call("GET", `?${query}`)).data as { items: { name: string }[] }).items.map(({ name }) => name);

  test("newest first unless sorted", async () => {
    expect(await names("")).toEqual(["=c", "a", "b"]);
    expect(await names("sort=id&order=asc")).toEqual(["b", "a", "=c"]);
    expect(await names("sort=quota")).toEqual(["=c", "b", "a"]);
    expect(await names("sort=quota&order=asc&type=code")).toEqual(["a", "b"]);
    expect(await names("sort=valid_until&order=asc")).toEqual(["=c", "b", "a"]);
    expect((await app.ask("GET", "/api/redemption/?sort=key", undefined, admin)).status).toBe(400);
  });

  test("as CSV: those that fit, and no name is a formula", async () => {
    const { text, headers } = await app.ask("GET", "/api/redemption/export", undefined, admin);
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="codes-[\d-]+\.csv"$/);
    const lines = text.trim().split("\r\n");
    expect(lines[0]).toBe(
      "id,name,key,status,quota,is_gift,max_uses,used_count,valid_from,valid_until,created_time,redeemed_time,used_user_id,used_username,plan_name,quota_usd",
    );
    expect(lines).toHaveLength(4);
    expect(lines[3]).toContain(",'=c,");
    const gifts = await app.ask("GET", "/api/redemption/export?type=gift", undefined, admin);
    expect(gifts.text.trim().split("\r\n")).toHaveLength(2);
    const refused = await app.ask("GET", "/api/redemption/export", undefined, user);
    expect(refused.body.code).toBe("permission_denied");
  });
});

describe("changing", () => {
  test("name, quota and window of an unused code; nothing else", async () => {
    await create();
    const id = await firstId();
    const changed = await call("PUT", "", {
      id,
      name: "summer",
      quota: 7,
      valid_until: 99,
      key: "hacked",
      is_gift: true,
    });
    expect(changed.data).toMatchObject({ name: "summer", quota: 7, valid_until: 99, is_gift: false });
    expect((changed.data as { key: string }).key).not.toBe("hacked");
    expect(await call("PUT", "", { id, valid_from: 100 })).toMatchObject({ code: "code_window_invalid" });
    await app.db.update(redemptionCodes).set({ status: 3 });
    expect(await call("PUT", "", { id, quota: 9 })).toMatchObject({ code: "code_not_editable" });
    expect(await call("PUT", "", { id: 999_999, quota: 9 })).toMatchObject({ code: "code_not_found" });
  });

  test("the status goes to and fro, and never away from used", async () => {
    await create();
    const id = await firstId();
    const set = (status: number) => call("PUT", "?status_only=true", { id, status, quota: 1 });
    expect((await set(2)).data).toMatchObject({ status: 2, quota: 500 });
    expect((await set(1)).data).toMatchObject({ status: 1 });
    expect(await set(3)).toMatchObject({ code: "code_status_invalid" });
    await app.db.update(redemptionCodes).set({ status: 3 });
    expect(await set(1)).toMatchObject({ code: "code_is_used" });
    expect(await set(2)).toMatchObject({ code: "code_is_used" });
  });

  test("batch-disable counts what it disabled", async () => {
    await create({ count: 3 });
    const ids = (await rows()).map(({ id }) => id);
    await app.db
      .update(redemptionCodes)
      .set({ status: 3 })
      .where(eq(redemptionCodes.id, ids[0] ?? 0));
    expect((await call("PUT", "batch-disable", { ids })).data).toBe(2);
    expect((await rows()).map(({ status }) => status)).toEqual([3, 2, 2]);
  });
});

describe("deleting", () => {
  test("by name, counted first, and only of exactly that name", async () => {
    await create({ count: 2 });
    await create({ name: "spring 2" });
    expect((await call("GET", "count-by-name?name=spring")).data).toBe(2);
    expect((await call("DELETE", "delete-by-name?name=spring")).data).toBe(2);
    expect((await call("GET", "count-by-name?name=spring")).data).toBe(0);
    expect((await call("GET", "")).data).toMatchObject({ total: 1, items: [{ name: "spring 2" }] });
    expect(await call("DELETE", "delete-by-name?name=%20")).toMatchObject({ code: "code_name_required" });
  });

  test("the disabled ones, and one", async () => {
    await create({ count: 3 });
    const ids = (await rows()).map(({ id }) => id);
    await call("PUT", "batch-disable", { ids: ids.slice(0, 2) });
    expect((await call("DELETE", "delete-disabled")).data).toBe(2);
    expect(await call("DELETE", `${ids[2]}/`)).toMatchObject({ success: true });
    expect(await call("DELETE", `${ids[2]}/`)).toMatchObject({ code: "code_not_found" });
    expect((await call("GET", "")).data).toMatchObject({ total: 0, items: [] });
  });
});

describe("lists", () => {
  test("pages from 1, and searches by the beginning of the name or the id", async () => {
    await create({ count: 3 });
    await create({ name: "100% off" });
    expect((await call("GET", "?p=2&page_size=3")).data).toMatchObject({ page: 2, page_size: 3, total: 4 });
    expect((await call("GET", "search?keyword=100%25")).data).toMatchObject({ total: 1 });
    expect((await call("GET", "search?keyword=%25")).data).toMatchObject({ total: 0 });
    expect((await call("GET", `search?keyword=${await firstId()}`)).data).toMatchObject({ total: 1 });
    expect((await call("GET", "?status=2")).data).toMatchObject({ total: 0 });
    expect((await call("GET", "?type=gift")).data).toMatchObject({ total: 0 });
    expect((await call("GET", `${await firstId()}/uses`)).data).toMatchObject({ total: 0, items: [] });
  });
});

test.each([
  ["GET", ""],
  ["GET", "search"],
  ["GET", "count-by-name?name=x"],
  ["GET", "1"],
  ["GET", "1/uses"],
  ["POST", ""],
  ["PUT", ""],
  ["PUT", "batch-disable"],
  ["DELETE", "delete-disabled"],
  ["DELETE", "delete-by-name?name=x"],
  ["DELETE", "1"],
])("%s /%s is for administrators", async (method, path) => {
  expect(await call(method, path, method === "GET" || method === "DELETE" ? undefined : {}, user)).toMatchObject({
    code: "permission_denied",
  });
  expect((await app.ask(method, `/api/redemption/${path}`)).status).toBe(401);
});
