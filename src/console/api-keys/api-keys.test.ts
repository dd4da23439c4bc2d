import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { tokens } from "../../../db/schema/api-keys.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import type { ApiKeyView } from "../../domain/api-keys/api-key-view.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: TestOperations;
beforeAll(async () => {
  app = await startTestOperations();
  await app.settings.set("GroupRatio", '{"default":1,"vip":0.5,"closed":1}');
  await app.settings.set("UserUsableGroups", '{"default":"Default","vip":"VIP","gone":"No longer there"}');
});
afterAll(() => app.close());

const call = async (method: string, path: string, body?: unknown, headers = app.as.user) =>
  (await app.ask(method, path, body, headers)).body;
const create = async (input: object = {}, headers = app.as.user) =>
  (await call("POST", "/api/token/", { name: "ide", remain_quota: 500, ...input }, headers)).data as ApiKeyView;
const read = async (id: number) => (await call("GET", `/api/token/${id}`)).data as ApiKeyView;
/** Changes a row behind the console's back, as calls and time do. */
const age = async (id: number, values: Partial<typeof tokens.$inferInsert>) => {
  await app.db.update(tokens).set(values).where(eq(tokens.id, id));
  await app.changes.publish("tokens", [id]);
};
const tomorrow = () => nowSeconds() + 86_400;

describe("creating", () => {
  test("answers the key in clear, which calls find at once", async () => {
    const expiry = tomorrow();
    const limits = { model_limits_enabled: true, model_limits: "gpt-4o, o1,,gpt-4o", allow_ips: "10.0.0.0/8\n::1" };
    const made = await create({ name: " 编辑器 ", group: "vip", expired_time: expiry, ...limits });
    expect(made).toMatchObject({
      user_id: app.ids.user,
      name: "编辑器",
      status: 1,
      remain_quota: 500,
      used_quota: 0,
      unlimited_quota: false,
      expired_time: expiry,
      model_limits: "gpt-4o,o1",
      allow_ips: "10.0.0.0/8\n::1",
      group: "vip",
    });
    expect(made.key).toMatch(/^[A-Za-z0-9]{48}$/);
    const entry = app.tokens.findByKey(made.key);
    expect(entry).toMatchObject({ id: made.id, userId: app.ids.user, modelLimits: new Set(["gpt-4o", "o1"]) });
    expect(entry?.allowIps?.matches("10.1.2.3")).toBe(true);
    expect(await read(made.id)).toEqual(made);
  });

  test("the database holds neither the key nor anything it could be guessed from", async () => {
    const made = await create();
    const [row] = await app.db.select().from(tokens).where(eq(tokens.id, made.id));
    expect(JSON.stringify(row)).not.toContain(made.key.slice(0, 12));
  });

  test("a count makes so many at once, alike but for key and name, all or none", async () => {
    const { data } = await call("POST", "/api/token/", { name: "bot", remain_quota: 7, count: 100 });
    const made = data as ApiKeyView[];
    expect(made).toHaveLength(100);
    expect(made[0]?.name).toBe("bot");
    expect(made.slice(1).every(({ name }) => /^bot-[a-z0-9]{6}$/.test(name))).toBe(true);
    expect(new Set(made.map(({ key }) => key)).size).toBe(100);
    expect(made.every(({ remain_quota, user_id }) => remain_quota === 7 && user_id === app.ids.user)).toBe(true);
    expect(made.map(({ key }) => app.tokens.findByKey(key)?.id)).toEqual(made.map(({ id }) => id));
    const refused = { name: "x".repeat(24), remain_quota: 7, count: 2 };
    expect(await call("POST", "/api/token/", refused)).toMatchObject({ code: "token_name_too_long" });
    const [one] = (await call("POST", "/api/token/", { name: "one", count: 1 })).data as ApiKeyView[];
    expect(one?.name).toBe("one");
    expect(await call("GET", "/api/token/search?keyword=xxx")).toMatchObject({ data: [], total: 0 });
  });

  test.each([
    [{ count: 0 }, "token_count_invalid"],
    [{ count: 101 }, "token_count_invalid"],
    [{ count: 1.5 }, "token_count_invalid"],
    [{ name: "" }, "token_name_required"],
    [{ name: undefined }, "token_name_required"],
    [{ name: "x".repeat(31) }, "token_name_too_long"],
    [{ remain_quota: -1 }, "token_quota_invalid"],
    [{ remain_quota: 1.5 }, "token_quota_invalid"],
    [{ remain_quota: 1e18 }, "token_quota_invalid"],
    [{ expired_time: 1.5 }, "token_expiry_invalid"],
    [{ expired_time: 1e18 }, "token_expiry_invalid"],
    [{ expired_time: 0 }, "token_expiry_invalid"],
    [{ expired_time: -2 }, "token_expiry_invalid"],
    [{ allow_ips: "10.0.0.1\nnonsense" }, "token_ip_invalid"],
    [{ allow_ips: "10.0.0.0/40" }, "token_ip_invalid"],
    [{ model_limits: "gpt-*,re:[" }, "name_pattern_invalid"],
    [{ requests_per_minute: -1 }, "token_rate_invalid"],
    [{ tokens_per_minute: 0.5 }, "token_rate_invalid"],
    [{ budget_period: "year", budget_quota: 5 }, "token_budget_invalid"],
    [{ budget_period: "day" }, "token_budget_invalid"],
    [{ budget_period: "day", budget_quota: 0 }, "token_budget_invalid"],
    [{ group: "closed" }, "token_group_not_usable"],
    [{ group: "unheard-of" }, "token_group_not_usable"],
    [{ group: "gone" }, "token_group_unknown"],
    [{ model_limits: "m,".repeat(11_000) }, "invalid_request"],
    [{ allow_ips: "10.0.0.1\n".repeat(3000) }, "invalid_request"],
  ])("%o is refused in both languages: %s", async (input, code) => {
    const ask = (language: string) =>
      call(
        "POST",
        "/api/token/",
        { name: "ide", remain_quota: 5, ...input },
        { ...app.as.user, "accept-language": language },
      );
    expect(await ask("en")).toMatchObject({ success: false, code });
    expect((await ask("zh")).message).toMatch(/[\u4e00-\u9fff]/);
  });

  test.each([
    [{ name: "字".repeat(30) }, { name: "字".repeat(30) }],
    [{ remain_quota: 0 }, { remain_quota: 0 }],
    [{ expired_time: -1 }, { expired_time: -1 }],
    [
      { unlimited_quota: true, remain_quota: -7 },
      { unlimited_quota: true, remain_quota: 0 },
    ],
    [{ allow_ips: null }, { allow_ips: "" }],
    [{ model_limits: ["a", "b"] }, { model_limits: "a,b" }],
  ])("%o is taken", async (input, stored) => expect(await create(input)).toMatchObject(stored));
});

