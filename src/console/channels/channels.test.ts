import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { abilities, channelKeys } from "../../../db/schema/channels/channels.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { disableChannelKey } from "../../domain/channels/keys/key-status.ts";
import type { ChannelView } from "../../domain/channels/manage/channel-view.ts";
import { setChannelStatus } from "../../domain/channels/status/set-status.ts";

let app: TestOperations;
beforeAll(async () => {
  app = await startTestOperations();
});
afterAll(() => app.close());

const call = (method: string, path: string, body?: unknown, headers = app.as.admin) =>
  app.ask(method, path, body, headers);
const basic = { name: "main", key: "sk-first-key-0001", models: "gpt-4o,gpt-4o-mini", group: "default,vip" };

async function create(input: object = {}): Promise<number> {
  const { body } = await call("POST", "/api/channel", { ...basic, ...input });
  if (!body.success) throw new Error(body.message);
  return (body.data as { id: number }).id;
}

async function read(id: number, query = ""): Promise<ChannelView> {
  return (await call("GET", `/api/channel/${id}${query}`)).body.data as ChannelView;
}

/** As super administrators see it, who alone may read keys. */
async function readKeys(id: number): Promise<ChannelView> {
  return (await call("GET", `/api/channel/${id}?show_key=true`, undefined, app.as.root)).body.data as ChannelView;
}

async function put(id: number, input: object, headers?: Record<string, string>) {
  return (await call("PUT", "/api/channel/", { id, ...input }, headers ? { ...app.as.admin, ...headers } : undefined))
    .body;
}

const abilitiesOf = (id: number) => app.db.select().from(abilities).where(eq(abilities.channelId, id));
const lastManagementLog = async () => {
  const rows = await app.db.select().from(logs).where(eq(logs.type, 3)).orderBy(logs.id);
  return rows.at(-1);
};

describe("who may call", () => {
  test.each([
    ["GET", "/api/channel/"],
    ["GET", "/api/channel/search"],
    ["GET", "/api/channel/tags"],
    ["GET", "/api/channel/1"],
    ["GET", "/api/channel/models"],
    ["GET", "/api/channel/models_enabled"],
    ["GET", "/api/channel/models_served"],
    ["GET", "/api/channel/models_priced"],
    ["GET", "/api/channel/list_prices"],
    ["GET", "/api/channel_types"],
    ["GET", "/api/channel/test"],
    ["GET", "/api/channel/test/1"],
    ["GET", "/api/channel/test/progress"],
    ["POST", "/api/channel/test/cancel"],
    ["GET", "/api/channel/fetch_models/1"],
    ["POST", "/api/channel/fetch_models"],
    ["GET", "/api/channel/update_balance"],
    ["GET", "/api/channel/update_balance/1"],
    ["POST", "/api/channel/"],
    ["PUT", "/api/channel/"],
    ["DELETE", "/api/channel/1/"],
    ["DELETE", "/api/channel/disabled"],
    ["POST", "/api/channel/batch"],
    ["POST", "/api/channel/batch/status"],
    ["POST", "/api/channel/batch/tag"],
    ["GET", "/api/channel/ids"],
    ["GET", "/api/channel/forecast?ids=1"],
    ["GET", "/api/channel/1/model_list"],
    ["POST", "/api/channel/1/model_list/refresh"],
    ["POST", "/api/channel/1/model_list/take"],
    ["POST", "/api/channel/fix"],
    ["PUT", "/api/channel/tag"],
    ["POST", "/api/channel/tag/enabled"],
    ["POST", "/api/channel/tag/disabled"],
  ])("%s %s: administrators only", async (method, path) => {
    const body = method === "GET" ? undefined : {};
    expect((await call(method, path, body, app.as.user)).body.code).toBe("permission_denied");
    expect((await call(method, path, body, {})).status).toBe(401);
  });
});

