import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users as usersTable } from "../../../../db/schema/accounts/users.ts";
import { priceChanges } from "../../../../db/schema/models/pricing.ts";
import { readFromPrimary } from "../../../../db/server/replica.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { callRecord, writeCalls } from "../../../../test/support/logs.ts";
import { sessionUser } from "../../../domain/accounts/authenticate.ts";
import { createSessions } from "../../../domain/accounts/sign-in/sessions.ts";
import { createRoutingIndex } from "../../../domain/channels/routing/routing-index.ts";
import { createModelHealth } from "../../../domain/models/model-health.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { createPublicModels, type ModelPageView } from "../public-models.ts";
import { pricingRoutes } from "./pricing.ts";

const DAY_S = 86_400;
let app: TestConsole;
let sessions: ReturnType<typeof createSessions>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async ({ db, database, changes, settings, users }) => {
    const failing = { modelName: "by-token", createdAt: nowSeconds() - 2 * DAY_S, failed: true, channelId: 1 };
    await writeCalls(
      database,
      Array.from({ length: 6 }, () => callRecord(failing)),
    );
    await settings.set("ModelRatio", '{"by-token": 1.25}');
    await settings.set("GroupRatio", '{"default": 1, "vip": 0.5, "staff": 0.1}');
    await settings.set("UserUsableGroups", '{"default": "Everybody", "vip": "Friends"}');
    const index = createRoutingIndex();
    index.add(channelEntry({ id: 1, name: "secret supplier", models: ["by-token"], groups: ["default"] }));
    index.add(channelEntry({ id: 2, models: ["hidden"], groups: ["staff"] }));
    sessions = createSessions({ db, changes, users, secret: "the session secret of the tests" });
    const channels = { ...index, get: () => undefined, all: () => [], close: () => undefined };
    const modelHealth = createModelHealth({ reads: readFromPrimary(db), settings, channels });
    const publicModels = createPublicModels({ settings, channels, modelHealth });
    return pricingRoutes({ db, settings, channels, publicModels }, (request) =>
      sessionUser({ users, sessions }, request),
    );
  });
});
afterAll(async () => {
  sessions.close();
  await app.close();
});

test("a page of prices has the models that are meant, and the groups say for whom", async () => {
  const page = async (query: string) => {
    const { status, body } = await app.ask("GET", `/api/pricing/models?${query}`);
    expect(status).toBe(200);
    return body;
  };
  const { data: all } = (await app.ask("GET", "/api/pricing")).body;
  expect(await page("p=1&page_size=10")).toMatchObject({ data: { items: all, total: 1, page: 1, page_size: 10 } });
  expect(await page("p=2&page_size=10")).toMatchObject({ data: { items: [], total: 1 } });
  for (const [query, total] of [
    ["keyword=byt", 1],
    ["keyword=hidden", 0],
    ["maker=Anthropic", 0],
    ["capability=chat", 1],
    ["capability=image", 0],
    ["group=default", 1],
    ["group=vip", 0],
    ["group=staff", 0],
  ] as const)
    expect([query, await page(query)]).toMatchObject([query, { data: { total } }]);
  const groups = await app.ask("GET", "/api/pricing/groups");
  expect(groups.body).toMatchObject({
    data: { group: "default", group_ratio: { default: 1, vip: 0.5 }, makers: [], usable_group: { vip: "Friends" } },
  });
  expect(groups.text).not.toContain("staff");
});

test("a visitor sees the models and factors of the groups that everybody may use, and nothing of channels", async () => {
  const { status, body, text } = await app.ask("GET", "/api/pricing");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    success: true,
    group: "default",
    group_ratio: { default: 1, vip: 0.5 },
    usable_group: { default: "Everybody", vip: "Friends" },
    data: [{ model_name: "by-token", quota_type: 0, model_ratio: 1.25, is_priced: true }],
  });
  expect(text).not.toContain("staff");
  expect(text).not.toContain("hidden");
  expect(text).not.toContain("secret supplier");
});

test("somebody of a group of their own sees its models too", async () => {
  const id = await app.addUser("insider");
  const session = await app.login("insider");
  await app.db.update(usersTable).set({ group: "staff" }).where(eq(usersTable.id, id));
  await app.changes.publish("users", [id]);
  const { body } = await app.ask("GET", "/api/pricing", undefined, session);
  expect(body).toMatchObject({ group: "staff", group_ratio: { staff: 0.1 } });
  expect((body.data as { model_name: string }[]).map(({ model_name }) => model_name)).toContain("hidden");
});

test("changes of prices: visitors learn of models that they may see, administrators of all", async () => {
  await app.db.insert(priceChanges).values([
    {
      ...{ changedAt: 100, model: "by-token" },
      before: { usdPerCall: "1", variants: { "mode=pro": "3" } },
      after: { usdPerCall: "2", variants: { "mode=pro": "4" } },
    },
    { changedAt: 200, model: "hidden", before: null, after: { usdPerCall: "3" } },
    { changedAt: 300, model: "gone", before: { usdPerCall: "1" }, after: null },
  ]);
  const ask = async (headers?: Record<string, string>) =>
    (await app.ask("GET", "/api/pricing/changes?p=1&page_size=10", undefined, headers)).body;
  expect(await ask()).toEqual({
    success: true,
    message: "",
    data: {
      items: [
        {
          ...{ id: 1, changed_at: 100, model_name: "by-token", unit: "token", is_base_same: false },
          before: { usdPerCall: "1", variants: { "mode=pro": "3" } },
          after: { usdPerCall: "2", variants: { "mode=pro": "4" } },
          parts: [{ part: "variant", of: "mode=pro", before: { usd: 3 }, after: { usd: 4 } }],
        },
      ],
      total: 1,
      page: 1,
      page_size: 10,
    },
  });
  expect((await ask(await app.login("insider"))).data).toMatchObject({
    total: 2,
    items: [{ model_name: "hidden" }, {}],
  });
  await app.addUser("admin", "admin");
  expect((await ask(await app.login("admin"))).data).toMatchObject({
    total: 3,
    items: [{ model_name: "gone" }, {}, {}],
  });
});

test("a model's page shows its past incidents where the site publishes how models do, and no number of calls", async () => {
  const page = async () => (await app.ask("GET", "/api/pricing/model?name=by-token")).body.data as ModelPageView;
  expect(await page()).toMatchObject({ status: null, incidents: null });
  await app.settings.set("StatusPageEnabled", "true");
  const start = nowSeconds() - 2 * DAY_S - (nowSeconds() % 3600);
  expect((await page()).incidents).toEqual([{ start, end: start + 3600, state: "down", share: 0 }]);
});
