import { afterAll, describe, expect, test } from "bun:test";
import { addUser, silentLog, usageRecord } from "../../../../../test/support/billing/start-billing.ts";
import { noServices, planStateOf, startPlans } from "../../../../../test/support/billing/start-plans.ts";
import { type Billing, createBilling } from "../../../../billing/billing.ts";
import { checkBooks } from "../../../../billing/check-ledger/check-ledger.ts";
import { applyBatch, applyOrphanBatch } from "../../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../../billing/journal/apply/record-text.ts";
import { endNow } from "../changes/change-subscription.ts";
import type { PlanInput } from "../plans.ts";
import { subscribe } from "../subscribe.ts";

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const START = Date.UTC(2026, 4, 1) / 1000;

const tests = await startPlans({}, true);
const { database, billing, deps, actor, advance } = tests;
afterAll(tests.close);

const plan = (values: Partial<PlanInput>) => tests.plan({ window: "5h", ...values });

/** A call that arrived at `createdAt`, and is charged when this resolves. */
async function call(userId: number, quota: number, createdAt: number): Promise<void> {
  const hold = await billing.reserve({ userId, token: null, amount: Math.max(1, quota) });
  await billing.settle(hold, usageRecord({ userId, quota, createdAt }));
  await billing.flush();
}

/** Beginning and end of the window, in seconds since the test's start; null: it waits for a call. */
async function windowOf(userId: number): Promise<readonly [number, number] | null> {
  const [row] = await database.sql<{ begin: number; end: number; open: boolean }[]>`
    select window_start::int as begin, window_end::int as end, is_window_open as open from subscriptions
    where user_id = ${userId} and rolling_seconds > 0 order by id`;
  if (!row) throw new Error("there is no such window");
  return row.open ? [row.begin - START, row.end - START] : null;
}

const leftOf = (userId: number) => planStateOf(database, userId);
/** The books are short by what the account began with, which nobody credited. */
const requireBooks = async (userId: number, begun = 1000) => {
  const { wrong } = await checkBooks(database.db, "balances", userId - 1, START);
  const off = wrong.filter(({ id }) => id === userId).map(({ stored, added }) => stored - added);
  expect(off).toEqual(begun === 0 ? [] : [begun]);
};

/** What receipts say that each plan paid. */
const drawnOf = (userId: number) =>
  database.sql<{ plan: string; units: number }[]>`
    select d ->> 'plan' as plan, sum((d ->> 'units')::int)::int as units
    from logs, json_array_elements(other::json -> 'plan_draws') d
    where user_id = ${userId} and type = 2 group by 1 order by 1`;

test("a window of five hours begins with the first call that draws on it, ends five hours later and waits for the next", async () => {
  const userId = await addUser(database.sql, 1000);
  await subscribe(deps, userId, await plan({ windowQuota: 100 }), START);
  expect(await windowOf(userId)).toBeNull();
  await advance(START + 3 * DAY_S);
  // A call that costs nothing draws on nothing.
  await call(userId, 0, START + 3 * DAY_S);
  expect(await windowOf(userId)).toBeNull();
  const first = START + 3 * DAY_S + 77;
  await call(userId, 60, first);
  expect(await windowOf(userId)).toEqual([first - START, first - START + 5 * HOUR_S]);
  await call(userId, 60, first + HOUR_S);
  expect(await windowOf(userId)).toEqual([first - START, first - START + 5 * HOUR_S]);
  expect(await leftOf(userId)).toEqual({ windows: [0], walletUnits: 980 });
  expect(await advance(first + 5 * HOUR_S - 1)).toBe(0);
  expect(await advance(first + 5 * HOUR_S)).toBe(1);
  expect(await windowOf(userId)).toBeNull();
  expect(await leftOf(userId)).toEqual({ windows: [100], walletUnits: 980 });
  // One that arrived before the window was filled begins it then: no second is in two windows.
  await call(userId, 1, first + 4 * HOUR_S);
  expect(await windowOf(userId)).toEqual([first - START + 5 * HOUR_S, first - START + 10 * HOUR_S]);
  await requireBooks(userId);
});

