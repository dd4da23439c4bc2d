import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { channels } from "../../../db/schema/channels/channels.ts";
import { usageRollups } from "../../../db/schema/logs/logs.ts";
import { idle, startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import type { ChannelView } from "../../domain/channels/manage/channel-view.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: TestOperations;
const ids: Record<string, number> = {};

/** Name → what differs from a plain channel. */
const SAMPLES: Record<string, object> = {
  alpha: { priority: 5, tag: "east", models: "gpt-4o,o1", group: "default" },
  beta: { priority: 9, tag: "east", models: "gpt-4o-mini", group: "default,vip" },
  "100%": {
    priority: 1,
    tag: "west",
    models: "claude-sonnet-4-5",
    group: "vip",
    type: 8,
    base_url: "https://w.example",
  },
  "1000th": { priority: 0, models: "deepseek_chat", group: "vip" },
  off: { priority: 2, models: "o1", status: 2 },
};

beforeAll(async () => {
  app = await startTestOperations();
  for (const [name, input] of Object.entries(SAMPLES)) {
    const body = { name, key: `sk-key-of-${name}-000`, ...input };
    const answer = await app.ask("POST", "/api/channel/", body, app.as.admin);
    ids[name] = (answer.body.data as { id: number }).id;
  }
});
afterAll(() => app.close());

type List = { data: ChannelView[]; total: number; page: number; page_size: number; counts: object; sums?: object };
const list = async (query: string, path = "/api/channel/") =>
  (await app.ask("GET", `${path}?${query}`, undefined, app.as.admin)).body as unknown as List;
const names = async (query: string, path?: string) => (await list(query, path)).data.map(({ name }) => name);

describe("ids of all that match", () => {
  test.each([
    ["", ["alpha", "beta", "100%", "1000th", "off"]],
    ["tag=east", ["alpha", "beta"]],
    ["keyword=100&status=1", ["100%", "1000th"]],
    ["status=2", ["off"]],
    ["tag_mode=true", ["alpha", "beta", "100%", "1000th", "off"]],
    ["tag_mode=true&keyword=alph", ["alpha", "beta"]],
    ["tag_mode=true&keyword=1000th", ["1000th"]],
  ])("%s", async (query, expected) => {
    const { data } = await list(query, "/api/channel/ids");
    expect(data as unknown as number[]).toEqual(expected.map((name) => ids[name] ?? 0));
  });
});

describe("by health", () => {
  test("as far as this process knows", async () => {
    const alpha = ids.alpha ?? 0;
    app.lives.set(alpha, { ...idle(1), calls: 10, failed: 5, latencyMs: 80, inFlight: 1 });
    expect(await names("health=failing")).toEqual(["alpha"]);
    expect(await names("health=disabled")).toEqual(["off"]);
    expect(await names("health=cooling")).toEqual([]);
    expect(await names("health=healthy")).toEqual(["beta", "100%", "1000th"]);
    expect(await names("health=&tag=east")).toEqual(["beta", "alpha"]);
    const [shown] = (await list("health=failing&stats=true")).data;
    expect(shown?.live).toMatchObject({ health: "failing", calls: 10, failed: 5, latency_ms: 80, in_flight: 1 });
    app.lives.clear();
  });
});

describe("lists", () => {
  test("with what all pages' channels used and their balances by currency, where statistics are asked for", async () => {
    const known = { balanceUpdatedTime: 1 };
    const set = (name: string, values: object) =>
      app.db
        .update(channels)
        .set(values)
        .where(eq(channels.id, ids[name] ?? 0));
    await set("alpha", { ...known, usedQuota: 1_000_001, balance: "10.25" });
    await set("beta", { ...known, usedQuota: 2, balance: "0.5" });
    await set("1000th", { ...known, usedQuota: 4, balance: "70", balanceCurrency: "CNY" });
    const sums = async (query: string) => (await list(`stats=true&page_size=1&${query}`)).sums;
    const dollars = { currency: "", amount: 10.75 };
    expect(await sums("")).toEqual({ used_quota: 1_000_007, balances: [dollars, { currency: "CNY", amount: 70 }] });
    expect(await sums("tag=east")).toEqual({ used_quota: 1_000_003, balances: [dollars] });
    expect(await sums("keyword=alpha&tag_mode=true")).toEqual({ used_quota: 1_000_003, balances: [dollars] });
    expect(await sums("status=2")).toEqual({ used_quota: 0, balances: [] });
    expect((await list("")).sums).toBeUndefined();
  });

  test("by priority, without keys, with the total next to the array", async () => {
    const answer = await list("");
    expect(answer).toMatchObject({ total: 5, page: 0, page_size: 10 });
    expect(answer.counts).toEqual({ all: 5, enabled: 4, disabled: 1, auto_disabled: 0 });
    expect(answer.data.map(({ name }) => name)).toEqual(["beta", "alpha", "off", "100%", "1000th"]);
    expect(answer.data.every(({ key }) => key === "")).toBe(true);
  });

  test.each([
    ["p=0&page_size=2", ["beta", "alpha"]],
    ["p=1&page_size=2", ["off", "100%"]],
    ["p=2&size=2", ["1000th"]],
    ["p=9&page_size=2", []],
    ["p=-4&page_size=2", ["beta", "alpha"]],
    ["id_sort=true", ["off", "1000th", "100%", "beta", "alpha"]],
    ["sort=name&order=asc", ["100%", "1000th", "alpha", "beta", "off"]],
    ["status=2", ["off"]],
    ["status=3", []],
    ["status=9", []],
    ["type=8", ["100%"]],
    ["tag=east", ["beta", "alpha"]],
    ["status=&type=&p=&page_size=", ["beta", "alpha", "off", "100%", "1000th"]],
  ])("%s → %p", async (query, expected) => expect(await names(query)).toEqual(expected));

  test("a status nobody has is no reason to count everybody", async () =>
    expect((await list("status=9")).total).toBe(0));

  test.each(["status=x", "type=1.5", "status=99999999999", "p=x", "sort=key"])("%s is refused", async (query) =>
    expect((await app.ask("GET", `/api/channel/?${query}`, undefined, app.as.admin)).status).toBe(400),
  );

  test("a page is never larger than 100", async () => expect((await list("page_size=5000")).page_size).toBe(100));
});

describe("search", () => {
  test.each([
    ["keyword=ALP", ["alpha"]],
    ["keyword=%25", ["100%"]],
    ["keyword=_", []],
    ["keyword=sk-key-of-beta-000", ["beta"]],
    ["keyword=sk-key-of-beta", []],
    ["keyword=w.example", ["100%"]],
    ["group=vip", ["beta", "100%", "1000th"]],
    ["group=vi", []],
    ["model=gpt-4o", ["beta", "alpha"]],
    ["model=_", ["1000th"]],
    ["model=O1&group=default", ["alpha", "off"]],
    ["keyword=a&group=vip&model=mini", ["beta"]],
    ["keyword=", ["beta", "alpha", "off", "100%", "1000th"]],
  ])("%s → %p", async (query, expected) => expect(await names(query, "/api/channel/search")).toEqual(expected));

  test("an id is found exactly, besides names that contain it", async () => {
    expect(await names(`keyword=${ids.alpha}`, "/api/channel/search")).toContain("alpha");
    expect(await names(`keyword=${ids.alpha}`, "/api/channel/search")).not.toContain("beta");
  });
});

describe("tags", () => {
  const call = async (method: string, path: string, body: object) =>
    (await app.ask(method, path, body, app.as.admin)).body;
  const statuses = async (tag: string) => (await list(`tag=${tag}`)).data.map(({ status }) => status);

  test("tag mode pages over tags and shows their channels, without keys, then those that have no tag", async () => {
    const first = await list("tag_mode=true&page_size=1");
    expect(first).toMatchObject({ total: 4, tagged: 5, data: [{ name: "beta" }, { name: "alpha" }] });
    expect(first.data.every(({ key }) => key === "")).toBe(true);
    expect(await names("tag_mode=true&page_size=1&p=1")).toEqual(["100%"]);
    expect(await names("tag_mode=true&page_size=1&p=3")).toEqual(["1000th"]);
    expect(await names("tag_mode=true&page_size=3")).toEqual(["beta", "alpha", "100%", "off"]);
    expect((await app.ask("GET", "/api/channel/tags", undefined, app.as.admin)).body.data).toEqual(["east", "west"]);
  });

  test.each([
    ["keyword=alph", 1, ["beta", "alpha"]],
    ["model=mini&page_size=1", 1, ["beta", "alpha"]],
    ["group=vip", 3, ["beta", "alpha", "100%", "1000th"]],
    ["status=2", 1, ["off"]],
    ["keyword=1000th", 1, ["1000th"]],
  ])("in tag mode %s chooses the tags, which keep all their channels", async (query, total, expected) => {
    const { data, total: found } = await list(`tag_mode=true&${query}`);
    expect({ found, names: data.map(({ name }) => name) }).toEqual({ found: total, names: expected });
  });

  test("a tag is switched as a whole, automatically disabled channels too", async () => {
    expect((await call("POST", "/api/channel/tag/disabled", { tag: "east" })).data).toBe(2);
    expect(await statuses("east")).toEqual([2, 2]);
    expect(app.channels.candidates("default", "gpt-4o")).toBeNull();
    expect((await call("POST", "/api/channel/tag/enabled", { tag: "east" })).data).toBe(2);
    expect(await statuses("east")).toEqual([1, 1]);
    expect(app.channels.candidates("default", "gpt-4o")).not.toBeNull();
    expect(await call("POST", "/api/channel/tag/enabled", { tag: "none" })).toMatchObject({
      code: "channel_tag_unknown",
    });
  });

  test("an edit sets what it names on all of them; null and empty text leave fields alone", async () => {
    const change = { tag: "east", models: "m1,m2", groups: "g1", priority: 3, weight: null, model_mapping: "" };
    expect((await call("PUT", "/api/channel/tag", { ...change, new_tag: null })).data).toBe(2);
    for (const channel of (await list("tag=east")).data)
      expect(channel).toMatchObject({ models: "m1,m2", group: "g1", priority: 3, weight: 0 });
    expect(app.channels.candidates("g1", "m2")?.tiers[0]?.channels).toHaveLength(2);
    expect(app.channels.candidates("default", "gpt-4o")).toBeNull();
  });

  test("a mapping is taken away with an empty object", async () => {
    await call("PUT", "/api/channel/tag", { tag: "east", model_mapping: '{"m1":"real"}' });
    expect(app.channels.get(ids.alpha as number)?.modelMapping.get("m1")).toBe("real");
    await call("PUT", "/api/channel/tag", { tag: "east", model_mapping: "{}" });
    expect(app.channels.get(ids.alpha as number)?.modelMapping.size).toBe(0);
  });

  test.each([
    [{ tag: "east", weight: -1 }, "invalid_request"],
    [{ tag: "east", priority: 1.5 }, "invalid_request"],
    [{ tag: "east", model_mapping: "{" }, "channel_model_mapping_invalid"],
    [{ tag: "nowhere", priority: 1 }, "channel_tag_unknown"],
    [{ tag: " ", priority: 1 }, "channel_tag_required"],
  ])("%p is refused", async (change, code) =>
    expect(await call("PUT", "/api/channel/tag", change)).toMatchObject({ code }),
  );

  test("a selection gets a tag, or loses it", async () => {
    const selection = [ids["1000th"], ids.off];
    expect((await call("POST", "/api/channel/batch/tag", { ids: selection, tag: "new" })).data).toBe(2);
    expect(await names("tag=new")).toEqual(["off", "1000th"]);
    expect((await call("POST", "/api/channel/batch/tag", { ids: selection, tag: null })).data).toBe(2);
    expect(await names("tag=new")).toEqual([]);
    expect(await call("POST", "/api/channel/batch/tag", { ids: [], tag: "x" })).toMatchObject({
      code: "channel_selection_required",
    });
    for (const tag of ["", "  "]) {
      expect(await call("POST", "/api/channel/batch/tag", { ids: selection, tag })).toMatchObject({
        code: "channel_tag_required",
      });
    }
  });

  test("a tag is renamed", async () => {
    await call("PUT", "/api/channel/tag", { tag: "east", new_tag: "orient" });
    expect(await names("tag=orient")).toHaveLength(2);
    expect(await names("tag=east")).toEqual([]);
  });
});

test("traffic of the last 24 hours comes on request, an entry an hour", async () => {
  const hour = Math.floor(nowSeconds() / 3600) * 3600;
  const row = { userId: 1, username: "u", tokenId: 0, tokenName: "", group: "g", channelId: ids.alpha as number };
  await app.db.insert(usageRollups).values([
    { ...row, hour, modelName: "a", count: 3, failed: 1 },
    { ...row, hour, modelName: "b", count: 2, failed: 0 },
    { ...row, hour: hour - 23 * 3600, modelName: "a", count: 7, failed: 7 },
    { ...row, hour: hour - 24 * 3600, modelName: "a", count: 9, failed: 9 },
  ]);
  expect((await list("")).data.every((channel) => channel.traffic === undefined)).toBe(true);
  const alpha = (await list("stats=true")).data.find(({ name }) => name === "alpha");
  expect(alpha?.traffic).toHaveLength(24);
  expect(alpha?.traffic?.at(-1)).toEqual({ count: 5, failed: 1 });
  expect(alpha?.traffic?.[0]).toEqual({ count: 7, failed: 7 });
});

test("models that may be called carry their channel's prefix, and show what upstreams call them", async () => {
  const change = {
    id: ids["1000th"],
    model_prefix: "p/",
    models: "deepseek_chat,house",
    model_mapping: '{"house":"o3"}',
  };
  await app.ask("PUT", "/api/channel/", change, app.as.admin);
  const served = (await app.ask("GET", "/api/channel/models_served", undefined, app.as.admin)).body.data;
  expect(served).toContainEqual({ model: "p/deepseek_chat", upstream: ["deepseek_chat"] });
  expect(served).toContainEqual({ model: "p/house", upstream: ["o3"] });
  const enabled = (await app.ask("GET", "/api/channel/models_enabled", undefined, app.as.admin)).body.data;
  expect(enabled).toContain("p/deepseek_chat");
  expect(enabled).not.toContain("deepseek_chat");
  const known = (await app.ask("GET", "/api/channel/models", undefined, app.as.admin)).body.data;
  expect(known).toContainEqual({ id: "gpt-4o", object: "model" });
});

test("a channel whose weight keeps all calls from it says so", async () => {
  const add = (name: string, weight: number) =>
    app.ask("POST", "/api/channel/", { name, key: `sk-${name}-000000`, models: "weighed", weight }, app.as.admin);
  const idleOnes = async () =>
    (await list("keyword=weighed-")).data.filter((channel) => channel.no_traffic).map(({ name }) => name);
  await add("weighed-none", 0);
  expect(await idleOnes()).toEqual([]);
  await add("weighed-some", 2);
  expect(await idleOnes()).toEqual(["weighed-none"]);
});
