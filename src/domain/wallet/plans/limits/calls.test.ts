import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  addToken,
  addUser,
  booksOf,
  NOW,
  silentLog,
  temporaryDirectory,
  tokenBooks,
  usageRecord,
} from "../../../../../test/support/billing/start-billing.ts";
import {
  noServices,
  openBilling,
  planDepsOf,
  planInput,
  switchPlan,
} from "../../../../../test/support/billing/start-plans.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import type { Billing } from "../../../../billing/billing.ts";
import { BOOKS, checkBooks } from "../../../../billing/check-ledger/check-ledger.ts";
import { applyOrphanBatch } from "../../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../../billing/journal/apply/record-text.ts";
import { InsufficientQuota } from "../../../../billing/ledger/errors.ts";
import type { Hold } from "../../../../billing/ledger/holds.ts";
import type { LogOther } from "../../../../billing/types.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { refundCharge } from "../../../tasks/refund-charge.ts";
import { monthAt } from "../../statements/compute-statement.ts";
import { readIncludedLines } from "../../statements/movements/read-movements.ts";
import { advanceSubscriptions } from "../advance-subscriptions.ts";
import { endNow, setPaused } from "../changes/change-subscription.ts";
import { type PlanInput, savePlan } from "../plans.ts";
import { type PlanDeps, subscribe } from "../subscribe.ts";
import { createPlanTermsDirectory, type PlanTermsDirectory } from "./terms.ts";

const HOUR_S = 3600;
const START = NOW - 10 * HOUR_S;
const DAY_S = 24 * HOUR_S;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let terms: PlanTermsDirectory;
let billing: Billing;
let deps: PlanDeps;
let actor: UserEntry;
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
  terms = await createPlanTermsDirectory({ db: database.db, changes: database.changes, log: silentLog });
  actor = { id: await addUser(database.sql, 0), role: 100 } as UserEntry;
  billing = await openBilling(database, directory.path, true);
  deps = planDepsOf(database, billing);
});
afterAll(async () => {
  terms.close();
  await billing.close();
  await database.close();
  await directory.remove();
});

const plan = (values: Partial<PlanInput>) =>
  savePlan(deps, actor, planInput({ name: "Calls", windowQuota: 0, windowCalls: 10, ...values }));
const advance = (now: number) => advanceSubscriptions(deps, undefined, now);

/** The budget of the calls that the first plan of an account includes. */
function callsOf(userId: number, name = "Calls"): number {
  const found = terms.byUser
    .get(userId)
    ?.find(({ planName, callsBudgetId }) => planName === name && callsBudgetId !== null);
  if (!found?.callsBudgetId) throw new Error("no plan includes calls");
  return found.callsBudgetId;
}

const hold = (own: Billing, userId: number, included: number) =>
  own.reserve({ userId, token: null, plan: included, amount: 1 });

const recordOf = (userId: number, included: number, createdAt = NOW) =>
  usageRecord({ userId, quota: 0, included, createdAt });

/** An included call, charged when its record is in the journal; answers its request id. */
async function call(own: Billing, userId: number, included: number, createdAt = NOW): Promise<string> {
  const held = await hold(own, userId, included);
  const record = recordOf(userId, included, createdAt);
  await own.settle(held, record);
  return record.requestId;
}

/** Numbers of included calls on the receipts of an account, ascending. */
async function numbersOf(userId: number): Promise<readonly (number | null)[]> {
  const rows = await database.sql<{ other: string }[]>`
    select other from logs where user_id = ${userId} and type = 2`;
  return rows
    .flatMap(({ other }) => (JSON.parse(other) as LogOther).plan_draws ?? [])
    .map(({ call: number }) => number ?? null)
    .sort((a, b) => (a ?? 0) - (b ?? 0));
}

async function stateOf(userId: number) {
  const rows = await database.sql<{ left: number; calls: number; open: boolean }[]>`
    select calls_left as left, window_calls as calls, is_window_open as open from subscriptions
    where user_id = ${userId} order by id`;
  return rows.map(({ left, calls, open }) => [left, calls, open]);
}

/** All books are right, but for balances that the tests gave without crediting them. */
async function requireBooks(): Promise<void> {
  for (const book of BOOKS) {
    if (book === "balances") continue;
    expect({ book, wrong: (await checkBooks(database.db, book, 0, NOW)).wrong }).toEqual({ book, wrong: [] });
  }
  const [off] = await database.sql`
    select 1 from subscriptions s left join budgets b on b.scope = 'calls' and b.scope_id = s.id and b.deleted_at is null
    where s.window_calls > 0 and s.status in ('active', 'past_due') and b.remaining is distinct from s.calls_left::bigint`;
  expect(off).toBeUndefined();
}

const oneTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe.each([
  ["one process that decides alone", 0],
  ["two processes", 2],
  ["four processes", 4],
])("%s", (_, count) => {
  test("1,000 calls at the same time get exactly the ten that the window includes, numbered on their receipts", async () => {
    const processes =
      count === 0
        ? [billing]
        : await Promise.all(Array.from({ length: count }, () => openBilling(database, directory.path, false)));
    const of = (index: number) => processes[index % processes.length] as Billing;
    const userId = await addUser(database.sql, 0);
    await subscribe(deps, userId, await plan({ window: "5h" }), START);
    const included = callsOf(userId);
    // Some of those that get one fail, and give it back: others may get it.
    let failures = 0;
    const round = async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 1000 }, async (_, index) => {
          const held = await hold(of(index), userId, included);
          if (index % 3 === 0 && failures < 4) {
            failures += 1;
            await Bun.sleep(1);
            of(index).refund(held);
            return "failed";
          }
          await of(index).settle(held, recordOf(userId, included));
          return "included";
        }),
      );
      await Promise.all(processes.map((own) => own.flush()));
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(InsufficientQuota);
      }
      return outcomes.filter((outcome) => outcome.status === "fulfilled" && outcome.value === "included").length;
    };
    // Those that were given back, also at a round's end, are there for the next.
    const serveAll = async () => {
      let served = await round();
      for (let more = 0; served < 10 && more < 4; more += 1) served += await round();
      return served;
    };
    expect(await serveAll()).toBe(10);
    expect(await stateOf(userId)).toEqual([[0, 10, true]]);
    expect(await numbersOf(userId)).toEqual(oneTo(10));
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 0, held: 0, used: 0, uncovered: 0 });
    await advance(NOW + 5 * HOUR_S);
    expect(await stateOf(userId)).toEqual([[10, 10, false]]);
    failures = 0;
    expect(await serveAll()).toBe(10);
    expect(await numbersOf(userId)).toEqual(oneTo(10).flatMap((number) => [number, number]));
    if (count > 0) await Promise.all(processes.map((own) => own.close()));
    await requireBooks();
  }, 120_000);
});

test("an included call costs neither the balance nor a limited key; one that cost nothing still counts", async () => {
  const userId = await addUser(database.sql, 500);
  const tokenId = await addToken(database.sql, userId, 5);
  await subscribe(deps, userId, await plan({}), START);
  const included = callsOf(userId);
  const held = await hold(billing, userId, included);
  await billing.settle(held, { ...recordOf(userId, included), tokenId, tokenLimited: true });
  await billing.flush();
  expect(await stateOf(userId)).toEqual([[9, 10, true]]);
  expect(await tokenBooks(database.sql, tokenId)).toMatchObject({ remain: 5, used: 0, held: 0 });
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 500, used: 0, held: 0 });
  await requireBooks();
});

test("a call that outlives its window counts in the one in which it ends, and never twice", async () => {
  const userId = await addUser(database.sql, 0);
  await subscribe(deps, userId, await plan({ window: "day", windowCalls: 3 }), START);
  const included = callsOf(userId);
  const long: Hold[] = [];
  for (const _ of [1, 2, 3]) long.push(await hold(billing, userId, included));
  await expect(hold(billing, userId, included)).rejects.toBeInstanceOf(InsufficientQuota);
  await advance(START + DAY_S);
  // What is under way is set aside in the new window too: it must not serve six at once.
  await expect(hold(billing, userId, included)).rejects.toBeInstanceOf(InsufficientQuota);
  for (const held of long) await billing.settle(held, recordOf(userId, included));
  await billing.flush();
  await expect(hold(billing, userId, included)).rejects.toBeInstanceOf(InsufficientQuota);
  expect(await stateOf(userId)).toEqual([[0, 3, true]]);
  expect(await numbersOf(userId)).toEqual([1, 2, 3]);
  await requireBooks();
});

