import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  addUser,
  silentLog,
  temporaryDirectory,
  usageRecord,
} from "../../../../../test/support/billing/start-billing.ts";
import {
  noServices,
  openBilling,
  planDepsOf,
  planInput,
  planStateOf,
  switchPlan,
} from "../../../../../test/support/billing/start-plans.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import type { Billing } from "../../../../billing/billing.ts";
import { BOOKS, checkBooks } from "../../../../billing/check-ledger/check-ledger.ts";
import { applyOrphanBatch } from "../../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../../billing/journal/apply/record-text.ts";
import { InsufficientQuota } from "../../../../billing/ledger/errors.ts";
import type { LogOther } from "../../../../billing/types.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { computeStatement, monthAt } from "../../statements/compute-statement.ts";
import { advanceSubscriptions } from "../advance-subscriptions.ts";
import { setRenewal } from "../changes/change-subscription.ts";
import { type PlanInput, savePlan } from "../plans.ts";
import { type PlanDeps, subscribe } from "../subscribe.ts";
import { createPlanTermsDirectory, type PlanTermsDirectory } from "./terms.ts";

const DAY_S = 86_400;
const START = Math.floor(Date.now() / 1000) - 3600;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let terms: PlanTermsDirectory;
let actor: UserEntry;
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
  terms = await createPlanTermsDirectory({ db: database.db, changes: database.changes, log: silentLog });
  actor = { id: await addUser(database.sql, 0), role: 100 } as UserEntry;
});
afterAll(async () => {
  terms.close();
  await database.close();
  await directory.remove();
});

const open = (sole: boolean): Promise<Billing> => openBilling(database, directory.path, sole);
const depsOf = (billing: Billing): PlanDeps => planDepsOf(database, billing);
const plan = (deps: PlanDeps, values: Partial<PlanInput>) => savePlan(deps, actor, planInput(values));

/** The budget that pays for a subscription to this plan. */
const payerOf = (userId: number, name: string): number => {
  const found = terms.byUser.get(userId)?.find(({ planName }) => planName === name)?.budgetId;
  if (typeof found !== "number") throw new Error(`no plan ${name} pays`);
  return found;
};

async function call(billing: Billing, userId: number, quota: number, paidBy?: number, held = quota): Promise<string> {
  const payer = { userId, ...(paidBy !== undefined && { plan: paidBy }) };
  const hold = await billing.reserve({ ...payer, token: null, amount: held });
  const record = usageRecord({ ...payer, quota });
  await billing.settle(hold, record);
  return record.requestId;
}

async function drawsOf(requestId: string): Promise<[string, number][]> {
  const [row] = await database.sql<{ other: string }[]>`select other from logs where request_id = ${requestId}`;
  const { plan_draws: draws = [] } = JSON.parse(row?.other ?? "{}") as LogOther;
  return draws.map(({ plan: name, units }) => [name, units]);
}

const stateOf = (userId: number) => planStateOf(database, userId);

/** Every budget of a window says what the window has left, and nothing is held once nothing runs. */
async function requireBooks(userId: number, wallet: number): Promise<void> {
  const differing = await database.sql`
    select s.id, s.remaining, b.remaining as limit_left from subscriptions s
    left join budgets b on b.organization_id = s.user_id and b.scope = 'plan' and b.scope_id = s.id and b.deleted_at is null
    where s.user_id = ${userId} and s.own_quota and s.status in ('active', 'past_due') and b.remaining is distinct from s.remaining`;
  expect(differing).toHaveLength(0);
  for (const book of BOOKS) {
    const { wrong } = await checkBooks(database.db, book, 0, START + DAY_S);
    // The tests' wallets are not credited by anything.
    const unexplained = wrong.filter(
      ({ id, stored, added }) => book !== "balances" || (id === userId && stored - added !== wallet),
    );
    expect({ book, unexplained }).toEqual({ book, unexplained: [] });
  }
}

test("quota for some models is no part of the balance, pays first, and leaves the rest of a charge to the balance", async () => {
  const billing = await open(true);
  const deps = depsOf(billing);
  const userId = await addUser(database.sql, 1000);
  await subscribe(deps, userId, await plan(deps, { name: "General", window: "month", windowQuota: 100 }), START);
  await subscribe(deps, userId, await plan(deps, { name: "Some", windowQuota: 50, models: ["gpt-*"] }), START);
  expect(await stateOf(userId)).toEqual({ windows: [50, 100], walletUnits: 1000 });
  const some = payerOf(userId, "Some");
  const calls = [
    await call(billing, userId, 30, some),
    await call(billing, userId, 40),
    await call(billing, userId, 25, some, 15),
  ];
  await billing.flush();
  expect(await Promise.all(calls.map(drawsOf))).toEqual([
    [["Some", 30]],
    [["General", 40]],
    [
      ["Some", 20],
      ["General", 5],
    ],
  ]);
  expect(await stateOf(userId)).toEqual({ windows: [0, 55], walletUnits: 1000 });
  await expect(call(billing, userId, 1, some)).rejects.toMatchObject({ who: "budget", id: some });
  await requireBooks(userId, 1000);
  await advanceSubscriptions(deps, undefined, START + DAY_S);
  expect(await stateOf(userId)).toEqual({ windows: [50, 55], walletUnits: 1000 });
  await call(billing, userId, 7, some);
  await billing.flush();
  await requireBooks(userId, 1000);
  // A window that does not agree with what the ledger offers of it is found.
  await database.sql`update subscriptions set remaining = remaining + 1 where user_id = ${userId} and own_quota`;
  const { wrong } = await checkBooks(database.db, "budgets", some - 1, START);
  expect(wrong).toEqual([expect.objectContaining({ id: some, stored: 43, added: 44 })]);
  await database.sql`update subscriptions set remaining = remaining - 1 where user_id = ${userId} and own_quota`;
  const month = monthAt(Math.floor(Date.now() / 1000));
  const statement = await database.db.transaction((tx) => computeStatement(tx, deps.settings, userId, month));
  expect(statement).toMatchObject({
    opening: 1000,
    charged: 102,
    closing: 1000 + 43 + 55,
    content: { credits: { other: 0 } },
  });
  await billing.close();
});

