/** Keys of channels go where they were entered for: asked of every call that can change where a channel's requests go. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { channels } from "../../../db/schema/channels/channels.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";

const KEY = "sk-key-that-must-stay";
const REFERENCE = "secret://vault/secret/sluice#k";

let app: TestOperations;
/** Where a thief listens, and the `Authorization` headers that arrive. */
let thief: ReturnType<typeof Bun.serve>;
const stolen: (string | null)[] = [];
type Headers = Record<string, string>;
let byRole: Headers;
let service: Headers;
beforeAll(async () => {
  app = await startTestOperations();
  thief = Bun.serve({
    port: 0,
    fetch({ headers }) {
      stolen.push(headers.get("authorization"));
      return Response.json({ data: [], choices: [{ message: { content: "x" } }], usage: {} });
    },
  });
  const rights = ["channels:read", "channels:write", "channels:act"];
  const role = await app.ask("POST", "/api/admin_role/", { name: "channels", rights }, app.as.root);
  const holder = await app.addUser("holder");
  const roleId = (role.body.data as { id: number }).id;
  await app.ask("PUT", `/api/admin_role/users/${holder}`, { role_id: roleId }, app.as.root);
  byRole = await app.login("holder");
  const account = await app.ask("POST", "/api/service_account/", { name: "ci", rights, expires_time: 0 }, app.as.root);
  service = { authorization: `Bearer ${(account.body.data as { token: string }).token}` };
});
afterAll(async () => {
  await thief.stop(true);
  await app.close();
});

const CALLERS = {
  "an administrator": () => app.as.admin,
  "the holder of a role": () => byRole,
  "a service account": () => service,
};

let count = 0;
async function create(fields: object = {}): Promise<{ id: number; name: string }> {
  count += 1;
  const name = `channel-${count}`;
  const body = { name, key: KEY, models: "gpt-4o", base_url: "https://api.example.com", ...fields };
  const answer = await app.ask("POST", "/api/channel/", body, app.as.root);
  if (!answer.body.success) throw new Error(answer.text);
  return { id: (answer.body.data as { id: number }).id, name };
}
const rowOf = async (id: number) => (await app.db.select().from(channels).where(eq(channels.id, id)))[0];
const put = async (id: number, change: object, headers = app.as.admin) =>
  (await app.ask("PUT", "/api/channel/", { id, ...change }, headers)).body;

const VERTEX = { type: 41, other: "us-east5", base_url: "", key: '{"type":"service_account","project_id":"p"}' };

/** Changes of a stored channel that lead its requests elsewhere. */
const REDIRECTS: readonly (readonly [what: string, change: object, stored?: object])[] = [
  ["another scheme", { base_url: "http://api.example.com" }],
  ["another host", { base_url: "https://evil.example" }],
  ["another port", { base_url: "https://api.example.com:8443" }],
  ["a host that only begins alike", { base_url: "https://api.example.com.evil.example" }],
  ["a user part that looks like the host", { base_url: "https://api.example.com@evil.example" }],
  ["the provider's own host", { base_url: "" }],
  ["a host in place of the provider's own", { base_url: "https://evil.example" }, { base_url: "" }],
  ["another type", { type: 14 }],
  ["a proxy", { setting: '{"proxy":"http://evil.example:3128"}' }],
  ["another proxy", { setting: '{"proxy":"http://evil.example:1"}' }, { setting: '{"proxy":"http://ours.example:1"}' }],
  ["no proxy", { setting: "" }, { setting: '{"proxy":"http://ours.example:1"}' }],
  ["another region of Vertex AI", { other: "europe-west4" }, VERTEX],
  ["another region of one model", { other: '{"default":"us-east5","m":"europe-west4"}' }, VERTEX],
  [
    "a model within the host",
    { model_mapping: '{"gpt-4o":"evil"}' },
    { type: 8, base_url: "https://{model}.example.com/chat" },
  ],
];

