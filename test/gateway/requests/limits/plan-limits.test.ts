import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { UserEntry } from "../../../../src/domain/accounts/directory.ts";
import {
  createPlanTermsDirectory,
  createPlanTermsIndex,
  type PlanTermsDirectory,
} from "../../../../src/domain/wallet/plans/limits/terms.ts";
import { type PlanInput, savePlan } from "../../../../src/domain/wallet/plans/plans.ts";
import { grantPlan } from "../../../../src/domain/wallet/plans/subscribe.ts";
import { addUser, silentLog } from "../../../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";
import { fixedSettings } from "../../../support/lib/settings.ts";

let database: TestDatabase;
let directory: PlanTermsDirectory;
let actor: UserEntry;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await createPlanTermsDirectory({ db: database.db, changes: database.changes, log: silentLog });
  actor = { id: await addUser(database.sql, 0), role: 100, username: "root" } as UserEntry;
});
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));
afterAll(async () => {
  directory.close();
  await database.close();
});

const ASK = { model: "gpt-4o", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };

function start(planTerms: Parameters<typeof startRelay>[0]["planTerms"], id = 1) {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({
    channels: [{ type: 1, baseUrl: upstream.url }],
    user: { id },
    tokens: { test: { userId: id }, other: { id: 2, userId: id } },
    ...(planTerms && { planTerms }),
  });
  stops.push(upstream.stop, relay.stop);
  const call = (key = "test", path = "/v1/chat/completions") =>
    relay.post(path, ASK, { headers: { authorization: `Bearer sk-${key}`, "x-api-key": `sk-${key}` } });
  return { relay, call };
}

const terms = (id: number, planName: string, requestsPerMinute: number, tokensPerMinute = 0) => ({
  ...{ id, userId: 1, planName, requestsPerMinute, tokensPerMinute },
  ...{ models: [], budgetId: null, allowsOverage: true, windowEnd: 0, rollingSeconds: 0, isWindowPending: false },
  ...{ callsBudgetId: null, windowCalls: 0 },
});

test("a plan's requests per minute hold for all keys together, in each API's format; the highest of several counts", async () => {
  const { relay, call } = start(
    createPlanTermsIndex([terms(1, "Small", 1), terms(2, "Large", 3), terms(3, "Quota", 0)]),
  );
  const calls = await Promise.all(["test", "other", "test", "other", "test"].map((key) => call(key)));
  expect(calls.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
  const refused = await call("test", "/v1/messages");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({
    type: "error",
    error: {
      type: "rate_limit_error",
      message: expect.stringContaining("The plan Large allows 3 requests per minute"),
    },
  });
  expect(relay.billing.openHolds).toBe(0);
  // What was refused is logged too, and charged nothing.
  const charges = relay.billing.records.map(({ quota }) => quota);
  expect(charges.filter((quota) => quota > 0)).toHaveLength(3);
  expect(charges).toHaveLength(6);
});

test("a plan's tokens per minute count what calls used", async () => {
  const { call } = start(createPlanTermsIndex([terms(1, "Small", 0, 5)]));
  expect((await call()).status).toBe(200);
  const refused = await call("other");
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain("The plan Small allows 5 tokens per minute");
});

test("the limits of a plan follow its subscriptions, and its changes at once", async () => {
  const { db, changes, sql } = database;
  const deps = { db, changes, settings: fixedSettings({}) };
  const userId = await addUser(sql, 1000);
  const input: PlanInput = {
    ...{ name: "Pro", description: "", price: 0, period: "month", periodCount: 1, windowQuota: 0, window: "month" },
    ...{ userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true, requestsPerMinute: 1 },
  };
  const planId = await savePlan(deps, actor, input);
  const { call } = start(directory, userId);
  const statuses = async (count: number) => {
    const found = [];
    for (let made = 0; made < count; made++) found.push((await call()).status);
    return found;
  };
  expect(await statuses(2)).toEqual([200, 200]);
  await grantPlan(deps, actor, userId, planId);
  expect(await statuses(2)).toEqual([200, 429]);
  await savePlan(deps, actor, { ...input, id: planId, requestsPerMinute: 2 });
  expect(await statuses(3)).toEqual([200, 200, 429]);
  await savePlan(deps, actor, { ...input, id: planId, requestsPerMinute: 0 });
  expect(await statuses(2)).toEqual([200, 200]);
  expect(directory.byUser.get(userId)).toBeUndefined();
  await expect(savePlan(deps, actor, { ...input, id: planId, tokensPerMinute: -1 })).rejects.toMatchObject({
    code: "plan_rate_invalid",
  });
});