describe("creating", () => {
  test("a channel serves at once, in every group and under every model", async () => {
    const id = await create({ model_prefix: "x/", priority: 5, weight: -3 });
    expect(app.channels.candidates("vip", "x/gpt-4o")?.tiers[0]).toMatchObject({ priority: 5, channels: [{ id }] });
    expect(app.channels.candidates("default", "gpt-4o")).toBeNull();
    expect(await abilitiesOf(id)).toHaveLength(4);
    expect(await read(id)).toMatchObject({ weight: 0, group: "default,vip", models: "gpt-4o,gpt-4o-mini", status: 1 });
    expect(await lastManagementLog()).toMatchObject({
      userId: app.ids.admin,
      content: `Created channel main (#${id})`,
    });
  });

  test("the ecosystem's wrapped form, lists and the alias groups are taken", async () => {
    const channel = { name: "w", key: "sk-w", models: ["a", " a ", "b"], groups: ["g1", "g2"] };
    const { body } = await call("POST", "/api/channel/", { mode: "single", channel });
    expect(await read((body.data as { id: number }).id)).toMatchObject({ models: "a,b", group: "g1,g2", name: "w" });
  });

  test("what a channel was read as creates a copy of it; fields that nobody knows are ignored, as in an update", async () => {
    const setting = JSON.stringify({ proxy: "", system_prompt: "Be brief." });
    const id = await create({ priority: 3, weight: 2, tag: "copied", setting, remark: "spare", header_override: "{}" });
    const original = await readKeys(id);
    const body = { ...original, name: "copy", remark: "x", created_time: 1, models: original.models };
    for (const sent of [body, { mode: "single", multi_key_mode: "random", channel: body }]) {
      const answer = await call("POST", "/api/channel/", sent);
      expect(answer.body).toMatchObject({ success: true });
      const { name: _, id: __, created_time: ___, ...copy } = await readKeys((answer.body.data as { id: number }).id);
      expect(copy).toMatchObject({ priority: 3, weight: 2, tag: "copied", setting, key: original.key });
    }
    expect(await put(id, { remark: "x", weight: 4 })).toMatchObject({ success: true });
  });

  test.each([
    [{ Proxy: "" }, "channel_setting_unknown", /“Proxy”.*\bproxy\b.*\buser_agent\b/],
    [{ headers: {} }, "channel_setting_unknown", /“headers”/],
    [{ proxy: "10.0.0.1:8080" }, "channel_setting_value", /proxy.*http:\/\//],
    [{ force_format: "yes" }, "channel_setting_value", /force_format.*true/],
    [{ drain_cap_seconds: "60" }, "channel_setting_value", /drain_cap_seconds.*seconds/],
  ])("the setting %j is refused by name, also for a tag", async (setting, code, words) => {
    const id = await create({ tag: "settled" });
    const text = JSON.stringify(setting);
    for (const answer of [
      await call("POST", "/api/channel/", { ...basic, setting: text }),
      await call("PUT", "/api/channel/", { id, setting: text }),
      await call("PUT", "/api/channel/tag", { tag: "settled", setting: text }),
    ]) {
      expect(answer.body).toMatchObject({ success: false, code });
      expect(answer.body.message).toMatch(words);
    }
    expect((await read(id)).setting).toBe("");
  });

  test.each<[string, unknown, object | null]>([
    ["model_mapping", '{"gpt-4o":"real"}', null],
    ["status_code_mapping", '{"400":500}', null],
    ["setting", '{"user_agent":"x"}', null],
    ["param_override", '{"temperature":0}', null],
    ["models", ["gpt-5"], { models: "gpt-5" }],
    ["groups", "vip", { group: "vip" }],
    ["priority", 9, null],
    ["weight", 7, null],
    ["max_input_tokens", 5000, null],
    ["auto_ban", 0, null],
    ["test_model", "gpt-4o", null],
    ["model_prefix", "p/", null],
    ["openai_organization", "org-1", null],
    ["balance_warn_below", 12.5, null],
  ])("an edit of a tag changes %s of each of its channels", async (field, sent, shown) => {
    const tag = `each-${field}`;
    const ids = [await create({ tag }), await create({ tag })];
    expect((await call("PUT", "/api/channel/tag", { tag, [field]: sent })).body).toMatchObject({
      success: true,
      data: 2,
    });
    for (const id of ids) expect(await read(id)).toMatchObject(shown ?? { [field]: sent });
  });

  test("type 18 gets a version, a base address loses its trailing slash", async () => {
    expect(await read(await create({ type: 18, base_url: "https://a.example/v1/" }))).toMatchObject({
      other: "v2.1",
      base_url: "https://a.example/v1",
    });
  });

  test.each([
    [{ name: "" }, "channel_name_and_key_required", "Enter the channel's name and key."],
    [{ key: " " }, "channel_name_and_key_required", "Enter the channel's name and key."],
    [{ key: "sk-a••••0001" }, "channel_name_and_key_required", "Enter the channel's name and key."],
    [{ models: "" }, "channel_model_required", "Choose at least one model."],
    [{ group: " , " }, "channel_group_required", "Choose at least one group."],
    [{ models: "é".repeat(128) }, "channel_model_too_long", null],
    [{ model_prefix: "p".repeat(65) }, "channel_prefix_too_long", null],
    [{ group: `default,${"g".repeat(65)}` }, "channel_group_too_long", null],
    [{ tag: "t".repeat(201) }, "channel_tag_too_long", "The tag cannot exceed 200 characters."],
    [{ base_url: "ftp://a.example" }, "channel_base_url_invalid", null],
    [{ base_url: "wss:a.example" }, "channel_base_url_invalid", null],
    [{ priority: 1.5 }, "channel_number_invalid", "priority must be a whole number."],
    [{ max_input_tokens: 1.5 }, "channel_number_invalid", "max_input_tokens must be a whole number."],
    [{ model_mapping: '{"a":1}' }, "channel_model_mapping_invalid", null],
    [{ model_mapping: "[]" }, "channel_model_mapping_invalid", null],
    [{ model_mapping: '{"re:(":"a"}' }, "name_pattern_invalid", null],
    [{ models: ["a*", "re:(?=b)"] }, "name_pattern_invalid", null],
    [{ status_code_mapping: '{"400":"teapot"}' }, "channel_status_mapping_invalid", null],
    [{ setting: "{" }, "channel_setting_invalid", null],
    [{ param_override: "null" }, "channel_param_override_invalid", null],
    [
      { param_override: '{"temperature": 1, "Max_Tokens": 9}' },
      "channel_param_override_like",
      "The parameter override Max_Tokens differs from max_tokens only in how it is written, and providers may read it as that. Write max_tokens.",
    ],
    [{ param_override: '{"Generation_Config": {}}' }, "channel_param_override_like", null],
    [{ type: 41, other: '{"gemini-2.5-pro":"us-east5"}' }, "channel_region_invalid", null],
  ])("%p is refused in both languages: %s", async (input, code, english) => {
    const ask = (language: string) =>
      call("POST", "/api/channel/", { ...basic, ...input }, { ...app.as.admin, "accept-language": language });
    const [en, zh] = [await ask("en"), await ask("zh-CN")];
    expect(en).toMatchObject({ status: 200, body: { success: false, code } });
    expect(zh.body.message).toMatch(/[\u4e00-\u9fff]/);
    if (english) expect(en.body.message).toBe(english);
  });
});

describe("keys", () => {
  test("answers show enough to recognize them, never whole, but on an explicit request that the log keeps", async () => {
    const id = await create({ key: "sk-first-key-0001,sk-second-key-0002" });
    expect((await read(id)).key).toBe("sk-f••••0001,sk-s••••0002");
    const list = await call("GET", "/api/channel/?page_size=100");
    expect(list.text).not.toContain("0001");
    expect((await readKeys(id)).key).toBe("sk-first-key-0001,sk-second-key-0002");
    expect(await lastManagementLog()).toMatchObject({ content: `Looked at the keys of channel main (#${id})` });
  });

  test("a form that sends back what it was shown keeps them", async () => {
    const id = await create({ key: "sk-first-key-0001,sk-second-key-0002" });
    const shown = await read(id);
    expect((await put(id, { ...shown, name: "renamed" })).success).toBe(true);
    expect((await put(id, { key: "" })).success).toBe(true);
    expect(await readKeys(id)).toMatchObject({
      name: "renamed",
      key: "sk-first-key-0001,sk-second-key-0002",
    });
  });

  test("hidden and new keys mixed are refused instead of losing the new ones", async () => {
    const id = await create();
    expect(await put(id, { key: "sk-f••••0001,sk-new-key-00003" })).toMatchObject({ code: "channel_key_masked" });
    expect((await readKeys(id)).key).toBe("sk-first-key-0001");
  });

  test("line breaks separate keys too; service accounts are one key whatever they hold", async () => {
    const id = await create({ key: "k-one\nk-two\r\n,k-one" });
    expect(app.channels.get(id)?.keys).toEqual(["k-one", "k-two"]);
    const account = '{"type":"service_account","private_key":"a,b"}';
    expect(app.channels.get(await create({ type: 41, other: "us", key: account }))?.keys).toEqual([account]);
  });
});

describe("changing", () => {
  test("only what is sent changes; empty name, key, models and type 0 change nothing", async () => {
    const id = await create({ priority: 7, tag: "t", base_url: "https://a.example", setting: '{"proxy":""}' });
    const before = await read(id);
    await put(id, { name: "", key: "", models: "", type: 0 });
    expect(await read(id)).toEqual(before);
    await put(id, { priority: 9 });
    expect(await read(id)).toEqual({ ...before, priority: 9 });
    expect(app.channels.get(id)?.priority).toBe(9);
    expect(await lastManagementLog()).toMatchObject({ content: `Changed channel main (#${id}): priority` });
  });

  test("a priority below -999 is refused, but one that an import brought stays", async () => {
    const id = await create({ priority: -2000 });
    expect(await put(id, { priority: -1000 })).toMatchObject({
      code: "channel_priority_min",
      message: "The priority must be -999 or more.",
    });
    expect(await put(id, { priority: -2000, weight: 4 })).toMatchObject({ success: true });
    expect(await put(id, { priority: -999 })).toMatchObject({ success: true });
    expect(await read(id)).toMatchObject({ priority: -999, weight: 4 });
  });

  test("the log names what differs of all that is sent, and is silent where nothing does", async () => {
    const id = await create({ priority: 3, base_url: "https://a.example", balance_warn_below: 0.5 });
    const full = { ...(await read(id)), key: "" };
    await put(id, { ...full, priority: 4, models: "gpt-4o-mini,gpt-4o" });
    const reported = await lastManagementLog();
    expect(reported).toMatchObject({ content: `Changed channel main (#${id}): priority, models` });
    await put(id, { ...full, priority: 4, models: "gpt-4o-mini,gpt-4o" });
    expect((await lastManagementLog())?.id).toBe(reported?.id);
    await put(id, { setting: '{"proxy":"http://me:first@px.test"}', key: "sk-other-key-0002" });
    expect(await lastManagementLog()).toMatchObject({ content: `Changed channel main (#${id}): key, setting` });
    await put(id, { setting: '{"proxy":"http://me:second@px.test"}' });
    expect(await lastManagementLog()).toMatchObject({ content: `Changed channel main (#${id}): setting` });
  });

  test("nullable fields can be emptied", async () => {
    const full = { base_url: "https://a.example", tag: "t", test_model: "gpt-4o", openai_organization: "org" };
    const key = basic.key;
    const maps = { setting: "{}", param_override: '{"a":1}', model_mapping: '{"a":"b"}', status_code_mapping: "{}" };
    const id = await create({ ...full, ...maps, priority: 3, weight: 3, model_prefix: "p-" });
    const fields = [...Object.keys(full), ...Object.keys(maps), "model_prefix"];
    await put(id, { ...Object.fromEntries(fields.map((field) => [field, null])), priority: null, weight: null, key });
    const after = await read(id);
    expect(fields.map((field) => after[field as keyof ChannelView])).toEqual(fields.map(() => ""));
    expect(after).toMatchObject({ priority: 0, weight: 0, name: "main", key: "sk-f••••0001" });
  });

  test("models and groups move the abilities and the routing in one go", async () => {
    const id = await create({ models: "m-old", group: "g-old" });
    await put(id, { models: "m-new", group: "g-new" });
    expect(await abilitiesOf(id)).toMatchObject([{ model: "m-new", group: "g-new", enabled: true }]);
    expect(app.channels.candidates("g-old", "m-old")).toBeNull();
    expect(app.channels.candidates("g-new", "m-new")?.tiers[0]?.channels[0]?.id).toBe(id);
  });

  test("status alone switches a channel, its abilities and its keys", async () => {
    const id = await create({ key: "k-one,k-two", models: "m-switch" });
    await disableChannelKey(app, id, "k-one", "401");
    expect(app.channels.get(id)?.disabledKeys).toEqual(new Set(["k-one"]));
    expect((await read(id)).keys).toEqual({ total: 2, enabled: 1 });
    await put(id, { status: 2 });
    expect(app.channels.candidates("default", "m-switch")).toBeNull();
    expect((await abilitiesOf(id)).every(({ enabled }) => enabled)).toBe(false);
    expect(JSON.parse((await read(id)).other_info)).toMatchObject({ status_reason: "Disabled by admin" });
    await put(id, { status: 1 });
    expect(await read(id)).toMatchObject({ status: 1, other_info: "", keys: { total: 2, enabled: 2 } });
    expect(await app.db.select().from(channelKeys).where(eq(channelKeys.channelId, id))).toEqual([]);
    expect(app.channels.candidates("default", "m-switch")?.tiers).toHaveLength(1);
  });

  test("another type must fit the region that is there", async () => {
    const id = await create();
    const key = "sk-of-vertex-0001";
    for (const other of ["evil.example/", '{"default":"us","m":"evil.example#"}', '{"default":1}']) {
      expect(await put(id, { type: 41, key, other })).toMatchObject({ code: "channel_region_invalid" });
    }
    expect(await put(id, { type: 41, key, other: "us-east5" })).toMatchObject({
      data: { type: 41, other: "us-east5" },
    });
  });

  test("an unknown status changes nothing at all", async () => {
    const id = await create();
    const before = await read(id);
    expect(await put(id, { name: "other", status: 3 })).toMatchObject({ code: "channel_status_invalid" });
    expect(await read(id)).toEqual(before);
  });

  test("an automatic re-enable leaves alone what somebody switched off by hand", async () => {
    const id = await create();
    expect(await setChannelStatus(app, id, 3, "slow", 1)).toBe(true);
    expect(await setChannelStatus(app, id, 3, "slow", 1)).toBe(false);
    await put(id, { status: 2 });
    expect(await setChannelStatus(app, id, 1, "", 3)).toBe(false);
    expect((await read(id)).status).toBe(2);
  });

  test("a new key forgets what was known of the old ones", async () => {
    const id = await create({ key: "k-one,k-two" });
    await disableChannelKey(app, id, "k-one", "401");
    await put(id, { key: "k-one,k-three" });
    expect((await read(id)).keys).toEqual({ total: 2, enabled: 2 });
  });

  test.each([
    ["GET", "/api/channel/999999", undefined],
    ["PUT", "/api/channel/", { id: 999_999, name: "x" }],
  ])("%s of what does not exist is refused", async (method, path, body) => {
    expect((await call(method, path, body)).body.code).toBe("channel_not_found");
  });
});

describe("deleting", () => {
  test("takes the abilities and the routing along", async () => {
    const id = await create({ models: "m-gone" });
    expect((await call("DELETE", `/api/channel/${id}/`)).body.success).toBe(true);
    expect(await abilitiesOf(id)).toEqual([]);
    expect(app.channels.candidates("default", "m-gone")).toBeNull();
    expect(app.channels.get(id)).toBeUndefined();
  });

  test("by selection and by status, answering how many", async () => {
    const [a, b, c, d] = await Promise.all([create(), create(), create(), create()]);
    expect((await call("POST", "/api/channel/batch", { ids: [a, b] })).body.data).toBe(2);
    expect((await call("POST", "/api/channel/batch", { ids: [] })).body.code).toBe("channel_selection_required");
    await put(c as number, { status: 2 });
    await setChannelStatus(app, d as number, 3, "dead");
    const { body } = await call("DELETE", "/api/channel/disabled");
    expect(body.data).toBeGreaterThanOrEqual(2);
    expect([a, b, c, d].map((id) => app.channels.get(id as number))).toEqual(Array(4).fill(undefined));
  });

  test("fix rebuilds lost abilities", async () => {
    const id = await create({ models: "m-fix", group: "g" });
    await app.db.delete(abilities).where(eq(abilities.channelId, id));
    expect((await call("POST", "/api/channel/fix")).body.data).toBeGreaterThan(0);
    expect(await abilitiesOf(id)).toMatchObject([{ model: "m-fix", group: "g" }]);
    expect((await lastManagementLog())?.content).toMatch(/abilities/);
  });
});

describe("several at once", () => {
  test("go off with who did it, and come back with all their keys", async () => {
    const first = await create({ key: "sk-a-000000000001,sk-b-000000000002" });
    const second = await create();
    await disableChannelKey(app, first, "sk-a-000000000001", "refused");
    const batch = (status: number, list: number[]) =>
      call("POST", "/api/channel/batch/status", { ids: list, status }).then(({ body }) => body);
    expect((await batch(2, [first, second, 999_999])).data).toBe(2);
    expect(JSON.parse((await read(first)).other_info)).toMatchObject({ status_reason: "Disabled by admin" });
    expect((await lastManagementLog())?.content).toBe("Disabled 2 of 3 channels");
    expect(app.channels.get(second)?.status).toBe(2);
    expect((await batch(1, [first])).data).toBe(1);
    expect((await read(first)).keys).toEqual({ total: 2, enabled: 2 });
    expect(await abilitiesOf(first)).toSatisfy((rows: { enabled: boolean }[]) => rows.every(({ enabled }) => enabled));
  });

  test("need to be named, and to be switched on or off", async () => {
    expect((await call("POST", "/api/channel/batch/status", { ids: [], status: 1 })).body.code).toBe(
      "channel_selection_required",
    );
    expect((await call("POST", "/api/channel/batch/status", { ids: [1], status: 3 })).status).toBe(400);
  });
});

test("administrators see the list prices of this release, and which models have a price", async () => {
  const lists = (await call("GET", "/api/channel/list_prices")).body.data as { provider: string; models: string[] }[];
  expect(lists.length).toBeGreaterThan(3);
  for (const list of lists) expect(list.provider).not.toBe("");
  await app.settings.set("ModelRatio", '{"only-this":1}');
  await app.settings.set("ModelPrice", '{"and-that":0.01}');
  const priced = JSON.stringify((await call("GET", "/api/channel/models_priced")).body.data);
  expect(priced).toContain("only-this");
  expect(priced).toContain("and-that");
  expect(priced).not.toContain('"gpt-4o"');
});
