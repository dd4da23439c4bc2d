import { afterAll, beforeAll, expect, test } from "bun:test";
import { addUser, transferDirectly } from "../../../../../test/support/billing/start-billing.ts";
import { setSeats, switchPlan } from "../../../../../test/support/billing/start-plans.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { fixedSettings } from "../../../../../test/support/lib/settings.ts";
import { createVault } from "../../../../lib/security/crypto.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { syncMemberships } from "../../../accounts/identity-providers/sync-memberships.ts";
import { listOrganizations } from "../../../accounts/organizations/list-organizations.ts";
import { acceptInvitation } from "../../../accounts/organizations/members/invitations/accept-invitation.ts";
import {
  createInvitation,
  type InvitationDeps,
  revokeInvitation,
} from "../../../accounts/organizations/members/invitations/invite.ts";
import { createMailLimits } from "../../../accounts/registration/mail-limits.ts";
import { advanceSubscriptions } from "../advance-subscriptions.ts";
import { createCoupon } from "../coupons.ts";
import { listOwnSubscriptions, type PlanInput, savePlan } from "../plans.ts";
import { grantPlan, type PlanDeps, subscribe } from "../subscribe.ts";

const START = Date.UTC(2026, 3, 1) / 1000;
/** April. */
const PERIOD_S = 30 * 86_400;
const settings = fixedSettings({ Organizations: "on" });

let database: TestDatabase;
let deps: PlanDeps;
let inviting: InvitationDeps;
let actor: UserEntry;
beforeAll(async () => {
  database = await openTestDatabase();
  const { db, changes } = database;
  deps = { db, changes, settings, billing: { transfer: transferDirectly } };
  inviting = {
    ...{ db, changes, settings, vault: createVault({ encryptionKey: "for a test of seats" }) },
    mailer: { isConfigured: () => false, probe: async () => null, send: async () => {} },
    mailLimits: createMailLimits({ settings, sharedLimits: null }),
  };
  actor = { id: await addUser(database.sql, 0), role: 100 } as UserEntry;
});
afterAll(() => database.close());

const plan = (values: Partial<PlanInput>) =>
  savePlan(deps, actor, {
    ...{
      name: "Team",
      description: "",
      price: 1000,
      period: "month",
      periodCount: 1,
      windowQuota: 0,
      window: "period",
    },
    ...{ userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true, seats: 2, seatPrice: 301, ...values },
  });

const person = async () => {
  const id = await addUser(database.sql, 0);
  const [user] = await database.sql<{ username: string }[]>`select username from users where id = ${id}`;
  return { id, username: user?.username ?? "" };
};

/** An organization with an owner, and more members. */
async function organization({ members = 1, quota = 100_000 }: Readonly<{ members?: number; quota?: number }> = {}) {
  const id = await addUser(database.sql, quota);
  await database.sql`update users set kind = 'organization' where id = ${id}`;
  const people = [];
  for (let at = 0; at < members; at++) {
    const one = await person();
    people.push(one);
    await database.sql`insert into organization_members (organization_id, user_id, role, joined_at)
      values (${id}, ${one.id}, ${at === 0 ? "owner" : "developer"}, ${START})`;
  }
  const [owner] = people;
  if (!owner) throw new Error("there is no owner");
  return { id, owner };
}

type Organization = Awaited<ReturnType<typeof organization>>;

const invite = ({ id, owner }: Organization) =>
  createInvitation(inviting, owner, {
    ...{ organizationId: id, role: "developer", email: null, siteAddress: "https://gateway.test", language: "en" },
  });
const join = async ({ link }: Awaited<ReturnType<typeof invite>>) =>
  acceptInvitation(inviting, await person(), new URL(link ?? "").searchParams.get("token") ?? "");
const only = async (userId: number) => {
  const own = await listOwnSubscriptions(deps.db, userId);
  if (!own[0] || own.length > 1) throw new Error(`there are ${own.length} subscriptions`);
  return own[0];
};
const balanceOf = async (userId: number) => {
  const [row] = await database.sql`select quota::float8 as quota from users where id = ${userId}`;
  return Number(row?.quota);
};
const paidOf = async (userId: number) => {
  const rows = await database.sql<{ content: string; quota: string }[]>`
    select content, quota::text as quota from logs where user_id = ${userId} and content like 'Paid%' order by id`;
  return rows.map(({ content, quota }) => [content, Number(quota)]);
};

