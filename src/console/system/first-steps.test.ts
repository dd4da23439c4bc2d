import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { channels } from "../../../db/schema/channels/channels.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
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