test("opening a window does not change who pays: receipts add up to what windows lost", async () => {
  const userId = await addUser(database.sql, 1000);
  // The day ends sooner than a window that opens in its last hour.
  await subscribe(deps, userId, await plan({ name: "Day", window: "day", windowQuota: 100 }), START);
  await subscribe(deps, userId, await plan({ name: "Hours", windowQuota: 100 }), START);
  await call(userId, 40, START + 23 * HOUR_S);
  await call(userId, 30, START + 23 * HOUR_S + 1);
  await call(userId, 50, START + 23 * HOUR_S + 2);
  expect([...(await drawnOf(userId))]).toEqual([
    { plan: "Day", units: 20 },
    { plan: "Hours", units: 100 },
  ]);
  expect(await leftOf(userId)).toEqual({ windows: [0, 80], walletUnits: 1000 });
  await requireBooks(userId);
});

test("a window ends with the paid period at the latest, and calls of a plan that is ended open none", async () => {
  const userId = await addUser(database.sql, 1000);
  await subscribe(deps, userId, await plan({ period: "day", windowQuota: 100 }), START);
  await call(userId, 10, START + 22 * HOUR_S);
  expect(await windowOf(userId)).toEqual([22 * HOUR_S, DAY_S]);
  await advance(START + DAY_S);
  expect(await windowOf(userId)).toBeNull();
  const [own] = await database.sql<{ id: number }[]>`select id from subscriptions where user_id = ${userId}`;
  await endNow({ ...deps, ...noServices }, actor, own?.id ?? 0);
  await call(userId, 10, START + 25 * HOUR_S);
  expect(await windowOf(userId)).toBeNull();
  await advance(START + 25 * HOUR_S);
  expect(await leftOf(userId)).toEqual({ windows: [], walletUnits: 1000 });
  await requireBooks(userId);
});

test("charges that come late, twice, or hours after an outage open one window, at the first call's time", async () => {
  const userId = await addUser(database.sql, 1000);
  await subscribe(deps, userId, await plan({ windowQuota: 100, models: ["gpt-*"] }), START);
  const [budget] = await database.sql<{ id: number }[]>`select id from budgets where organization_id = ${userId}`;
  const at = (hours: number) =>
    recordText(usageRecord({ userId, quota: 30, createdAt: START + hours * HOUR_S, plan: budget?.id ?? 0 }));
  const batch = [at(2), at(1), at(3)];
  const openings = await Promise.all([1, 2].map(() => applyOrphanBatch(database.sql, "dead", batch)));
  expect(openings.map(({ openedWindows }) => openedWindows.length).sort()).toEqual([0, 1]);
  expect(await windowOf(userId)).toEqual([HOUR_S, 6 * HOUR_S]);
  expect((await applyBatch(database.sql, "p", batch)).openedWindows).toEqual([]);
  expect((await applyBatch(database.sql, "p", [at(9)])).openedWindows).toEqual([]);
  // Its end passed while nothing could be written: the next look fills it, once.
  expect(await advance(START + 10 * HOUR_S)).toBe(1);
  expect(await windowOf(userId)).toBeNull();
  expect(await leftOf(userId)).toEqual({ windows: [100], walletUnits: 980 });
  await requireBooks(userId);
});

describe.each([2, 4])("%d processes", (count) => {
  test("calls at the same time open one window, and every process receives it", async () => {
    const opened: number[] = [];
    const processes = await Promise.all(
      Array.from({ length: count }, () =>
        createBilling({
          ...{ database, changes: database.changes, dataDir: tests.dataDir, log: silentLog, sole: false },
          ...{ processId: Bun.randomUUIDv7(), onWindowsOpened: (ids) => void opened.push(...ids) },
        }),
      ),
    );
    const userId = await addUser(database.sql, 0);
    await subscribe(deps, userId, await plan({ windowQuota: 1000, allowsOverage: false }), START);
    const settled = await Promise.allSettled(
      Array.from({ length: 300 }, async (_, n) => {
        const own = processes[n % count] as Billing;
        const hold = await own.reserve({ userId, token: null, amount: 10 });
        await own.settle(hold, usageRecord({ userId, quota: 10, createdAt: START + HOUR_S + (n % 50) }));
      }),
    );
    await Promise.all(processes.map((own) => own.flush()));
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(100);
    expect(opened).toHaveLength(1);
    const [begin = 0, end] = (await windowOf(userId)) ?? [];
    expect(begin).toBeGreaterThanOrEqual(HOUR_S);
    expect(end).toBe(begin + 5 * HOUR_S);
    expect(await leftOf(userId)).toEqual({ windows: [0], walletUnits: 0 });
    await Promise.all(processes.map((own) => own.close()));
    await requireBooks(userId, 0);
  }, 60_000);
});