test("members and open invitations take seats; nobody joins or is invited beyond them", async () => {
  const team = await organization();
  const first = await invite(team);
  const second = await invite(team);
  await subscribe(deps, team.id, await plan({}), START);
  expect(await only(team.id)).toMatchObject({ seats: 2, next_seats: 2, members: 1 });
  await expect(invite(team)).rejects.toMatchObject({ code: "organization_seats_taken", params: { seats: 2 } });
  const joined = await Promise.allSettled([join(first), join(second)]);
  expect(joined.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(joined.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "organization_seats_taken" },
  });
  expect(await listOrganizations(deps.db, team.owner.id)).toMatchObject([{ id: team.id, seats: 2 }]);
  const open = joined[0]?.status === "rejected" ? first : second;
  await setSeats(deps, team.id, (await only(team.id)).id, 3, START);
  await expect(invite(team)).rejects.toMatchObject({ code: "organization_seats_taken" });
  await revokeInvitation(inviting, team.owner, { organizationId: team.id, id: open.id });
  await join(await invite(team));
  expect(await only(team.id)).toMatchObject({ seats: 3, members: 3 });
});

test("a plan with fewer seats than members is refused, in every way to get it", async () => {
  const team = await organization({ members: 4 });
  const planId = await plan({});
  const tooFew = { code: "plan_seats_too_few", params: { members: 4, seats: 2 } };
  await expect(subscribe(deps, team.id, planId, START)).rejects.toMatchObject(tooFew);
  await expect(grantPlan(deps, actor, team.id, planId, START)).rejects.toMatchObject(tooFew);
  await expect(subscribe(deps, team.id, planId, START, "", 3)).rejects.toMatchObject({
    params: { members: 4, seats: 3 },
  });
  expect(await balanceOf(team.id)).toBe(100_000);
  await subscribe(deps, team.id, planId, START, "", 4);
  expect(await paidOf(team.id)).toEqual([["Paid for the plan Team, 4 seats", 1000 + 2 * 301]]);
  const { id } = await only(team.id);
  await expect(setSeats(deps, team.id, id, 3, START)).rejects.toMatchObject({ code: "plan_seats_too_few" });
  await expect(switchPlan(deps, team.id, id, await plan({ seats: 3, seatPrice: 0 }), START)).rejects.toMatchObject({
    code: "plan_seats_too_few",
  });
  const own = await addUser(database.sql, 5000);
  await expect(subscribe(deps, own, planId, START, "", 3)).rejects.toMatchObject({ code: "plan_seats_organizations" });
  await subscribe(deps, own, planId, START);
  expect(await balanceOf(own)).toBe(4000);
});

test("added seats cost the rest of the period, rounded up; fewer begin with the next one", async () => {
  const team = await organization();
  await subscribe(deps, team.id, await plan({}), START);
  const { id } = await only(team.id);
  const third = START + PERIOD_S / 3;
  await setSeats(deps, team.id, id, 4, third);
  // Two seats for two thirds of a period: 2 * 301 * 2 / 3 = 401.33.
  expect(await paidOf(team.id)).toEqual([
    ["Paid for the plan Team", 1000],
    ["Paid for added seats of the plan Team, 4 seats", 402],
  ]);
  await setSeats(deps, team.id, id, 3, third);
  expect(await only(team.id)).toMatchObject({ seats: 4, next_seats: 3, renewal_price: 1301 });
  await setSeats(deps, team.id, id, 4, third);
  expect(await only(team.id)).toMatchObject({ seats: 4, next_seats: 4, renewal_price: 1602 });
  await setSeats(deps, team.id, id, 3, third);
  await advanceSubscriptions(deps, undefined, START + PERIOD_S);
  expect(await only(team.id)).toMatchObject({ seats: 3, next_seats: 3 });
  expect(await balanceOf(team.id)).toBe(100_000 - 1000 - 402 - 1301);
  // What is left of the seats counts towards a more expensive plan, which goes on with as many.
  const half = START + PERIOD_S + (31 * 86_400) / 2;
  await switchPlan(deps, team.id, id, await plan({ name: "Large", price: 9000, seats: 1, seatPrice: 100 }), half);
  expect(await only(team.id)).toMatchObject({ plan_name: "Large", seats: 3 });
  expect(await balanceOf(team.id)).toBe(100_000 - 1000 - 402 - 1301 - (9200 - Math.floor(1301 / 2)));
});

