import { afterAll, expect, test } from "bun:test";
import { checkBooks } from "../../src/billing/check-ledger/check-ledger.ts";
import type { LogOther } from "../../src/billing/types.ts";
import { setRenewal } from "../../src/domain/wallet/plans/changes/change-subscription.ts";
import { lockPlanAccount, type PlanAccount } from "../../src/domain/wallet/plans/plan-account.ts";
import { subscribe } from "../../src/domain/wallet/plans/subscribe.ts";
import { addUser } from "../support/billing/start-billing.ts";
import { renewingWithoutCards, spend, startPlans, switchPlan } from "../support/billing/start-plans.ts";

const DAY_S = 86_400;
const START = Date.UTC(2026, 0, 31) / 1000;

const tests = await startPlans();
const { database, billing, deps, plan, advance } = tests;
afterAll(tests.close);

const accountOf = (userId: number) => database.db.transaction((tx) => lockPlanAccount(tx, userId));
const renewing = renewingWithoutCards(database);

test("a year of random calls, top-ups, plans and clocks: balances agree with the ledger after every step", async () => {
  const random = randomFrom(2_026);
  const planIds = [
    await plan({ name: "hourly", window: "5h", windowQuota: 40, price: 300 }),
    await plan({ name: "weekly", window: "week", windowQuota: 900, price: 700, period: "week", periodCount: 2 }),
    await plan({ name: "monthly", window: "month", windowQuota: 2000, price: 1500, period: "year" }),
  ];
  const users = [await addUser(database.sql, 3000), await addUser(database.sql, 9000)];
  let now = START;
  for (let step = 0; step < 400; step++) {
    now += random(2 * DAY_S);
    const userId = users[random(users.length)] ?? 0;
    const before = await accountOf(userId);
    const kind = random(8);
    if (kind < 4) {
      const quota = Math.min(billing.available(userId) ?? 100, 1 + random(120));
      if (quota > 0) {
        await spend(billing, userId, quota);
        const after = await accountOf(userId);
        // The receipt says what the windows paid.
        expect(await drawnByLast(userId)).toBe(leftIn(before) - leftIn(after));
        // The wallet pays only once every window is empty.
        expect(after.walletUnits === before.walletUnits || leftIn(after) === 0).toBe(true);
      }
    } else if (kind === 4) {
      await database.sql`update users set quota = quota + 500 where id = ${userId}`;
      await database.sql`insert into logs (created_at, type, user_id, other)
        values (1, 3, ${userId}, ${JSON.stringify({ user_id: userId, quota_delta: 500 })})`;
      await database.changes.publish("users", [userId]);
    } else if (kind === 5) await subscribe(deps, userId, planIds[random(3)] ?? 0, now).catch(() => {});
    else if (kind === 6) {
      const [some] = before.running;
      if (some) await setRenewal(renewing, userId, some.subscription.id, random(2) === 0).catch(() => {});
    } else {
      const [some] = before.running;
      if (some) await switchPlan(deps, userId, some.subscription.id, planIds[random(3)] ?? 0, now).catch(() => {});
    }
    await advance(now);
    for (const id of users) expect((await accountOf(id)).walletUnits).toBeGreaterThanOrEqual(0);
  }
  const wrong = (await checkBooks(database.db, "balances", 0, now)).wrong;
  // Test accounts begin with a balance that nobody gave them.
  expect(wrong.filter(({ id }) => users.includes(id)).map(({ stored, added }) => stored - added)).toEqual([3000, 9000]);
  const [paid] = await database.sql`select count(*)::int as count from logs where content like 'Paid for the plan%'`;
  expect(paid?.count).toBeGreaterThan(20);
}, 120_000);

const leftIn = ({ running }: PlanAccount) => running.reduce((sum, { subscription }) => sum + subscription.remaining, 0);

/** What windows paid of the account's last call, by its receipt. */
async function drawnByLast(userId: number): Promise<number> {
  const [row] = await database.sql<{ other: string }[]>`
    select other from logs where user_id = ${userId} and type = 2 order by id desc limit 1`;
  const { plan_draws: draws = [] } = JSON.parse(row?.other ?? "{}") as LogOther;
  return draws.reduce((sum, { units }) => sum + units, 0);
}

/** Random numbers that are the same in each run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