describe.each([
  ["one process that decides alone", [true]],
  ["four processes", [false, false, false, false]],
])("%s", (_, modes) => {
  test("calls at the same time get exactly what the window has, and others the balance alone", async () => {
    const processes = await Promise.all(modes.map(open));
    const deps = depsOf(processes[0] as Billing);
    const userId = await addUser(database.sql, 38);
    await subscribe(deps, userId, await plan(deps, { name: "Some", windowQuota: 75, models: ["gpt-*"] }), START);
    const some = payerOf(userId, "Some");
    const outcomes = await Promise.allSettled(
      Array.from({ length: 240 }, (_, index) =>
        call(processes[index % processes.length] as Billing, userId, 7, index % 2 === 0 ? some : undefined),
      ),
    );
    await Promise.all(processes.map((billing) => billing.flush()));
    const made = (isPlan: boolean) =>
      outcomes.filter(({ status }, index) => status === "fulfilled" && (index % 2 === 0) === isPlan).length;
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(InsufficientQuota);
    expect([made(true), made(false)]).toEqual([10, 5]);
    expect(await stateOf(userId)).toEqual({ windows: [5], walletUnits: 3 });
    await requireBooks(userId, 38);
    await Promise.all(processes.map((billing) => billing.close()));
  }, 60_000);
});

test("what is left goes with the plan, and a plan for all models takes it over", async () => {
  const billing = await open(true);
  const deps = depsOf(billing);
  const userId = await addUser(database.sql, 1000);
  const some = await plan(deps, { name: "Some", windowQuota: 50, models: ["gpt-*", "gpt-*", " "] });
  await subscribe(deps, userId, some, START);
  await call(billing, userId, 10, payerOf(userId, "Some"));
  await billing.flush();
  const [subscription] = await database.sql<{ id: number }[]>`select id from subscriptions where user_id = ${userId}`;
  const all = await plan(deps, { name: "All", windowQuota: 60, price: 100 });
  await switchPlan(deps, userId, subscription?.id ?? 0, all, START + 60);
  expect(await stateOf(userId)).toEqual({ windows: [60], walletUnits: 900 });
  expect(terms.byUser.get(userId)).toBeUndefined();
  await requireBooks(userId, 1000);
  const dearer = await plan(deps, { name: "Dearer", windowQuota: 50, price: 200, models: ["gpt-*"] });
  await expect(switchPlan(deps, userId, subscription?.id ?? 0, dearer, START + 90)).rejects.toMatchObject({
    code: "plan_models_narrower",
  });
  await expect(savePlan(deps, actor, { ...planInput({ name: "All" }), id: all, models: ["a"] })).rejects.toMatchObject({
    code: "plan_models_narrowed",
  });
  await subscribe(deps, userId, some, START + 100);
  const [own] = await database.sql<
    { id: number }[]
  >`select id from subscriptions where user_id = ${userId} and own_quota`;
  await setRenewal({ ...deps, ...noServices }, userId, own?.id ?? 0, false);
  await advanceSubscriptions(deps, undefined, START + 40 * DAY_S);
  expect(terms.byUser.get(userId)).toBeUndefined();
  await requireBooks(userId, 1000);
  await billing.close();
});

test("charges that a dead process left are drawn once, however often they are adopted", async () => {
  const billing = await open(true);
  const deps = depsOf(billing);
  const userId = await addUser(database.sql, 1000);
  await subscribe(deps, userId, await plan(deps, { name: "Some", windowQuota: 50, models: ["gpt-*"] }), START);
  const paidBy = payerOf(userId, "Some");
  const records = [20, 20, 20].map((quota) => usageRecord({ userId, quota, plan: paidBy }));
  const texts = records.map(recordText);
  for (const batch of [texts.slice(0, 2), texts.slice(1), texts]) {
    await Promise.all([1, 2].map(() => applyOrphanBatch(database.sql, "dead", batch)));
  }
  expect(await Promise.all(records.map(({ requestId }) => drawsOf(requestId)))).toEqual([
    [["Some", 20]],
    [["Some", 20]],
    [["Some", 10]],
  ]);
  expect(await stateOf(userId)).toEqual({ windows: [0], walletUnits: 990 });
  await requireBooks(userId, 1000);
  await billing.close();
});