test("seats follow a coupon for all periods, are free in a trial, and wait for a smaller plan", async () => {
  const team = await organization({ members: 2 });
  const planId = await plan({ trialDays: 10 });
  await createCoupon(deps, actor, {
    ...{ code: "SEATS", percentOff: 50, amountOff: 0, duration: "forever", planId, maxUses: 0, validUntil: 0 },
  });
  await subscribe(deps, team.id, planId, START, "SEATS");
  const { id, period_end: end } = await only(team.id);
  await setSeats(deps, team.id, id, 3, START + 5);
  expect(await balanceOf(team.id)).toBe(100_000);
  await advanceSubscriptions(deps, undefined, end);
  expect(await balanceOf(team.id)).toBe(100_000 - 651);
  await setSeats(deps, team.id, id, 5, end);
  expect(await balanceOf(team.id)).toBe(100_000 - 651 - 301);
  await switchPlan(deps, team.id, id, await plan({ name: "Small", price: 10, seats: 2, seatPrice: 0 }), end);
  expect(await only(team.id)).toMatchObject({ seats: 5, next_seats: 2 });
  await expect(invite(team)).rejects.toMatchObject({ code: "organization_seats_taken", params: { seats: 2 } });
});

test("what is not a number of seats is named; a plan without a price for seats has a fixed number", async () => {
  for (const [values, code] of [
    [{ seats: 0 }, "plan_seats_number_invalid"],
    [{ seats: 1.5 }, "plan_seats_number_invalid"],
    [{ seatPrice: -1 }, "plan_seat_price_invalid"],
    [{ seats: null }, "plan_seat_price_unlimited"],
  ] as const) {
    await expect(plan(values)).rejects.toMatchObject({ code });
  }
  const team = await organization();
  await expect(subscribe(deps, team.id, await plan({}), START, "", 1)).rejects.toMatchObject({
    code: "plan_seats_invalid",
    params: { min: 2 },
  });
  await subscribe(deps, team.id, await plan({ seatPrice: 0 }), START);
  const { id } = await only(team.id);
  await expect(setSeats(deps, team.id, id, 3, START)).rejects.toMatchObject({ code: "plan_seats_fixed" });
  const free = await organization({ members: 30 });
  await subscribe(deps, free.id, await plan({ seats: null, seatPrice: 0 }), START);
  await invite(free);
});

test("seats that are added, taken and invited to at the same time are paid once and never exceeded", async () => {
  const team = await organization({ quota: 1000 + 2 * 301 });
  const open = await Promise.all(Array.from({ length: 6 }, () => invite(team)));
  await subscribe(deps, team.id, await plan({}), START);
  const { id } = await only(team.id);
  const results = await Promise.allSettled([
    ...open.map((one) => join(one)),
    ...Array.from({ length: 4 }, () => setSeats(deps, team.id, id, 4, START)),
    setSeats(deps, team.id, id, 5, START),
  ]);
  const { seats, members } = await only(team.id);
  expect(seats).toBe(4);
  expect(members).toBeLessThanOrEqual(4);
  expect(results.slice(0, 6).filter(({ status }) => status === "fulfilled")).toHaveLength(members - 1);
  expect(await balanceOf(team.id)).toBe(0);
  for (const one of open) await join(one).catch(() => undefined);
  expect(await only(team.id)).toMatchObject({ seats: 4, members: 4 });
});

test("a plan that begins while somebody joins has room for all, or one of both is refused", async () => {
  for (let round = 0; round < 5; round++) {
    const team = await organization({ members: 2 });
    const open = await invite(team);
    const planId = await plan({});
    const [begun, joined] = await Promise.allSettled([subscribe(deps, team.id, planId, START), join(open)]);
    expect([begun.status, joined.status].sort()).toEqual(["fulfilled", "rejected"]);
    const [count] = await database.sql`select count(*)::int as count from organization_members
      where organization_id = ${team.id}`;
    expect(count?.count).toBe(joined.status === "fulfilled" ? 3 : 2);
  }
});

test("groups of an identity provider make no member without a seat; the organization's log says why", async () => {
  const team = await organization({ members: 2 });
  await subscribe(deps, team.id, await plan({}), START);
  const [provider] = await database.sql<{ id: number }[]>`
    insert into identity_providers (type, name, config, secret_cipher, created_at)
    values ('oidc', 'Corp', '{}', '', ${START}) returning id`;
  const newcomer = await person();
  const mappings = [{ group: "dev", organization_id: team.id, role: "developer" as const }];
  const sync = () => syncMemberships(deps, { id: provider?.id ?? 0, mappings }, newcomer.id, ["dev"]);
  await sync();
  expect(await listOrganizations(deps.db, newcomer.id)).toEqual([]);
  const [line] = await database.sql`select content from logs where user_id = ${team.id} order by id desc limit 1`;
  expect(line?.content).toContain("all 2 seats are taken");
  await setSeats(deps, team.id, (await only(team.id)).id, 3, START);
  await sync();
  expect(await listOrganizations(deps.db, newcomer.id)).toMatchObject([{ id: team.id }]);
});
