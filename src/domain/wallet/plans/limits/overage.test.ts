import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  addUser,
  silentLog,
  temporaryDirectory,
  usageRecord,
} from "../../../../../test/support/billing/start-billing.ts";
import { openBilling, planDepsOf, planInput, planStateOf } from "../../../../../test/support/billing/start-plans.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import type { Billing } from "../../../../billing/billing.ts";
import { InsufficientQuota } from "../../../../billing/ledger/errors.ts";
import type { LogOther } from "../../../../billing/types.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { type BudgetDirectory, createBudgetDirectory } from "../../../accounts/organizations/budgets/directory.ts";
import { advanceSubscriptions } from "../advance-subscriptions.ts";
import { type PlanInput, savePlan } from "../plans.ts";
import { type PlanDeps, subscribe } from "../subscribe.ts";

const DAY_S = 86_400;
const START = Date.UTC(2026, 4, 1) / 1000;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let budgets: BudgetDirectory;
let actor: UserEntry;
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
  budgets = await createBudgetDirectory({ db: database.db, changes: database.changes, log: silentLog });
  actor = { id: await addUser(database.sql, 0), role: 100 } as UserEntry;
});
afterAll(async () => {
  budgets.close();
  await database.close();
  await directory.remove();
});

const open = (sole: boolean): Promise<Billing> => openBilling(database, directory.path, sole);
const depsOf = (billing: Billing): PlanDeps => planDepsOf(database, billing);
const plan = (deps: PlanDeps, values: Partial<PlanInput>) => savePlan(deps, actor, planInput(values));

const limitsOf = (userId: number) => budgets.of({ id: 0, userId, projectId: 0, createdBy: 0 }).map(({ id }) => id);

async function call(billing: Billing, userId: number, quota: number, held = quota): Promise<string> {
  const limits = limitsOf(userId);
  const hold = await billing.reserve({ userId, token: null, budgets: limits, amount: held });
  const record = usageRecord({ userId, quota, ...(limits.length > 0 && { budgets: limits }) });
  await billing.settle(hold, record);
  return record.requestId;
}

async function drawsOf(requestId: string): Promise<LogOther["plan_draws"]> {
  const [row] = await database.sql<{ other: string }[]>`select other from logs where request_id = ${requestId}`;
  return (JSON.parse(row?.other ?? "{}") as LogOther).plan_draws;
}

const leftOf = (userId: number) => planStateOf(database, userId);

test("the log row says what each window and the wallet paid, in the order in which they are drawn on", async () => {
  const billing = await open(true);
  const deps = depsOf(billing);
  const userId = await addUser(database.sql, 1000);
  const other = await addUser(database.sql, 1000);
  // The window of the second plan ends first.
  await subscribe(deps, userId, await plan(deps, { name: "Monthly", window: "month", windowQuota: 100 }), START);
  await subscribe(deps, userId, await plan(deps, { name: "Daily", window: "day", windowQuota: 50 }), START);
  const calls = [];
  for (const quota of [30, 0, 60, 100, 7]) calls.push(await call(billing, userId, quota));
  const unrelated = await call(billing, other, 10);
  await billing.flush();
  const draws = await Promise.all(calls.map(drawsOf));
  const [monthly, daily] = [{ plan: "Monthly" }, { plan: "Daily" }];
  expect(draws).toEqual([
    [expect.objectContaining({ ...daily, units: 30 })],
    undefined,
    [expect.objectContaining({ ...daily, units: 20 }), expect.objectContaining({ ...monthly, units: 40 })],
    [expect.objectContaining({ ...monthly, units: 60 })],
    undefined,
  ]);
  expect(await drawsOf(unrelated)).toBeUndefined();
  expect(await leftOf(userId)).toEqual({ windows: [0, 0], walletUnits: 1000 - 40 - 7 });
  await billing.close();
});

describe.each([
  ["one process that decides alone", [true]],
  ["four processes", [false, false, false, false]],
])("%s", (_, modes) => {
  test("a plan without overage ends calls at its quota, although the wallet has more; its next window serves again", async () => {
    const processes = await Promise.all(modes.map(open));
    const deps = depsOf(processes[0] as Billing);
    const userId = await addUser(database.sql, 100_000);
    await subscribe(deps, userId, await plan(deps, { windowQuota: 75, allowsOverage: false }), START);
    expect(limitsOf(userId)).toHaveLength(1);
    const round = async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 200 }, (_, index) => call(processes[index % processes.length] as Billing, userId, 7)),
      );
      await Promise.all(processes.map((billing) => billing.flush()));
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(InsufficientQuota);
        if (outcome.status === "rejected") expect(outcome.reason.who).toBe("budget");
      }
      return outcomes.filter(({ status }) => status === "fulfilled").length;
    };
    expect(await round()).toBe(10);
    expect(await leftOf(userId)).toEqual({ windows: [5], walletUnits: 100_000 });
    await advanceSubscriptions(deps, undefined, START + DAY_S);
    expect(await round()).toBe(10);
    expect(await leftOf(userId)).toEqual({ windows: [5], walletUnits: 100_000 });
    const drawn = await database.sql<{ units: number }[]>`
      select sum((d ->> 'units')::int)::int as units from logs, json_array_elements(other::json -> 'plan_draws') d
      where user_id = ${userId} and type = 2`;
    expect(drawn[0]?.units).toBe(140);
    await Promise.all(processes.map((billing) => billing.close()));
  }, 60_000);
});

test("when the plan ends, calls draw on the wallet again", async () => {
  const billing = await open(true);
  const deps = depsOf(billing);
  const userId = await addUser(database.sql, 1000);
  await subscribe(deps, userId, await plan(deps, { windowQuota: 10, allowsOverage: false, window: "period" }), START);
  await expect(call(billing, userId, 11)).rejects.toBeInstanceOf(InsufficientQuota);
  await database.sql`update subscriptions set cancel_at_end = true where user_id = ${userId}`;
  await advanceSubscriptions(deps, undefined, START + 40 * DAY_S);
  expect(limitsOf(userId)).toEqual([]);
  await call(billing, userId, 11);
  await billing.flush();
  expect(await leftOf(userId)).toEqual({ windows: [], walletUnits: 989 });
  await billing.close();
});
