import { afterAll, beforeAll, expect, test } from "bun:test";
import { addUser, silentLog, usageRecord } from "../../../../../test/support/billing/start-billing.ts";
import { planStateOf, startPlans, switchPlan } from "../../../../../test/support/billing/start-plans.ts";
import { checkBooks } from "../../../../billing/check-ledger/check-ledger.ts";
import { createUserDirectory } from "../../../accounts/directory.ts";
import { createOrganization } from "../../../accounts/organizations/create-organization.ts";
import { deleteOrganization } from "../../../accounts/users/delete-organization.ts";
import { refundCharge } from "../../../tasks/refund-charge.ts";
import { createCoupon } from "../coupons.ts";
import { subscribe } from "../subscribe.ts";

const DAY_S = 86_400;
const START = Math.floor(Date.now() / 1000);

let plans: Awaited<ReturnType<typeof startPlans>>;
beforeAll(async () => {
  plans = await startPlans({ Organizations: "on", GroupRatio: '{"default":1,"vip":1}' }, true);
}, 60_000);
afterAll(() => plans.close());

const organizationDeps = () => {
  const { db, changes, settings } = plans.deps;
  return { db, changes: plans.database.changes ?? changes, settings };
};
async function addPerson(quota = 0) {
  const id = await addUser(plans.database.sql, quota);
  const [row] = await plans.database.sql<{ username: string }[]>`select username from users where id = ${id}`;
  return { id, username: row?.username ?? "" };
}
const organize = (person: Awaited<ReturnType<typeof addPerson>>) => {
  const username = `o${Bun.randomUUIDv7().replaceAll("-", "").slice(13, 24)}`;
  return createOrganization(organizationDeps(), person, { username, displayName: username });
};
const groupOf = async (id: number) => {
  const [row] = await plans.database.sql<{ group: string }[]>`select "group" from users where id = ${id}`;
  return row?.group;
};
const spendAt = async (userId: number, quota: number, unlogged = false) => {
  const hold = await plans.billing.reserve({ userId, token: null, amount: quota });
  const record = usageRecord({ userId, quota, createdAt: START, ...(unlogged && { unlogged: true as const }) });
  await plans.billing.settle(hold, record);
  await plans.billing.flush();
  return record.requestId;
};
const failTask = (userId: number, chargeId: string, now: number) =>
  plans.database.db.transaction((tx) =>
    refundCharge(
      tx,
      { chargeId, createdAt: START, userId, tokenId: 0, channelId: 0, task: { kind: "media", name: "t" } },
      false,
      now,
    ),
  );