describe("lists", () => {
  const names = async (query: string, headers = app.as.root) =>
    ((await call("GET", `/api/token/${query}`, undefined, headers)).data as ApiKeyView[]).map(({ name }) => name);
  let key = "";
  beforeAll(async () => {
    for (const name of ["first", "50%", "500", "under_score"]) {
      const made = await create({ name, ...(name === "500" && { group: "vip" }) }, app.as.root);
      if (name === "first") ({ key } = made);
    }
  });

  test("the owner's own, newest first, with the total next to the array", async () => {
    expect(await call("GET", "/api/token/?p=0&size=2", undefined, app.as.root)).toMatchObject({
      total: 4,
      page: 0,
      page_size: 2,
      data: [{ name: "under_score" }, { name: "500" }],
    });
    expect(await names("?p=1&size=2")).toEqual(["50%", "first"]);
    expect(await names("?p=1&page_size=3")).toEqual(["first"]);
    expect(await names("?p=&size=")).toHaveLength(4);
  });

  test.each([
    ["FIRST", ["first"]],
    ["50%25", ["50%"]],
    ["_", ["under_score"]],
    ["\\", []],
    ["0", ["500", "50%"]],
  ])("search for %s", async (keyword, expected) => expect(await names(`search?keyword=${keyword}`)).toEqual(expected));

  test("by group and status", async () => {
    expect(await names("?group=vip")).toEqual(["500"]);
    expect(await names("?status=2")).toEqual([]);
    expect(await names("?status=1")).toHaveLength(4);
  });

  test.each([
    ["sort=name&order=asc&keyword=5", ["50%", "500"]],
    ["sort=group", ["500", "under_score", "50%", "first"]],
    ["sort=id&order=asc", ["first", "50%", "500", "under_score"]],
    ["order=remain_quota", ["under_score", "500", "50%", "first"]],
  ])("sorted: %s", async (query, expected) => expect(await names(`?${query}`)).toEqual(expected));

  test("a key that never expires does so last, and nothing else sorts", async () => {
    const { id } = await create({ name: "short-lived", expired_time: tomorrow() }, app.as.root);
    expect((await names("?sort=expired_time&order=asc"))[0]).toBe("short-lived");
    expect((await names("?sort=expired_time")).at(-1)).toBe("short-lived");
    await call("DELETE", `/api/token/${id}/`, undefined, app.as.root);
    expect((await app.ask("GET", "/api/token/?sort=key_hash", undefined, app.as.root)).status).toBe(400);
  });

  test("by the whole key, with and without sk-, and by nobody else's", async () => {
    expect(await names(`search?token=${key}`)).toEqual(["first"]);
    expect(await names(`search?token=sk-${key}`)).toEqual(["first"]);
    expect(await names(`search?token=${key.slice(0, 20)}`)).toEqual([]);
    expect(await names(`search?token=sk-${key}`, app.as.user)).toEqual([]);
  });
});