/** Changes that leave a channel's requests where they go. */
const OTHERS: readonly (readonly [what: string, change: object, stored?: object])[] = [
  ["another path", { base_url: "https://api.example.com/v2" }],
  ["the same host, written otherwise", { base_url: "https://API.example.com:443/" }],
  ["the provider's own host by name", { base_url: "https://api.openai.com" }, { base_url: "" }],
  ["other settings", { setting: '{"force_format":true,"system_prompt":"x","user_agent":"y"}' }],
  [
    "another password of the same proxy",
    { setting: '{"proxy":"http://me:new@ours.example:1"}' },
    { setting: '{"proxy":"http://me:old@ours.example:1"}' },
  ],
  [
    "settings in another order",
    { setting: '{"user_agent":"x","proxy":"http://p:1"}' },
    { setting: '{"proxy":"http://p:1","user_agent":"x"}' },
  ],
  ["an API version", { other: "2025-01-01" }, { type: 3 }],
  ["names and models", { name: "renamed", models: "a,b", model_mapping: '{"a":"b"}', test_model: "a" }],
];

describe.each(Object.entries(CALLERS))("%s", (_, headers) => {
  test.each(REDIRECTS)("enters the key again for %s", async (__, change, stored = {}) => {
    const { id } = await create(stored);
    const before = await rowOf(id);
    for (const key of [{}, { key: "" }, { key: "sk-k••••stay" }]) {
      expect(await put(id, { ...change, ...key }, headers())).toMatchObject({ code: "channel_key_required_again" });
    }
    expect(await rowOf(id)).toEqual(before);
    const entered = { key: "type" in stored && stored.type === 41 ? VERTEX.key : "sk-entered-again" };
    expect(await put(id, { ...change, ...entered }, headers())).toMatchObject({ success: true });
  });

  test.each(OTHERS)("keeps the key with %s", async (__, change, stored = {}) => {
    const { id } = await create(stored);
    expect(await put(id, change, headers())).toMatchObject({ success: true });
  });

  test("can't see keys, nor read them in an export", async () => {
    const { id } = await create();
    const shown = await app.ask("GET", `/api/channel/${id}?show_key=true`, undefined, headers());
    expect(shown.body).toMatchObject({ success: false, code: "permission_denied" });
    const file = await app.ask("POST", "/api/channel/export", { secrets: true }, headers());
    expect(file.body).toMatchObject({ success: false, code: "permission_denied" });
    expect(shown.text + file.text).not.toContain(KEY);
  });

  test("copies a channel with its key, and enters it again to send the copy elsewhere", async () => {
    const { id } = await create({ weight: 7, setting: '{"force_format":true}' });
    const copied = await app.ask("POST", `/api/channel/${id}/copy`, { name: `copy of ${id}` }, headers());
    const { id: copy } = copied.body.data as { id: number };
    const [was, is] = [await rowOf(id), await rowOf(copy)];
    expect(is).toMatchObject({ name: `copy of ${id}`, status: 2, weight: 7, setting: '{"force_format":true}' });
    expect(app.vault.decrypt(is?.keyCipher ?? "")).toBe(app.vault.decrypt(was?.keyCipher ?? ""));
    const elsewhere = { base_url: thief.url.href };
    expect(await put(copy, elsewhere, headers())).toMatchObject({ code: "channel_key_required_again" });
  });

  test("imports another address only with the key, which the preview says", async () => {
    const { id, name } = await create();
    const entry = { name, type: 1, base_url: thief.url.href };
    const preview = async (channel: object) =>
      (await app.ask("POST", "/api/channel/import/preview", { channels: [channel] }, headers())).body.data;
    expect(await preview(entry)).toMatchObject([{ action: "refused", message: expect.stringContaining("key") }]);
    const refused = await app.ask("POST", "/api/channel/import", { channels: [entry] }, headers());
    expect(refused.body.data).toMatchObject({ changed: 0, refused: [{ name, id }] });
    expect((await rowOf(id))?.baseUrl).toBe("https://api.example.com");
    // The very key that is stored counts as entered again.
    const complete = { ...entry, key: KEY };
    expect(await preview(complete)).toMatchObject([{ action: "changed", fields: ["base_url", "key"] }]);
    const done = await app.ask("POST", "/api/channel/import", { channels: [complete] }, headers());
    expect(done.body.data).toMatchObject({ changed: 1, refused: [] });
  });

  test("gets nothing by tests, model lists and balances after it tried", async () => {
    const { id } = await create({ base_url: "http://127.0.0.1:9" });
    await put(id, { base_url: thief.url.href }, headers());
    await app.ask("GET", `/api/channel/test/${id}`, undefined, headers());
    await app.ask("GET", `/api/channel/fetch_models/${id}`, undefined, headers());
    await app.ask("GET", `/api/channel/update_balance/${id}`, undefined, headers());
    const form = { type: 1, base_url: thief.url.href, key: "sk-k••••stay" };
    const list = await app.ask("POST", "/api/channel/fetch_models", form, headers());
    expect(list.body).toMatchObject({ success: false, code: "channel_key_masked" });
    expect(stolen.join()).not.toContain(KEY);
    expect(stolen).toEqual([]);
  });
});