test("a trial is given once to a person, whatever organizations they own, also those that are gone", async () => {
  const planId = await plans.plan({ name: "Try", price: 1000, trialDays: 7 });
  const person = await addPerson();
  const first = await organize(person);
  await subscribe(plans.deps, first, planId, START);
  const second = await organize(person);
  for (const account of [second, person.id]) {
    await expect(subscribe(plans.deps, account, planId, START)).rejects.toMatchObject({ code: "plan_balance_too_low" });
  }
  await plans.database.sql`update users set quota = 0 where id = ${first}`;
  await deleteOrganization({ ...organizationDeps(), vault: {} as never }, person, first).catch(() => {
    // Without a vault nothing of people can be deleted: its row and its owner go as they would.
    return plans.database.sql`delete from organization_members where organization_id = ${first}`;
  });
  await expect(subscribe(plans.deps, second, planId, START)).rejects.toMatchObject({ code: "plan_balance_too_low" });
  // Somebody else has theirs, and of two accounts at the same time one.
  const other = await addPerson();
  const accounts = [other.id, await organize(other), await organize(other)];
  const begun = await Promise.allSettled(accounts.map((account) => subscribe(plans.deps, account, planId, START)));
  expect(begun.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a trial is not given again after a change to another plan", async () => {
  const planId = await plans.plan({ name: "Try", price: 1000, trialDays: 7 });
  const next = await plans.plan({ name: "Next", price: 1100 });
  const person = await addPerson(1500);
  await subscribe(plans.deps, person.id, planId, START);
  const [row] = await plans.database.sql<{ id: number }[]>`select id from subscriptions where user_id = ${person.id}`;
  await switchPlan(plans.deps, person.id, row?.id ?? 0, next, START + 60);
  await expect(subscribe(plans.deps, person.id, planId, START + 120)).rejects.toMatchObject({
    code: "plan_balance_too_low",
  });
});

test("a coupon is used once by a person", async () => {
  const planId = await plans.plan({ name: "Cheap", price: 1000 });
  await createCoupon(plans.deps, plans.actor, {
    ...{ code: "ONCE", percentOff: 100, amountOff: 0, duration: "once", planId: null, maxUses: 0, validUntil: 0 },
  });
  const person = await addPerson(5000);
  const organization = await organize(person);
  await subscribe(plans.deps, organization, planId, START, "ONCE");
  await expect(subscribe(plans.deps, person.id, planId, START, "ONCE")).rejects.toMatchObject({
    code: "coupon_used_by_you",
  });
});

test("an organization has the person's own group, not that of a plan, and its owners' limits", async () => {
  const planId = await plans.plan({ name: "Vip", userGroup: "vip" });
  const person = await addPerson();
  await plans.database.sql`update users set requests_per_minute = 2, max_concurrency = 1 where id = ${person.id}`;
  await subscribe(plans.deps, person.id, planId, START);
  expect(await groupOf(person.id)).toBe("vip");
  const organization = await organize(person);
  expect(await groupOf(organization)).toBe("default");
  const directory = await createUserDirectory({ ...organizationDeps(), log: silentLog });
  expect(directory.get(organization)).toMatchObject({ ownerIds: [person.id], requestsPerMinute: 0, maxConcurrency: 0 });
  expect(directory.get(person.id)?.ownerIds).toBeUndefined();
  directory.close();
});

test.each([false, true])(
  "a failed task gives back to the window that paid, and expires with it (unlogged: %p)",
  async (unlogged) => {
    const planId = await plans.plan({ name: "Window", windowQuota: 1000, window: "day" });
    const person = await addPerson(500);
    await subscribe(plans.deps, person.id, planId, START - 60);
    const [early, late] = [await spendAt(person.id, 300, unlogged), await spendAt(person.id, 900, unlogged)];
    expect(await planStateOf(plans.database, person.id)).toEqual({ windows: [0], walletUnits: 300 });
    await failTask(person.id, early, START + 10);
    expect(await planStateOf(plans.database, person.id)).toEqual({ windows: [300], walletUnits: 300 });
    await plans.advance(START + DAY_S);
    await failTask(person.id, late, START + DAY_S);
    // Of 900 the wallet had paid 200.
    expect(await planStateOf(plans.database, person.id)).toEqual({ windows: [1000], walletUnits: 500 });
    for (const book of ["users", "budgets", "holds"] as const) {
      expect((await checkBooks(plans.database.db, book, 0, START)).wrong).toEqual([]);
    }
  },
);

test("what is left of a plan goes when it ends, also while calls hold it", async () => {
  const planId = await plans.plan({ name: "Held", windowQuota: 1000, window: "period" });
  const person = await addPerson(50);
  await subscribe(plans.deps, person.id, planId, START - 60);
  const hold = await plans.billing.reserve({ userId: person.id, token: null, amount: 900 });
  await plans.database.sql`update subscriptions set cancel_at_end = true where user_id = ${person.id}`;
  await plans.advance(START + 40 * DAY_S);
  expect(await planStateOf(plans.database, person.id)).toEqual({ windows: [], walletUnits: 50 });
  await expect(plans.billing.reserve({ userId: person.id, token: null, amount: 51 })).rejects.toThrow();
  await plans.billing.settle(hold, usageRecord({ userId: person.id, quota: 30 }));
  await plans.billing.flush();
  expect(await planStateOf(plans.database, person.id)).toEqual({ windows: [], walletUnits: 20 });
});