describe("nobody reaches another's key", () => {
  test.each(["other", "admin", "root"] as const)("%s", async (person) => {
    const mine = await create();
    const headers = app.as[person];
    const id = mine.id;
    expect(await call("GET", `/api/token/${id}`, undefined, headers)).toMatchObject({ code: "token_not_found" });
    expect(await call("PUT", "/api/token/", { id, name: "theirs" }, headers)).toMatchObject({
      code: "token_not_found",
    });
    const off = await call("PUT", "/api/token/?status_only=true", { id, status: 2 }, headers);
    expect(off).toMatchObject({ code: "token_not_found" });
    expect(await call("DELETE", `/api/token/${id}/`, undefined, headers)).toMatchObject({ code: "token_not_found" });
    const list = await call("GET", `/api/token/?user_id=${app.ids.user}&size=100`, undefined, headers);
    expect((list.data as ApiKeyView[]).every(({ user_id: owner }) => owner === app.ids[person])).toBe(true);
    expect(await read(id)).toEqual(mine);
  });

  test("a body cannot name another owner", async () => {
    expect((await create({ user_id: app.ids.other })).user_id).toBe(app.ids.user);
    const mine = await create();
    const put = { id: mine.id, user_id: app.ids.other, key: "k", used_quota: 0, status: 2 };
    expect((await call("PUT", "/api/token/", put)).data).toEqual(mine);
  });

  test.each([
    ["GET", "/api/token/"],
    ["GET", "/api/token/search"],
    ["GET", "/api/token/1"],
    ["POST", "/api/token/"],
    ["PUT", "/api/token/"],
    ["DELETE", "/api/token/1"],
  ])("%s %s needs a login", async (method, path) => expect((await app.ask(method, path)).status).toBe(401));
});

