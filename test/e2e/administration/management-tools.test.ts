/** A tool that was written for the ecosystem's management API: its token, its headers, its paths, what it reads of answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApiKey, createChannel } from "../../support/e2e/console-client.ts";
import {
  type FakeUpstream,
  type Gateway,
  type Session,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../support/e2e/fixture.ts";

const HEADERS = [
  "New-API-User",
  "Veloera-User",
  "User-id",
  "X-Api-User",
  "X-User-Id",
  "voapi-user",
  "Rix-Api-User",
  "neo-api-user",
];
const STATUS_KEYS =
  `version start_time email_verification github_oauth github_client_id linuxdo_oauth linuxdo_client_id telegram_oauth
  telegram_bot_name system_name logo footer_html wechat_qrcode wechat_login server_address price min_topup turnstile_check
  turnstile_site_key top_up_link docs_link quota_per_unit display_in_currency enable_batch_update enable_drawing enable_task
  enable_data_export data_export_default_time default_collapse_sidebar enable_online_topup mj_notify_enabled chats
  demo_site_enabled self_use_mode_enabled oidc_enabled oidc_client_id oidc_authorization_endpoint setup check_in_enabled`.split(
    /\s+/,
  );

// biome-ignore lint/suspicious/noExplicitAny: a tool reads answers of every shape
type Answer = { status: number; body: any };

let upstream: FakeUpstream;
let gateway: Gateway;
let root: Session;
let accessToken: string;

/** Calls as such tools do: the bare token, the user's id in the most common header; never following a redirect. */
async function call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer> {
  const reply = await fetch(gateway.url + path, {
    method,
    redirect: "manual",
    headers: {
      ...(headers ?? { authorization: accessToken, "New-API-User": String(root.userId) }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}
/** The answer's data; fails when the envelope is not that of success. */
async function data(method: string, path: string, body?: object) {
  const answer = await call(method, path, body);
  expect({ path, ...answer }).toMatchObject({
    path,
    status: 200,
    body: { success: true, message: expect.any(String) },
  });
  return answer.body.data;
}

beforeAll(async () => {
  upstream = startFakeUpstream();
  gateway = await startGateway();
  root = await setUp(gateway);
  accessToken = await root.get("/api/user/token");
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

describe("who asks", () => {
  test("is given as the bare token or as a bearer, and the id in any header of the family", async () => {
    for (const name of HEADERS) {
      for (const authorization of [accessToken, `Bearer ${accessToken}`]) {
        const answer = await call("GET", "/api/user/self", undefined, { authorization, [name]: String(root.userId) });
        expect([name, answer.body.data?.id]).toEqual([name, root.userId]);
      }
    }
  });

  test("is refused with 401 without a credential, with a session alone, with another's or with two that differ", async () => {
    const id = String(root.userId);
    for (const headers of [
      {},
      { cookie: root.cookie },
      { authorization: accessToken, "New-API-User": "4711" },
      { authorization: accessToken, "New-API-User": id, "Veloera-User": "4711" },
    ] as Record<string, string>[]) {
      const { status, body } = await call("GET", "/api/user/self", undefined, headers);
      expect([status, body.success]).toEqual([401, false]);
    }
  });

  test("finds out the site's family from the message to whoever sends a session alone", async () => {
    const { status, body } = await call("GET", "/api/user/self", undefined, { cookie: root.cookie });
    expect(status).toBe(401);
    expect(body.message).toMatch(/Veloera-User|New-Api-User/i);
  });
});

describe("lists", () => {
  test.each([
    "/api/user/",
    "/api/user/search?keyword=root",
    "/api/redemption/",
    "/api/redemption/search?keyword=x",
    "/api/log/",
    "/api/log/self/",
  ])("%s begins at page 1 and has the total", async (path) => {
    const join = path.includes("?") ? "&" : "?";
    const page = await data("GET", `${path}${join}p=1&page_size=5`);
    expect(page).toMatchObject({ items: expect.any(Array), total: expect.any(Number), page: 1, page_size: 5 });
    expect(await data("GET", path)).toMatchObject({ page: 1, page_size: 10 });
    expect((await data("GET", `${path}${join}p=1&page_size=5000`)).page_size).toBeLessThanOrEqual(100);
  });

  test.each([
    "/api/channel/",
    "/api/channel/search?keyword=x",
    "/api/token/",
    "/api/token/search?keyword=x",
    "/api/mj/",
    "/api/mj/self",
    "/api/task/",
    "/api/task/self",
    "/api/log/search?keyword=2",
    "/api/log/self/search?keyword=x",
  ])("%s is a bare list", async (path) => {
    expect(await data("GET", path)).toBeArray();
  });

  test("paths mean the same with and without a slash at the end", async () => {
    for (const path of ["/api/user", "/api/channel", "/api/token", "/api/redemption", "/api/log", "/api/log/self"]) {
      for (const slash of ["", "/"])
        expect([path + slash, (await call("GET", path + slash)).status]).toEqual([path + slash, 200]);
    }
  });
});

describe("the public calls", () => {
  test("return the site's status with every key of the ecosystem", async () => {
    const { body } = await call("GET", "/api/status", undefined, {});
    expect(STATUS_KEYS.filter((key) => !(key in body.data))).toEqual([]);
  });

  test("give texts, set-up, groups and prices in their shapes", async () => {
    for (const path of ["/api/notice", "/api/about", "/api/home_page_content"]) {
      expect((await call("GET", path, undefined, {})).body.data).toBeString();
    }
    expect((await call("GET", "/api/setup", undefined, {})).body.data).toMatchObject({ status: true });
    const groups = (await call("GET", "/api/user/groups", undefined, {})).body.data;
    expect(groups.default).toMatchObject({ ratio: expect.anything(), desc: expect.any(String) });
    const { body } = await call("GET", "/api/pricing", undefined, {});
    expect(body).toMatchObject({ data: expect.any(Array), group_ratio: {}, usable_group: {} });
  });
});

describe("administration", () => {
  test("of users: made, found, changed, managed, removed", async () => {
    await data("POST", "/api/user/", { username: "tool-user", password: "a long phrase", display_name: "Tool" });
    const [found] = (await data("GET", "/api/user/search?keyword=tool-user&group=&p=1&page_size=10")).items;
    expect(found).toMatchObject({ username: "tool-user", role: 1, status: 1, DeletedAt: null, group: "default" });
    expect(JSON.stringify(found)).not.toMatch(/access_token":"[^"]|password":"[^"]/);
    await data("PUT", "/api/user/", { ...found, display_name: "Other", quota: 4242 });
    expect(await data("GET", `/api/user/${found.id}`)).toMatchObject({ display_name: "Other", quota: 4242 });
    const manage = (action: string) => data("POST", "/api/user/manage", { id: found.id, action });
    expect(await manage("promote")).toMatchObject({ role: 10, status: 1 });
    expect(await manage("demote")).toMatchObject({ role: 1 });
    expect(await manage("disable")).toMatchObject({ status: 2 });
    expect(await manage("enable")).toMatchObject({ status: 1 });
    expect((await call("POST", "/api/user/manage", { id: found.id, action: "dance" })).body.success).toBe(false);
    await data("DELETE", `/api/user/${found.id}`);
    expect(
      (await data("GET", "/api/user/")).items.find(({ id }: { id: number }) => id === found.id).DeletedAt,
    ).not.toBeNull();
  });

  test("of options: a list of texts, saved one by one, ratios reset", async () => {
    const options: { key: string; value: string }[] = await data("GET", "/api/option/");
    for (const { key, value } of options) expect([key, typeof value]).toEqual([key, "string"]);
    await data("PUT", "/api/option/", { key: "RetryTimes", value: "3" });
    expect(await data("GET", "/api/option/")).toContainEqual({ key: "RetryTimes", value: "3" });
    expect((await call("PUT", "/api/option/", { key: "NoSuchOption", value: "1" })).body.success).toBe(false);
    await data("POST", "/api/option/rest_model_ratio");
    expect(await data("GET", "/api/group/")).toContain("default");
  });

  test("of channels: both forms of making one, status alone, tests, tags, clean-up", async () => {
    const channel = { type: 1, key: "sk-upstream-key", base_url: upstream.url, models: "gpt-4o", group: "default" };
    await data("POST", "/api/channel/", { ...channel, name: "plain" });
    await data("POST", "/api/channel/", {
      mode: "single",
      channel: { ...channel, name: "wrapped", groups: ["default"] },
    });
    const [plain] = await data("GET", "/api/channel/search?keyword=plain&group=&model=");
    expect(plain).toMatchObject({ name: "plain", key: "", status: 1, response_time: 0, models: "gpt-4o" });
    expect(await data("PUT", "/api/channel/", { id: plain.id, status: 2 })).toMatchObject({ status: 2, name: "plain" });
    await data("PUT", "/api/channel/", { id: plain.id, status: 1 });
    const tried = await call("GET", `/api/channel/test/${plain.id}?model=gpt-4o`);
    expect(tried.body).toMatchObject({ success: true, message: expect.any(String), time: expect.any(Number) });
    expect(await data("GET", `/api/channel/fetch_models/${plain.id}`)).toContain("gpt-4o");
    expect(await data("POST", "/api/channel/fetch_models", channel)).toContain("gpt-4o");
    expect(await data("GET", "/api/channel/models_enabled")).toContain("gpt-4o");
    expect((await data("GET", "/api/channel/models"))[0]).toMatchObject({ id: expect.any(String) });
    expect((await data("GET", "/api/models"))["1"]).toContain("gpt-4o");
    expect(await data("POST", "/api/channel/batch/tag", { ids: [plain.id], tag: "blue" })).toBe(1);
    await data("PUT", "/api/channel/tag", { tag: "blue", new_tag: "green", priority: 4 });
    await data("POST", "/api/channel/tag/disabled", { tag: "green" });
    expect(await data("GET", `/api/channel/${plain.id}`)).toMatchObject({ tag: "green", priority: 4, status: 2 });
    await data("POST", "/api/channel/tag/enabled", { tag: "green" });
    expect(await data("POST", "/api/channel/fix")).toBeNumber();
    await data("PUT", "/api/channel/", { id: plain.id, status: 2 });
    expect(await data("DELETE", "/api/channel/disabled")).toBe(1);
    const [wrapped] = await data("GET", "/api/channel/?p=0&page_size=10&id_sort=true");
    expect(wrapped.name).toBe("wrapped");
    expect(await data("POST", "/api/channel/batch", { ids: [wrapped.id] })).toBe(1);
    const last = await createChannel(root, upstream.url, ["gpt-4o"]);
    await data("DELETE", `/api/channel/${last}/`);
    expect((await call("GET", `/api/channel/${last}`)).body.success).toBe(false);
  });

  test("of codes: a list of keys, counted and removed", async () => {
    const keys: string[] = await data("POST", "/api/redemption/", { name: "tool", quota: 500, count: 3 });
    expect(keys).toHaveLength(3);
    const { items } = await data("GET", "/api/redemption/search?keyword=tool&p=1&page_size=10");
    const ids = items.map(({ id }: { id: number }) => id);
    expect(items[0]).toMatchObject({
      name: "tool",
      quota: 500,
      status: 1,
      used_user_id: 0,
      valid_from: 0,
      valid_until: 0,
    });
    await data("PUT", "/api/redemption/?status_only=true", { id: ids[0], status: 2 });
    expect(await data("PUT", "/api/redemption/batch-disable", { ids })).toBe(2);
    expect(await data("GET", "/api/redemption/count-by-name?name=tool")).toBe(3);
    await data("DELETE", `/api/redemption/${ids[0]}/`);
    expect(await data("DELETE", "/api/redemption/delete-disabled")).toBe(2);
    expect(await data("DELETE", "/api/redemption/delete-by-name?name=tool")).toBe(0);
  });

  test("of one's own keys, with what a key says of itself", async () => {
    await createApiKey(root, { name: "tool-key", unlimited_quota: false, remain_quota: 1000 });
    const [key] = await data("GET", "/api/token/?p=0&size=10");
    expect(key).toMatchObject({ name: "tool-key", status: 1, remain_quota: 1000, expired_time: -1, model_limits: "" });
    expect(key.key).not.toStartWith("sk-");
    await data("PUT", "/api/token/?status_only=true", { id: key.id, status: 2 });
    expect((await data("GET", `/api/token/${key.id}`)).status).toBe(2);
    await data("PUT", "/api/token/?status_only=true", { id: key.id, status: 1 });
    const usage = await call("GET", "/api/usage/token/", undefined, { authorization: `Bearer sk-${key.key}` });
    expect(usage.body).toMatchObject({
      code: true,
      data: { object: "token_usage", name: "tool-key", total_granted: 1000, total_used: 0, expires_at: 0 },
    });
    expect(await data("GET", "/api/user/models")).toBeArray();
    await data("DELETE", `/api/token/${key.id}/`);
  });

  test("of logs and sums", async () => {
    expect(await data("GET", "/api/log/stat?type=0")).toMatchObject({ quota: 0, rpm: 0, tpm: 0 });
    expect(await data("GET", "/api/log/self/stat")).toMatchObject({ quota: 0 });
    expect(await data("GET", "/api/data/?start_timestamp=1&end_timestamp=2")).toBeArray();
    expect((await call("DELETE", "/api/log/?target_timestamp=0")).body.success).toBe(false);
    expect(await data("DELETE", "/api/log/?target_timestamp=1000")).toBe(0);
    expect((await call("GET", "/api/status/test")).body.success).toBe(true);
  });
});
