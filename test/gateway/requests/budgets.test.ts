import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createBilling } from "../../../src/billing/billing.ts";
import { type BudgetEntry, createBudgetIndex } from "../../../src/domain/accounts/organizations/budgets/directory.ts";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { addBudget, addUser, budgetBooks, silentLog, temporaryDirectory } from "../../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));
afterAll(async () => {
  await database.close();
  await directory.remove();
});

const ASK = { model: "gpt-4o", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };
const MEMBER = 41;
const KEY = { id: 71, projectId: 31, createdBy: MEMBER };

/** A gateway on a real ledger, whose only key is of a project of an organization. */
async function start(
  known: readonly Partial<BudgetEntry>[],
  renew?: (ids: readonly number[]) => Promise<void>,
  options: Partial<Record<OptionKey, string>> = {},
) {
  const { sql, changes } = database;
  const organizationId = await addUser(sql, 10_000_000);
  const ids = await Promise.all(known.map(() => addBudget(sql, organizationId, 1_000_000)));
  const entries = known.map((entry, index) => ({
    ...{ organizationId, scope: "organization", scopeId: 0, name: "", period: "month", isHard: true, renewsAt: 0 },
    ...entry,
    id: ids[index] as number,
  })) as BudgetEntry[];
  const billing = await createBilling({
    ...{ database, changes, dataDir: directory.path, log: silentLog, sole: false },
    processId: Bun.randomUUIDv7(),
  });
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({
    channels: [{ type: 1, baseUrl: upstream.url, ...(options.ModelRatio && { models: ["dear", "cheap"] }) }],
    options,
    user: { id: organizationId, kind: "organization" },
    tokens: { test: { ...KEY, userId: organizationId } },
    billing,
    budgets: createBudgetIndex(entries),
    ...(renew && { renewOrganizationBudgets: renew }),
  });
  stops.push(upstream.stop, relay.stop, () => billing.close());
  const limitTo = (index: number, units: number) =>
    sql`update budgets set remaining = ${units} where id = ${ids[index] as number}`;
  return { ...relay, upstream, billing, ids, limitTo };
}

test("a call counts in the budgets of its key, member, project and organization, and its log row names them", async () => {
  const relay = await start([
    {},
    { scope: "project", scopeId: KEY.projectId, name: "Website" },
    { scope: "member", scopeId: MEMBER, isHard: false },
    { scope: "key", scopeId: KEY.id, period: "day" },
    { scope: "project", scopeId: 999 },
    { scope: "key", scopeId: 999 },
  ]);
  expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
  await relay.billing.flush();
  const [row] = await database.sql`select quota, other from logs order by id desc limit 1`;
  const charged = Number(row?.quota);
  expect(charged).toBeGreaterThan(0);
  const [organization, project, member, key] = relay.ids;
  expect(JSON.parse(row?.other).budgets).toEqual([
    { id: key, scope: "key", name: "", period: "day" },
    { id: member, scope: "member", name: "", period: "month" },
    { id: project, scope: "project", name: "Website", period: "month" },
    { id: organization, scope: "organization", name: "", period: "month" },
  ]);
  const spent = await Promise.all(relay.ids.map(async (id) => (await budgetBooks(database.sql, id)).spent));
  expect(spent).toEqual([charged, charged, charged, charged, 0, 0]);
});

test("a budget that is used up refuses the call and says which it is; a soft one lets it pass", async () => {
  const relay = await start([{}, { scope: "project", scopeId: KEY.projectId, name: "Website" }, { isHard: false }]);
  await relay.limitTo(2, 0);
  expect((await relay.post("/v1/chat/completions", ASK)).status).toBe(200);
  await relay.limitTo(1, 0);
  await database.changes.publish("budgets", relay.ids);
  const refused = await relay.post("/v1/chat/completions", ASK);
  expect(refused.status).toBe(429);
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  expect(error.code).toBe("insufficient_quota");
  expect(error.message).toContain("Budget of the project Website exceeded");
  expect(relay.upstream.received).toHaveLength(1);
});

test("a plan without overage refuses calls in words of its own", async () => {
  const relay = await start([{ scope: "plan", period: "total" }]);
  await relay.limitTo(0, 0);
  await database.changes.publish("budgets", relay.ids);
  const refused = await relay.post("/v1/chat/completions", ASK);
  expect(refused.status).toBe(429);
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  expect(error.code).toBe("insufficient_quota");
  expect(error.message).toContain("Quota of the plan exceeded");
});

test("a budget whose period is over is renewed before the call; if that fails, the call is refused", async () => {
  const renewed: number[] = [];
  const renewing = await start([{ renewsAt: 1000 }], async (ids) => void renewed.push(...ids));
  expect((await renewing.post("/v1/chat/completions", ASK)).status).toBe(200);
  expect(renewed).toEqual(renewing.ids);
  const failing = await start([{ renewsAt: 1000 }], () => Promise.reject(new Error("away")));
  expect((await failing.post("/v1/chat/completions", ASK)).status).toBe(503);
  expect(failing.upstream.received).toHaveLength(0);
});

test("where a budget covers only a cheaper model, many calls at once get it, and never more than the budget", async () => {
  const relay = await start([{}], undefined, {
    ModelRatio: '{"dear": 100, "cheap": 1}',
    CompletionRatio: '{"dear": 1, "cheap": 1}',
  });
  const ask = () => relay.post("/v1/chat/completions", { ...ASK, model: "dear", models: ["cheap"] });
  const [budget = 0] = relay.ids;
  // Enough for each of 20 calls to the cheap model, one after the other, and for none to the other.
  await relay.limitTo(0, 1_000);
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  const served = answers.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThan(0);
  for (const { status, headers } of answers) {
    expect([200, 429]).toContain(status);
    if (status === 200) expect(headers.get("x-sluice-model")).toBe("cheap");
  }
  await relay.billing.flush();
  const rows = await database.sql<{ quota: string; model_name: string }[]>`
    select quota, model_name from logs where quota > 0 and id > (select max(id) - ${served.length} from logs where quota > 0)`;
  expect(new Set(rows.map(({ quota, model_name }) => `${model_name} ${quota}`))).toEqual(new Set(["cheap 15"]));
  expect((await budgetBooks(database.sql, budget)).spent).toBe(15 * served.length);
});