describe("changing", () => {
  test("only what is sent changes", async () => {
    const mine = await create({ allow_ips: "10.0.0.1", group: "vip" });
    expect((await call("PUT", "/api/token/", { id: mine.id, name: "new" })).data).toEqual({ ...mine, name: "new" });
    expect((await call("PUT", "/api/token/", { id: mine.id })).data).toEqual({ ...mine, name: "new" });
    expect(app.tokens.get(mine.id)?.name).toBe("new");
  });

  test("an expiry in the past ends the key at once", async () => {
    expect(await create({ expired_time: 1000 })).toMatchObject({ status: 3, expired_time: 1000 });
    const mine = await create();
    const { data } = await call("PUT", "/api/token/", { id: mine.id, expired_time: 1000 });
    expect(data).toMatchObject({ status: 3, expired_time: 1000 });
    expect(app.tokens.get(mine.id)?.status).toBe(3);
  });

  test("what is set aside for running calls stays set aside", async () => {
    const mine = await create({ remain_quota: 500 });
    await age(mine.id, { held: 120 });
    await call("PUT", "/api/token/", { id: mine.id, remain_quota: 1000 });
    const [row] = await app.db.select().from(tokens).where(eq(tokens.id, mine.id));
    expect(row).toMatchObject({ remainQuota: 1000, held: 120 });
  });

  test.each([
    [{ name: " " }, "token_name_required"],
    [{ remain_quota: -1 }, "token_quota_invalid"],
    [{ expired_time: 0 }, "token_expiry_invalid"],
    [{ allow_ips: "x" }, "token_ip_invalid"],
    [{ group: "closed" }, "token_group_not_usable"],
  ])("%o is refused and changes nothing", async (input, code) => {
    const mine = await create();
    expect(await call("PUT", "/api/token/", { id: mine.id, model_limits: "m", ...input })).toMatchObject({ code });
    expect(await read(mine.id)).toEqual(mine);
  });

  test.each([
    ["expired", { status: 3, expiredTime: 1000 }, "token_expired_cannot_enable", { expired_time: -1 }],
    ["expired, unnoticed", { status: 2, expiredTime: 1000 }, "token_expired_cannot_enable", null],
    ["exhausted", { status: 4, remainQuota: 0 }, "token_exhausted_cannot_enable", { remain_quota: 5 }],
    ["exhausted", { status: 4, remainQuota: 0 }, "token_exhausted_cannot_enable", { unlimited_quota: true }],
  ])("a key that is %s is enabled only once that is fixed", async (_, values, code, fix) => {
    const { id } = await create();
    await age(id, values);
    const enable = () => call("PUT", "/api/token/?status_only=1", { id, status: 1 });
    expect(await enable()).toMatchObject({ code });
    expect(app.tokens.get(id)?.status).toBe(values.status);
    if (!fix) return;
    // The form sends the old expiry along: that is no new one.
    expect(
      await call("PUT", "/api/token/", { id, name: "same", expired_time: (await read(id)).expired_time }),
    ).toMatchObject({
      success: true,
      data: { status: values.status },
    });
    expect((await call("PUT", "/api/token/", { id, ...fix })).data).toMatchObject({ status: 1 });
    expect(app.tokens.get(id)?.status).toBe(1);
  });

  test("a key that was switched off stays off however it is edited", async () => {
    const { id } = await create();
    expect((await call("PUT", "/api/token/?status_only=true", { id, status: 2 })).data).toMatchObject({ status: 2 });
    expect((await call("PUT", "/api/token/", { id, remain_quota: 9 })).data).toMatchObject({ status: 2 });
    expect((await call("PUT", "/api/token/?status_only=true", { id, status: 1 })).data).toMatchObject({ status: 1 });
    expect(await call("PUT", "/api/token/?status_only=true", { id, status: 4 })).toMatchObject({
      code: "token_status_invalid",
    });
  });

  test("a deleted key is refused at once and cannot be found again", async () => {
    const { id, key } = await create();
    expect((await call("DELETE", `/api/token/${id}/`)).success).toBe(true);
    expect(app.tokens.findByKey(key)).toBeUndefined();
    expect(await call("GET", `/api/token/${id}`)).toMatchObject({ code: "token_not_found" });
    expect(await call("DELETE", `/api/token/${id}`)).toMatchObject({ code: "token_not_found" });
  });
});