test("a plan that ends, pauses or grows while a call is under way: the call stays included, and opens nothing", async () => {
  const userId = await addUser(database.sql, 0);
  await subscribe(deps, userId, await plan({ window: "5h", windowCalls: 2 }), START);
  const included = callsOf(userId);
  const held = await hold(billing, userId, included);
  const [own] = await database.sql<{ id: number }[]>`select id from subscriptions where user_id = ${userId}`;
  await endNow({ ...deps, ...noServices }, actor, own?.id ?? 0);
  await advance(NOW);
  await expect(hold(billing, userId, included)).rejects.toBeInstanceOf(InsufficientQuota);
  await billing.settle(held, recordOf(userId, included));
  await billing.flush();
  expect(await numbersOf(userId)).toEqual([null]);
  expect(await stateOf(userId)).toEqual([[0, 2, false]]);
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 0, used: 0, held: 0, uncovered: 0 });

  const grower = await addUser(database.sql, 100_000);
  await subscribe(deps, grower, await plan({ price: 10, windowCalls: 2 }), START);
  const small = callsOf(grower);
  const under = await hold(billing, grower, small);
  await call(billing, grower, small);
  await billing.flush();
  const [growing] = await database.sql<{ id: number }[]>`select id from subscriptions where user_id = ${grower}`;
  await switchPlan(deps, grower, growing?.id ?? 0, await plan({ name: "More", price: 20, windowCalls: 5 }), NOW);
  await billing.settle(under, recordOf(grower, small));
  await billing.flush();
  expect(await stateOf(grower)).toEqual([[4, 5, true]]);
  expect(callsOf(grower, "More")).toBe(small);

  await setPaused({ ...deps, ...noServices }, grower, growing?.id ?? 0, true);
  const [{ end } = { end: 0 }] = await database.sql<{ end: number }[]>`
    select period_end::int as end from subscriptions where user_id = ${grower}`;
  await advance(end);
  await expect(hold(billing, grower, small)).rejects.toBeInstanceOf(InsufficientQuota);
  expect(terms.byUser.get(grower)).toBeUndefined();
  await requireBooks();
});

test("included calls that a dead process left count once, however often they are adopted; a failed task gives its call back", async () => {
  const userId = await addUser(database.sql, 0);
  await subscribe(deps, userId, await plan({ window: "5h", windowCalls: 3 }), START);
  const included = callsOf(userId);
  const records = [1, 2, 3, 4].map((hours) => recordOf(userId, included, START + hours * HOUR_S));
  const texts = records.map(recordText);
  for (const batch of [texts.slice(0, 2), texts.slice(1, 3), texts]) {
    await Promise.all([1, 2].map(() => applyOrphanBatch(database.sql, "dead", batch)));
  }
  // The fourth is one too many: its process had been taken for dead.
  expect(await numbersOf(userId)).toEqual([null, 1, 2, 3]);
  expect(await stateOf(userId)).toEqual([[0, 3, true]]);
  const [task] = records;
  const charge = {
    ...{ chargeId: task?.requestId ?? "", createdAt: task?.createdAt ?? 0, userId, tokenId: 0, channelId: 0 },
    task: { kind: "media", name: "t" } as const,
  };
  for (const _ of [1, 2]) await database.db.transaction((tx) => refundCharge(tx, charge, false));
  expect(await stateOf(userId)).toEqual([[1, 3, true]]);
  await requireBooks();
});

test("charges without a log count too, once, and stand on the statement until a failed task gives its call back", async () => {
  const userId = await addUser(database.sql, 0);
  await subscribe(deps, userId, await plan({ windowCalls: 3 }), START);
  const included = callsOf(userId);
  const { other, ...row } = recordOf(userId, included);
  // The receipt of a call that was worth 7 units.
  const receipt = { lines: [], subtotal: "7", groupRatio: "1", total: 7, quotaPerUnit: "500000" };
  const record = { ...row, other: { ...other, receipt }, unlogged: true as const };
  const text = recordText(record);
  const { from, until } = monthAt(record.createdAt);
  const lines = async (range = { from, until }) => readIncludedLines(database.db, userId, range);
  for (const _ of [1, 2]) await applyOrphanBatch(database.sql, "dead", [text]);
  expect(await stateOf(userId)).toEqual([[2, 3, true]]);
  expect(await lines()).toEqual([{ name: "Calls", calls: 1, promptTokens: 10, completionTokens: 20, quota: 7 }]);
  expect(await lines({ from: until, until: until + DAY_S })).toEqual([]);
  const charge = {
    ...{ chargeId: record.requestId, createdAt: record.createdAt, userId, tokenId: 0, channelId: 0 },
    task: { kind: "media", name: "t" } as const,
  };
  for (const _ of [1, 2]) await database.db.transaction((tx) => refundCharge(tx, charge, false));
  expect(await stateOf(userId)).toEqual([[3, 3, true]]);
  expect(await lines()).toEqual([]);
  await requireBooks();
});

test("a plan takes no broken number of calls", async () => {
  for (const windowCalls of [-1, 1.5, 1_000_001]) {
    await expect(plan({ windowCalls })).rejects.toMatchObject({ code: "plan_calls_invalid" });
  }
});
