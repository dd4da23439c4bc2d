import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { refundCharge } from "../../../src/domain/tasks/refund-charge.ts";
import type { PlanInput } from "../../../src/domain/wallet/plans/plans.ts";
import { temporaryDirectory } from "../../support/billing/start-billing.ts";
import { startPlanRelay } from "../../support/billing/start-plan-relay.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
let files: Awaited<ReturnType<typeof temporaryDirectory>>;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  files = await temporaryDirectory();
});
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));
afterAll(async () => {
  await database.close();
  await files.remove();
});

const start = async (wallet: number, plans: readonly Partial<PlanInput>[]) => {
  const started = await startPlanRelay({ database, dataDir: files.path }, wallet, plans);
  stops.push(started.stop);
  return started;
};

test("a plan pays for its models, also without a balance; a failed task gives it back", async () => {
  const { ask, look, userId } = await start(0, [{ name: "Some", models: ["gpt-*"] }]);
  expect((await ask("gpt-4o")).status).toBe(200);
  const paid = await look();
  expect(paid.quota).toBeGreaterThan(0);
  expect(paid).toMatchObject({ draws: ["Some"], wallet: 0, left: { Some: 1_000_000 - paid.quota } });
  const refused = await ask("o3");
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: "insufficient_quota" } });
  const charge = {
    ...{ chargeId: paid.row?.request_id as string, createdAt: Number(paid.row?.created_at), userId },
    ...{ tokenId: Number(paid.row?.token_id), channelId: 1, task: { kind: "media", name: "t" } as const },
  };
  expect(await database.db.transaction((tx) => refundCharge(tx, charge, false))).toBe(paid.quota);
  expect(await look()).toMatchObject({ wallet: 0, left: { Some: 1_000_000 } });
});

test("other models draw on plans for all models and the balance; the first plan with enough left pays", async () => {
  const { ask, look } = await start(1_000_000, [
    { name: "Tiny", models: ["gpt-4o*"], windowQuota: 1, window: "day" },
    { name: "Mini", models: ["gpt-4o-mini"], window: "5h" },
    { name: "Some", models: ["gpt-*"], window: "week" },
    { name: "All" },
  ]);
  expect((await ask("gpt-4o-mini")).status).toBe(200);
  expect((await look()).draws).toEqual(["Mini"]);
  expect((await ask("gpt-4o")).status).toBe(200);
  expect((await look()).draws).toEqual(["Some"]);
  expect((await ask("o3")).status).toBe(200);
  const last = await look();
  expect(last.draws).toEqual(["All"]);
  expect(last.left).toMatchObject({ Tiny: 1 });
  expect(last.wallet).toBe(2_000_000 - last.quota);
});

test("a plan without overage refuses other models by its name, in each API's format, and its own at the end of its quota", async () => {
  const { ask, look, upstream } = await start(1_000_000, [
    { name: "Strict", models: ["gpt-4o"], windowQuota: 1, allowsOverage: false },
  ]);
  const refused = await ask("o3");
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({
    error: {
      code: "plan_model_not_included",
      message: expect.stringContaining("The plan Strict does not include the model o3"),
    },
  });
  expect(await (await ask("o3", "/v1/messages")).json()).toMatchObject({
    type: "error",
    error: { type: "permission_error", message: expect.stringContaining("The plan Strict") },
  });
  const used = await ask("gpt-4o");
  expect(used.status).toBe(429);
  // When the quota comes back: in a month.
  expect(Number(used.headers.get("retry-after"))).toBeGreaterThan(27 * 86_400);
  expect(await used.json()).toMatchObject({
    error: { code: "insufficient_quota", message: expect.stringContaining("$0.000002 are left") },
  });
  expect(upstream.received).toHaveLength(0);
  expect(await look()).toMatchObject({ wallet: 1_000_000, left: { Strict: 1 } });
});