test("a tag's edit is refused for all of its channels where one would send its key elsewhere", async () => {
  const tag = "templated";
  const { id } = await create({ tag });
  await create({ tag, type: 8, base_url: "https://{model}.example.com/chat" });
  const edit = (headers: Headers) =>
    app.ask("PUT", "/api/channel/tag", { tag, model_mapping: '{"gpt-4o":"evil"}' }, headers);
  expect((await edit(app.as.admin)).body.code).toBe("channel_key_required_again");
  expect((await rowOf(id))?.modelMapping).toBe("");
  expect((await edit(app.as.root)).body.success).toBe(true);
});

test("an address of now never gets a key that is entered meanwhile for another", async () => {
  const { id } = await create();
  const [moved, unmoved] = await Promise.all([
    put(id, { base_url: "https://next.example", key: "sk-for-next" }, app.as.root),
    put(id, { base_url: "https://api.example.com", priority: 3 }),
  ]);
  expect(moved.success).toBe(true);
  const row = await rowOf(id);
  const key = app.vault.decrypt(row?.keyCipher ?? "");
  expect([row?.baseUrl, key]).toEqual(["https://next.example", "sk-for-next"]);
  // Before the move it changes nothing; after it, it would send the new key back.
  expect(unmoved.success || unmoved.code === "channel_key_required_again").toBe(true);
});

describe("the super administrator", () => {
  test.each(REDIRECTS)("may keep the key with %s", async (_, change, stored = {}) => {
    const { id } = await create(stored);
    expect(await put(id, change, app.as.root)).toMatchObject({ success: true });
  });

  test.each(REDIRECTS)("enters a reference again for %s", async (_, change, stored = {}) => {
    const { id } = await create({ ...stored, key: REFERENCE });
    const before = await rowOf(id);
    for (const headers of [app.as.root, app.as.admin]) {
      expect(await put(id, change, headers)).toMatchObject({ code: "channel_reference_required_again" });
    }
    expect(await put(id, { ...change, key: REFERENCE })).toMatchObject({ code: "channel_key_reference_denied" });
    expect(await rowOf(id)).toEqual(before);
    expect(await put(id, { ...change, key: REFERENCE }, app.as.root)).toMatchObject({ success: true });
  });

  test("is the only one who imports a reference", async () => {
    const entry = { name: "by reference", type: 1, key: REFERENCE, models: "a" };
    const preview = await app.ask("POST", "/api/channel/import/preview", { channels: [entry] }, app.as.admin);
    expect(preview.body.data).toMatchObject([{ action: "refused" }]);
  });
});
