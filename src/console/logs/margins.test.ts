/** What calls cost the operator: sums by channel and model, and that nobody but administrators sees any of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { users } from "../../../db/schema/accounts/users.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { callRecord, writeCalls } from "../../../test/support/logs.ts";
import { nowSeconds } from "../../lib/clock.ts";

const COST = 7_654_321;
let app: TestOperations;
let channelId = 0;
const now = nowSeconds();
const range = `start_timestamp=${now - 7200}&end_timestamp=${now}`;

beforeAll(async () => {
  app = await startTestOperations();
  await app.db.update(users).set({ quota: 100_000_000 });
  const channel = { name: "reseller", key: "sk", models: "m", setting: '{"cost_ratio": 0.7}' };
  channelId = ((await app.ask("POST", "/api/channel/", channel, app.as.admin)).body.data as { id: number }).id;
  const mine = { userId: app.ids.user, username: "user", createdAt: now - 5, channelId };
  const costing = (values: object, upstream_cost?: number) =>
    callRecord({
      ...mine,
      ...values,
      other: {
        request_id: "r",
        admin_info: { use_channel: [], attempts: [], ...(upstream_cost !== undefined && { upstream_cost }) },
      },
    });
  await writeCalls(app.database, [
    costing({ modelName: "a", quota: 9_000_000 }, COST),
    costing({ modelName: "b", quota: 100 }, 150),
    costing({ modelName: "b", quota: 70 }, 0),
    costing({ modelName: "b", quota: 500 }),
    costing({ modelName: "b", quota: 10, createdAt: now - 7200 - 3600 }, 5),
    costing({ modelName: "b", quota: 40, channelId: 0, unlogged: true }, 30),
  ]);
});
afterAll(() => app.close());

const ask = async (path: string) => (await app.ask("GET", path, undefined, app.as.admin)).body.data;

test("charges and costs are added up by channel and by model, of calls whose cost is known", async () => {
  const sums = { count: 3, quota: 9_000_170, cost: COST + 150 };
  expect(await ask(`/api/data/margins?${range}`)).toEqual([{ key: String(channelId), name: "reseller", ...sums }]);
  expect(await ask(`/api/data/margins?${range}&by=model`)).toEqual([
    { key: "a", name: "a", count: 1, quota: 9_000_000, cost: COST },
    { key: "b", name: "b", count: 2, quota: 170, cost: 150 },
  ]);
  expect(await ask(`/api/data/margins?${range}&by=model&model_name=b&channel=${channelId}`)).toHaveLength(1);
  expect(await ask(`/api/data/margins?${range}&channel=${channelId + 1}`)).toEqual([]);
});

test("a response that nobody got costs its own channel, and stands in the row of its call", async () => {
  const createdAt = now - 40 * 3600;
  const attempt = { channelName: "", status: 200, startMs: 0, firstByteMs: null, endMs: 1 };
  const attempts = [
    { ...attempt, channelId: channelId + 7, channel_cost: 40 },
    { ...attempt, channelId: channelId + 7, channel_cost: 2 },
    { ...attempt, channelId },
  ];
  const call = (values: object, upstream_cost?: number) =>
    callRecord({
      ...{ userId: app.ids.user, username: "user", createdAt, channelId, modelName: "late", ...values },
      other: {
        request_id: "r",
        admin_info: { use_channel: [], attempts, ...(upstream_cost !== undefined && { upstream_cost }) },
      },
    });
  await writeCalls(app.database, [call({ quota: 100 }, 50), call({ quota: 0, failed: true })]);
  const then = `start_timestamp=${createdAt - 60}&end_timestamp=${createdAt + 60}`;
  expect(await ask(`/api/data/margins?${then}`)).toEqual([
    { key: String(channelId), name: "reseller", count: 1, quota: 100, cost: 50 },
    { key: String(channelId + 7), name: "", count: 0, quota: 0, cost: 84 },
  ]);
  expect(await ask(`/api/data/margins?${then}&by=model`)).toEqual([
    { key: "late", name: "late", count: 1, quota: 100, cost: 134 },
  ]);
  const { text } = await app.ask("GET", `/api/log/export?${then}`, undefined, app.as.admin);
  const cells = text
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",").slice(-6, -4).join());
  expect(cells.toSorted()).toEqual(["42,-42", "92,8"]);
});

test("administrators' files have what calls cost and what is left of them", async () => {
  const path = `/api/log/export?start_timestamp=${now - 7200}&model_name=b`;
  const { text } = await app.ask("GET", path, undefined, app.as.admin);
  const [head = "", ...lines] = text.trim().split("\r\n");
  expect(head).toEndWith("uncovered,upstream_cost,margin,service_tier,quota_usd,upstream_cost_usd,margin_usd");
  const cells = lines.map((line) => line.split(",").slice(-7).join());
  expect(cells.toSorted()).toEqual(
    ["0,150,-50,,0.0002,0.0003,-0.0001", "0,0,70,,0.00014,0,0.00014", "0,,,,0.001,,"].toSorted(),
  );
});

const OF_USERS = [
  ...["/api/log/self", "/api/log/self/search?keyword=2", "/api/log/self/stat", "/api/log/self/export"],
  ...["/api/log/self/histogram", `/api/data/self?${range}`, `/api/data/self/series?${range}`],
  ...[`/api/data/self/overview?${range}`, "/api/data/self/pace"],
];
test.each(OF_USERS)("%s says nothing of costs to users", async (path) => {
  const { text, status } = await app.ask("GET", path, undefined, app.as.user);
  expect(status).toBe(200);
  expect(text).not.toContain("upstream_cost");
  expect(text).not.toContain("margin");
  expect(text).not.toContain(String(COST));
});

test("users are refused margins", async () => {
  const refused = await app.ask("GET", `/api/data/margins?${range}`, undefined, app.as.user);
  expect(refused.body.code).toBe("permission_denied");
});

test.each([
  ['{"cost_ratio": -1}', "cost_ratio"],
  ['{"cost_prices": {"m": {"tokens": 2}}}', "cost_prices"],
  ['{"cost_prices": []}', "cost_prices"],
])("a channel with %s is refused by the setting's name", async (setting, name) => {
  const { body } = await app.ask("POST", "/api/channel/", { name: "x", key: "k", models: "m", setting }, app.as.admin);
  expect(body).toMatchObject({ success: false, code: "channel_setting_value" });
  expect(body.message).toContain(`“${name}”`);
});
