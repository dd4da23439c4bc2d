import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createBilling } from "../../../src/billing/billing.ts";
import type { UserEntry } from "../../../src/domain/accounts/directory.ts";
import { createBudgetDirectory } from "../../../src/domain/accounts/organizations/budgets/directory.ts";
import { refundCharge } from "../../../src/domain/tasks/refund-charge.ts";
import { createPlanTermsDirectory } from "../../../src/domain/wallet/plans/limits/terms.ts";
import { type PlanInput, savePlan } from "../../../src/domain/wallet/plans/plans.ts";
import { type PlanDeps, subscribe } from "../../../src/domain/wallet/plans/subscribe.ts";
import { addUser, silentLog, temporaryDirectory } from "../../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { fixedSettings } from "../../support/lib/settings.ts";

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

/** A gateway on a real ledger, whose user has `wallet` and is subscribed to these plans. */
async function start(wallet: number, plans: readonly Partial<PlanInput>[]) {
  const { db, sql, changes } = database;
  const userId = await addUser(sql, wallet);
  const billing = await createBilling({
    ...{ database, changes, dataDir: files.path, log: silentLog, sole: true },
    processId: Bun.randomUUIDv7(),
  });
  const [budgets, planTerms] = await Promise.all([
    createBudgetDirectory({ db, changes, log: silentLog }),
    createPlanTermsDirectory({ db, changes, log: silentLog }),
  ]);
  const deps: PlanDeps = { db, changes, settings: fixedSettings({}), billing };
  const actor = { id: userId, role: 100 } as UserEntry;
  for (const values of plans) {
    const planId = await savePlan(deps, actor, {
      ...{ name: "plan", description: "", price: 0, period: "month", periodCount: 1, window: "month" },
      ...{ windowQuota: 1_000_000, userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true, ...values },
    });
    await subscribe(deps, userId, planId);
  }
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({
    channels: [{ type: 1, baseUrl: upstream.url, models: ["gpt-4o", "gpt-4o-mini", "o3"] }],
    user: { id: userId },
    tokens: { test: { userId } },
    ...{ billing, budgets, planTerms },
  });
  stops.push(upstream.stop, relay.stop, () => billing.close(), budgets.close, planTerms.close);
  const ask = (model: string, path = "/v1/chat/completions") =>
    relay.post(path, { model, max_tokens: 10, messages: [{ role: "user", content: "Hi" }] });
  return {
    ...{ ask, upstream, userId },
    /** Who paid for the last call, and what is left. */
    async look() {
      await billing.flush();
      const [row] = await sql`select * from logs where user_id = ${userId} and type = 2 order by id desc limit 1`;
      const [user] = await sql<{ quota: number }[]>`select quota::int from users where id = ${userId}`;
      const left = await sql<{ name: string; remaining: number }[]>`
        select p.name, s.remaining::int from subscriptions s join plans p on p.id = s.plan_id
        where s.user_id = ${userId} order by s.id`;
      return {
        row,
        quota: Number(row?.quota ?? 0),
        draws: (JSON.parse(row?.other ?? "{}").plan_draws ?? []).map((draw: { plan: string }) => draw.plan),
        wallet: user?.quota ?? 0,
        left: Object.fromEntries(left.map(({ name, remaining }) => [name, remaining])),
      };
    },
  };
}

test("a plan pays for its models, also without a balance; a failed task gives it back", async () => {
  const { ask, look, userId } = await start(0, [{ name: "Some", models: ["gpt-*"] }]);
  expect((await ask("gpt-4o")).status).toBe(200);
  const paid = await look();
  expect(paid.quota).toBeGreaterThan(0);
  expect(paid).toMatchObject({ draws: ["Some"], wallet: 0, left: { Some: 1_000_000 - paid.quota } });
  const refused = await ask("o3");
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: { code: "insufficient_user_quota" } });
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
  expect(used.status).toBe(403);
  expect(await used.json()).toMatchObject({
    error: { code: "plan_quota_exceeded", message: expect.stringContaining("1 are left") },
  });
  expect(upstream.received).toHaveLength(0);
  expect(await look()).toMatchObject({ wallet: 1_000_000, left: { Strict: 1 } });
});
