import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { CHANNEL_STATUS, channels } from "../../../db/schema/channels/channels.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { jobTurns } from "../../../db/schema/settings.ts";
import { paymentCases } from "../../../db/schema/wallet/plans/plan-orders.ts";
import { withdrawals } from "../../../db/schema/wallet/wallet.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { until } from "../../../test/support/lib/until.ts";
import { LOG_TYPE } from "../../domain/logs/write-log.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: TestOperations;
beforeAll(async () => {
  app = await startTestOperations();
});
afterAll(() => app.close());

const read = async () => (await app.ask("GET", "/api/system/first_steps", undefined, app.as.root)).body.data;
const post = (path: string, body: object) => app.ask("POST", path, body, app.as.root);

test("only super admins may read the first steps", async () => {
  for (const caller of [app.as.admin, app.as.user]) {
    const answer = await app.ask("GET", "/api/system/first_steps", undefined, caller);
    expect(answer.body.code).toBe("permission_denied");
  }
});

test("each step follows from what is stored", async () => {
  const nothing = { channel: null, is_tested: false, models: 0, unpriced: [], has_key: false, request_id: null };
  expect(await read()).toEqual(nothing);

  const channel = { name: "main", key: "sk-1", models: "gpt-4o,a-model-of-ours", base_url: "http://127.0.0.1:9" };
  const { id } = (await post("/api/channel/", channel)).body.data as { id: number };
  const unpriced = ["a-model-of-ours"];
  expect(await read()).toEqual({ ...nothing, channel: { id, name: "main" }, models: 2, unpriced });

  await app.settings.set("SelfUseModeEnabled", "true");
  expect(await read()).toMatchObject({ unpriced: [] });
  await app.settings.set("SelfUseModeEnabled", "false");
  await app.settings.set("ModelPrice", JSON.stringify({ "a-model-of-ours": 0.01 }));
  expect(await read()).toMatchObject({ unpriced: [], is_tested: false });

  await app.db.update(channels).set({ responseTime: 12 }).where(eq(channels.id, id));
  expect(await read()).toMatchObject({ is_tested: true, has_key: false });

  await post("/api/token/", { name: "first", unlimited_quota: true });
  expect(await read()).toMatchObject({ has_key: true, request_id: null });

  const call = { type: LOG_TYPE.consumption, createdAt: nowSeconds() };
  await app.db.insert(logs).values([
    { ...call, userId: app.ids.user, requestId: "theirs" },
    { ...call, userId: app.ids.root, requestId: "failed", failed: true },
  ]);
  expect(await read()).toMatchObject({ request_id: null });
  await app.db.insert(logs).values({ ...call, userId: app.ids.root, requestId: "mine" });
  expect(await read()).toMatchObject({ request_id: "mine" });
});

test("what waits for a decision is listed until somebody decides", async () => {
  const decisions = async (as: Record<string, string> = app.as.admin) =>
    (await app.ask("GET", "/api/system/decisions", undefined, as)).body;
  expect((await decisions(app.as.user)).code).toBe("permission_denied");
  expect((await decisions()).data).toEqual([]);

  const channel = { name: "second", key: "sk-2", models: "another-of-ours", base_url: "http://127.0.0.1:9" };
  const { id } = (await post("/api/channel/", channel)).body.data as { id: number };
  expect((await decisions()).data).toEqual([{ kind: "models_unpriced", count: 1, names: ["another-of-ours"] }]);

  await app.db.update(channels).set({ status: CHANNEL_STATUS.autoDisabled }).where(eq(channels.id, id));
  await app.changes.publish("channels", [id]);
  await until(
    async () => (await decisions()).data as { kind: string }[],
    ([first]) => first?.kind === "channels_disabled",
  );
  const case_ = { kind: "dispute", money: "5", currency: "USD", createdAt: nowSeconds() };
  await app.db.insert(paymentCases).values([
    { ...case_, reference: "open" },
    { ...case_, reference: "closed", closedAt: nowSeconds() },
  ]);
  const withdrawal = { userId: app.ids.user, quota: 1, createdTime: nowSeconds() };
  await app.db.insert(withdrawals).values([withdrawal, { ...withdrawal, status: "paid" }]);
  await app.db.insert(jobTurns).values([
    { job: "channel-tests", begunAt: 0, error: "broken" },
    { job: "cleanup", begunAt: 0 },
  ]);
  expect((await decisions()).data).toEqual([
    { kind: "channels_disabled", count: 1, names: ["second"] },
    { kind: "payment_cases", count: 1, names: ["open"] },
    { kind: "withdrawals", count: 1, names: [] },
    { kind: "jobs_failed", count: 1, names: ["channel-tests"] },
  ]);
});
