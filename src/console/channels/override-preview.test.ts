import { afterAll, beforeAll, expect, test } from "bun:test";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import type { ChannelView } from "../../domain/channels/manage/channel-view.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: TestOperations;
const ids: number[] = [];
const BODY = { model: "best", temperature: 1, user: "u", messages: [{ role: "user", content: "Hi" }] };

beforeAll(async () => {
  app = await startTestOperations();
  for (const name of ["a", "b", "c"]) {
    const body = { name, key: `sk-key-of-${name}-000`, models: "gpt-4o", group: "default" };
    ids.push(((await app.ask("POST", "/api/channel/", body, app.as.admin)).body.data as { id: number }).id);
  }
  const row = { createdAt: nowSeconds(), type: 2, userId: 5, username: "ann", tokenName: "app", modelName: "gpt-4o" };
  const exchange = (client: string) =>
    JSON.stringify({ requested_model: "best", admin_info: { exchange: { client } } });
  await app.db.insert(logs).values([
    { ...row, requestId: "req-whole", other: exchange(JSON.stringify(BODY)) },
    { ...row, requestId: "req-cut", other: exchange('{"model":"be') },
    { ...row, requestId: "req-none", other: "{}" },
  ]);
});
afterAll(() => app.close());

const preview = async (body: object) =>
  (await app.ask("POST", "/api/channel/override_preview", body, app.as.admin)).body;
const OVERRIDES = {
  param_override: JSON.stringify({
    temperature: 0.5,
    operations: [
      { mode: "delete", path: "user", conditions: [{ path: "original_model", mode: "equals", value: "best" }] },
      { mode: "append", path: "messages.0.content", value: "!" },
    ],
  }),
  header_override: '{"X-User": "{username}/{key_name}", "X-From": "{client_header:X-App}"}',
};

test("of a stored request it says what overrides change, and which headers go along", async () => {
  const { data } = await preview({ ...OVERRIDES, request_id: " req-whole ", headers: { "x-app": "shop" } });
  expect(data).toMatchObject({
    changed: ["temperature", "user", "messages"],
    headers: { "x-user": "ann/app", "x-from": "shop" },
  });
  const { before, after } = data as { before: string; after: string };
  expect(JSON.parse(before)).toEqual(BODY);
  expect(JSON.parse(after)).toEqual({ model: "best", temperature: 0.5, messages: [{ role: "user", content: "Hi!" }] });
});

test("a body may be given instead, and is not changed by overrides that do not apply", async () => {
  const { data } = await preview({ ...OVERRIDES, param_override: "", body: '{"model":"m"}' });
  expect(data).toMatchObject({ changed: [], headers: { "x-user": "/" } });
});

test.each<[object, string]>([
  [{ request_id: "nobody-knows" }, "override_request_unknown"],
  [{ request_id: "req-cut" }, "override_request_body"],
  [{ request_id: "req-none" }, "override_request_body"],
  [{ body: "[]" }, "override_body_invalid"],
  [{ body: "{}", param_override: "[]" }, "channel_param_override_invalid"],
  [{ body: "{}", param_override: '{"operations":[{"mode":"fly"}]}' }, "channel_override_mode"],
  [{ body: "{}", header_override: '{"Host":"x"}' }, "channel_header_name"],
  [{ body: "{}", headers: { "a b": "x" } }, "override_headers_invalid"],
])("%j is refused", async (input, code) => {
  expect(await preview(input)).toMatchObject({ success: false, code });
});

test("chosen channels get overrides, and what is absent stays", async () => {
  const set = async (body: object) => (await app.ask("POST", "/api/channel/batch/overrides", body, app.as.admin)).body;
  const chosen = ids.slice(0, 2);
  expect(await set({ ids: chosen, param_override: '{"top_p":1}' })).toMatchObject({ success: true, data: 2 });
  expect(await set({ ids: chosen.slice(0, 1), header_override: '{"X-A":"b"}' })).toMatchObject({ data: 1 });
  const { body } = await app.ask("GET", "/api/channel/?page_size=10", undefined, app.as.admin);
  const found = new Map((body.data as ChannelView[]).map(({ id, ...channel }) => [id, channel]));
  expect(ids.map((id) => [found.get(id)?.param_override, found.get(id)?.header_override])).toEqual([
    ['{"top_p":1}', '{"X-A":"b"}'],
    ['{"top_p":1}', ""],
    ["", ""],
  ]);
  expect(await set({ ids: [] })).toMatchObject({ code: "channel_selection_required" });
  expect(await set({ ids: chosen, param_override: "{" })).toMatchObject({ code: "channel_param_override_invalid" });
});