describe("limits of a key", () => {
  test("calls find them, zero takes them away", async () => {
    const limits = { strict: true, requests_per_minute: 60, tokens_per_minute: 100_000 };
    const { id, key } = await create(limits);
    expect(await read(id)).toMatchObject(limits);
    expect(app.tokens.findByKey(key)).toMatchObject({ strict: true, requestsPerMinute: 60, tokensPerMinute: 100_000 });
    await call("PUT", "/api/token/", { id, strict: false, requests_per_minute: 0 });
    expect(app.tokens.get(id)).toMatchObject({ strict: false, requestsPerMinute: 0, tokensPerMinute: 100_000 });
  });

  test("a budget is the quota of a key, whatever else a form says", async () => {
    const made = await create({ budget_period: "day", budget_quota: 900, unlimited_quota: true, remain_quota: 5 });
    expect(made).toMatchObject({ budget_period: "day", budget_quota: 900, remain_quota: 900, unlimited_quota: false });
    expect(made.budget_renews_at).toBeGreaterThan(nowSeconds());
    expect(made.budget_renews_at - nowSeconds()).toBeLessThanOrEqual(86_400);
    expect(app.tokens.get(made.id)?.budgetRenewsAt).toBe(made.budget_renews_at);
    await call("PUT", "/api/token/", { id: made.id, remain_quota: 10_000, unlimited_quota: true });
    expect(await read(made.id)).toEqual(made);
  });

  test("another amount keeps what was spent of the period, another period restarts, none leaves what is left", async () => {
    const { id } = await create({ budget_period: "week", budget_quota: 1000 });
    await age(id, { remainQuota: 400 });
    const put = async (input: object) => (await call("PUT", "/api/token/", { id, ...input })).data as ApiKeyView;
    expect(await put({ budget_quota: 1500 })).toMatchObject({ remain_quota: 900, budget_quota: 1500 });
    expect(await put({ budget_quota: 100 })).toMatchObject({ remain_quota: 0, status: 4 });
    expect(await put({ budget_period: "month" })).toMatchObject({ remain_quota: 100, status: 1 });
    await age(id, { remainQuota: 40 });
    const without = await put({ budget_period: "" });
    expect(without).toMatchObject({ remain_quota: 40, budget_period: "", budget_quota: 0, budget_renews_at: 0 });
    expect(await put({ budget_period: "", remain_quota: 77 })).toMatchObject({ remain_quota: 77 });
  });

  test("a key shows that it has no quota, and works again with some; a disabled one stays so", async () => {
    const { id, status } = await create({ remain_quota: 0 });
    expect(status).toBe(4);
    const put = async (input: object) => (await call("PUT", "/api/token/", { id, ...input })).data as ApiKeyView;
    expect(await put({ remain_quota: 5 })).toMatchObject({ status: 1 });
    expect(app.tokens.get(id)?.status).toBe(1);
    expect(await put({ remain_quota: 0 })).toMatchObject({ status: 4 });
    expect(await put({ unlimited_quota: true })).toMatchObject({ status: 1 });
    await call("PUT", "/api/token/?status_only=true", { id, status: 2 });
    expect(await put({ unlimited_quota: false, remain_quota: 0 })).toMatchObject({ status: 2 });
  });

  test("a key that is used up works again with a greater budget", async () => {
    const { id } = await create({ budget_period: "day", budget_quota: 10 });
    await age(id, { remainQuota: 0, status: 4 });
    expect((await call("PUT", "/api/token/", { id, budget_quota: 30 })).data).toMatchObject({
      status: 1,
      remain_quota: 20,
    });
  });
});

describe("rotating", () => {
  const rotate = (id: number, seconds: number, headers = app.as.user) =>
    call("POST", `/api/token/${id}/rotate`, { grace_seconds: seconds }, headers);

  test("the old key works until its time is over, the new one at once", async () => {
    const { id, key } = await create();
    const after = (await rotate(id, 3600)).data as ApiKeyView;
    expect(after.key).toMatch(/^[A-Za-z0-9]{48}$/);
    expect(after.key).not.toBe(key);
    expect(after.previous_key_until - nowSeconds()).toBeGreaterThan(3590);
    for (const known of [key, after.key]) expect(app.tokens.findByKey(known)?.id).toBe(id);
    await age(id, { previousKeyUntil: nowSeconds() });
    expect(app.tokens.findByKey(key)).toBeUndefined();
    expect(app.tokens.findByKey(after.key)?.id).toBe(id);
  });

  test("without a grace period the old key ends now; a second rotation ends the first one's", async () => {
    const { id, key } = await create();
    const second = ((await rotate(id, 60)).data as ApiKeyView).key;
    const third = ((await rotate(id, 0)).data as ApiKeyView).key;
    expect([key, second, third].map((known) => app.tokens.findByKey(known)?.id)).toEqual([undefined, undefined, id]);
    await call("DELETE", `/api/token/${id}/`);
    expect(app.tokens.findByKey(third)).toBeUndefined();
  });

  test("not somebody else's, and not for ever", async () => {
    const mine = await create();
    expect(await rotate(mine.id, 60, app.as.root)).toMatchObject({ code: "token_not_found" });
    expect(await rotate(mine.id, 31 * 86_400)).toMatchObject({ code: "token_grace_invalid" });
    expect(await rotate(mine.id, -1)).toMatchObject({ success: false });
    expect(await read(mine.id)).toEqual(mine);
    expect((await app.ask("POST", `/api/token/${mine.id}/rotate`, { grace_seconds: 1 })).status).toBe(401);
  });
});
