import { afterAll, beforeAll, expect, test } from "bun:test";
import { silentLog, usageRecord } from "../../../../../test/support/billing/start-billing.ts";
import {
  noServices,
  planStateOf,
  renewingWithoutCards,
  setSeats,
  startPlans,
  switchPlan,
} from "../../../../../test/support/billing/start-plans.ts";
import { randomFrom } from "../../../../../test/support/lib/random-json.ts";
import { BOOKS, checkBooks } from "../../../../billing/check-ledger/check-ledger.ts";
import { InsufficientQuota } from "../../../../billing/ledger/errors.ts";
import type { Hold } from "../../../../billing/ledger/holds.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { createOrganization } from "../../../accounts/organizations/create-organization.ts";
import { refundCharge } from "../../../tasks/refund-charge.ts";
import { transferQuota } from "../../transfer-quota.ts";
import { endNow, setPaused, setRenewal } from "../changes/change-subscription.ts";
import { subscribe } from "../subscribe.ts";
import { createPlanTermsDirectory, type PlanTermsDirectory } from "./terms.ts";

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const START = Math.floor(Date.now() / 1000) - 400 * DAY_S;
const STEPS = 60;
const DEPOSIT = 20_000;
/** More sequences, or that of a failure: `SEEDS=200`, `SEED=123`. */
const SEQUENCES = Number(process.env.SEEDS ?? 6);
const FIRST_SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
/** Windows of five hours that were larger than the other plan's: one in use, and one that had not begun. */
const FOUND = [778_448, 5_052];

let plans: Awaited<ReturnType<typeof startPlans>>;
let terms: PlanTermsDirectory;
beforeAll(async () => {
  plans = await startPlans({ Organizations: "on", GroupRatio: '{"default":1,"vip":1}' }, true);
  const { db, changes } = plans.database;
  terms = await createPlanTermsDirectory({ db, changes, log: silentLog });
}, 60_000);
afterAll(async () => {
  terms.close();
  await plans.close();
});

/** Plans that cost what their windows come to, so that nothing can be gained by them; `granted`: by their trial, once. */
async function offer() {
  const once = { period: "month", window: "period" } as const;
  const all = [
    { granted: 1000, values: { name: "Small", price: 1000, windowQuota: 1000, trialDays: 7, ...once } },
    { granted: 0, values: { name: "Medium", price: 1100, windowQuota: 1100, userGroup: "vip", ...once } },
    { granted: 0, values: { name: "Large", price: 1200, windowQuota: 1200, seats: 1, seatPrice: 1, ...once } },
    {
      granted: 200,
      values: { name: "Daily", price: 700, windowQuota: 100, period: "week", window: "day", trialDays: 2 },
    },
    { granted: 0, values: { name: "Hours", price: 500, windowQuota: 100, period: "day", window: "5h" } },
    { granted: 0, values: { name: "More hours", price: 600, windowQuota: 120, period: "day", window: "5h" } },
    { granted: 300, values: { name: "Models", price: 300, windowQuota: 300, models: ["m-*"], trialDays: 3, ...once } },
    { granted: 0, values: { name: "More models", price: 400, windowQuota: 400, models: ["m-*"], ...once } },
  ] as const;
  const offered = [];
  for (const { granted, values } of all) offered.push({ granted, id: await plans.plan(values) });
  return offered;
}

type Charge = Readonly<{ requestId: string; createdAt: number; userId: number }>;

/** A call under way; `plan`: the budget of the plan that pays. */
type Call = Readonly<{ hold: Hold; userId: number; plan: number | undefined; amount: number }>;

/** What a person does with an account of their own and with organizations, in simulated time. */
class Person {
  now = START;
  readonly accounts: number[];
  readonly #orders: Charge[] = [];
  readonly #calls: Call[] = [];
  readonly #tried = new Set<number>();
  readonly done: string[] = [];

  constructor(
    readonly id: number,
    readonly username: string,
    readonly offered: Awaited<ReturnType<typeof offer>>,
    readonly below: (count: number) => number,
  ) {
    this.accounts = [id];
  }

  async step(): Promise<void> {
    const actions = {
      subscribe: () => subscribe(plans.deps, this.#account(), this.#plan(), this.now),
      try: () =>
        subscribe(
          plans.deps,
          this.#account(),
          this.#oneOf(this.offered.filter(({ granted }) => granted > 0)).id,
          this.now,
        ),
      use: () => this.#use(),
      order: () => this.#use(),
      fail: () => this.#fail(),
      begin: () => this.#begin(),
      end: () => this.#end(),
      upgrade: () => this.#ofSubscription((userId, id) => switchPlan(plans.deps, userId, id, this.#plan(), this.now)),
      seats: () => this.#ofSubscription((userId, id) => setSeats(plans.deps, userId, id, 1 + this.below(4), this.now)),
      pause: () =>
        this.#ofSubscription((userId, id) => setPaused(pausing(), userId, id, this.below(2) === 0, this.now)),
      cancel: () =>
        this.#ofSubscription((userId, id) =>
          setRenewal(renewingWithoutCards(plans.database), userId, id, this.below(2) === 0),
        ),
      endNow: () =>
        this.#ofSubscription((_, id) =>
          endNow({ ...renewingWithoutCards(plans.database), changes: plans.deps.changes }, plans.actor, id),
        ),
      transfer: () => this.#transfer(),
      organize: () => this.#organize(),
      wait: () => this.#wait([5 * HOUR_S, DAY_S, 2 * DAY_S, 8 * DAY_S, 31 * DAY_S]),
      tick: () => this.#wait([1, 60, HOUR_S]),
      again: () => this.#use(),
      change: () => this.#ofSubscription((userId, id) => switchPlan(plans.deps, userId, id, this.#plan(), this.now)),
    };
    const names = Object.keys(actions) as (keyof typeof actions)[];
    const name = this.#oneOf(names);
    try {
      await actions[name]();
      this.done.push(name);
      await this.#noteTrials();
    } catch (error) {
      if (!(error instanceof OperationError) && !(error instanceof InsufficientQuota)) throw error;
      this.done.push(`(${name})`);
    }
  }

  /** Quota units that trials have granted: each plan's once, whichever account had it. */
  get granted(): number {
    return this.offered.reduce((sum, { id, granted }) => sum + (this.#tried.has(id) ? granted : 0), 0);
  }

  async #noteTrials(): Promise<void> {
    const rows = await plans.database.sql<{ plan_id: number }[]>`
      select plan_id from subscriptions where user_id = any(${this.accounts}) and is_trial`;
    for (const { plan_id } of rows) this.#tried.add(plan_id);
  }

  /** Calls that are under way end, and plans with their periods. */
  async finish(): Promise<void> {
    while (this.#calls.length > 0) await this.#end();
    await plans.billing.flush();
    await plans.database.sql`update subscriptions set cancel_at_end = true where user_id = any(${this.accounts})`;
    for (let days = 0; days < 80; days += 20) await this.#wait([20 * DAY_S]);
  }

  #oneOf<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
  #account = () => this.#oneOf(this.accounts);
  #plan = () => this.#oneOf(this.offered).id;

  async #ofSubscription(work: (userId: number, id: number) => Promise<unknown>): Promise<void> {
    const rows = await plans.database.sql<{ id: number; user_id: number }[]>`
      select id, user_id from subscriptions where user_id = any(${this.accounts}) and status <> 'ended' order by id`;
    if (rows.length === 0) return;
    const { id, user_id: userId } = this.#oneOf(rows);
    await work(userId, id);
  }

  /** A call of an account, for the models of its plans or for others: of all that its windows have left, or of less. */
  async #reserve(): Promise<Call> {
    const userId = this.#account();
    const plan = this.below(2) === 0 ? this.#payer(userId) : undefined;
    const payer = { userId, ...(plan !== undefined && { plan }) };
    const [row] = await plans.database.sql<{ left: number }[]>`
      select coalesce(sum(remaining), 0)::float8 as left from subscriptions
      where user_id = ${userId} and own_quota = ${plan !== undefined} and status <> 'ended'`;
    const all = this.below(4) > 0 ? Number(row?.left) : 0;
    for (const amount of [all || 1 + this.below(1500), 1 + this.below(200), 1 + this.below(20)]) {
      const hold = await plans.billing.reserve({ ...payer, token: null, amount }).catch((error: unknown) => {
        if (error instanceof InsufficientQuota) return null;
        throw error;
      });
      if (hold) return { hold, userId, plan, amount };
    }
    throw new InsufficientQuota("user", 0);
  }

  #payer(userId: number): number | undefined {
    return terms.byUser.get(userId)?.find(({ budgetId }) => budgetId !== null)?.budgetId ?? undefined;
  }

  async #settle({ hold, userId, plan, amount }: Call): Promise<void> {
    const unlogged = this.below(3) === 0 ? ({ unlogged: true } as const) : {};
    const quota = this.below(4) > 0 ? amount : Math.ceil((amount * (1 + this.below(100))) / 100);
    const record = usageRecord({
      userId,
      quota,
      createdAt: this.now,
      ...(plan !== undefined && { plan }),
      ...unlogged,
    });
    await plans.billing.settle(hold, record);
    await plans.billing.flush();
    this.#orders.push({ requestId: record.requestId, createdAt: record.createdAt, userId });
  }

  async #use(): Promise<void> {
    await this.#settle(await this.#reserve());
  }

  /** A task that was charged fails later. */
  async #fail(): Promise<void> {
    const [order] = this.#orders.splice(this.below(this.#orders.length || 1), 1);
    if (!order) return;
    const charge = {
      ...{ chargeId: order.requestId, createdAt: order.createdAt, userId: order.userId, tokenId: 0, channelId: 0 },
      task: { kind: "media", name: "task" } as const,
    };
    await plans.database.db.transaction((tx) => refundCharge(tx, charge, false, this.now));
    await plans.database.changes.publish("users", [order.userId]);
  }

  async #begin(): Promise<void> {
    this.#calls.push(await this.#reserve());
  }

  async #end(): Promise<void> {
    const [call] = this.#calls.splice(0, 1);
    if (!call) return;
    if (this.below(3) === 0) plans.billing.refund(call.hold);
    else await this.#settle(call);
  }

  async #transfer(): Promise<void> {
    const organizationId = this.accounts[1 + this.below(this.accounts.length)];
    if (organizationId === undefined) return;
    const { db, changes, settings, billing } = plans.deps;
    const direction = this.below(2) === 0 ? "in" : "out";
    const quotaUnits = 1 + this.below(3000);
    await transferQuota({ db, changes, settings, billing } as Parameters<typeof transferQuota>[0], this, {
      ...{ organizationId, quotaUnits, direction },
    });
  }

  async #organize(): Promise<void> {
    if (this.accounts.length > 3) return;
    const username = `o${Bun.randomUUIDv7().replaceAll("-", "").slice(13, 24)}`;
    const { db, changes } = plans.database;
    const deps = { db, changes, settings: plans.deps.settings };
    this.accounts.push(await createOrganization(deps, this, { username, displayName: username }));
  }

  async #wait(lengths: readonly number[]): Promise<void> {
    this.now += this.#oneOf(lengths);
    await plans.advance(this.now);
  }
}

const pausing = () => ({
  ...plans.deps,
  ...noServices,
});

/**
 * What plans gave the accounts, and what they took from their wallets; what is left there, and what it has paid; quota units. Calls
 * of all accounts are in the database.
 */
async function booksOf(accounts: readonly number[]) {
  const ids = accounts as number[];
  const [row] = await plans.database.sql<Record<"granted" | "paid" | "used", number>[]>`
    with movements as (
      select other::json #>> '{note,code}' as code, (other::json ->> 'quota_delta')::bigint as units from logs
      where user_id = any(${ids}) and type = 3 and other like '%"target":"subscription"%'
    ),
    draws as (
      select d from logs, json_array_elements(other::json -> 'plan_draws') d
      where user_id = any(${ids}) and type = 2 and other::json ->> 'refunded' is null
      union all
      select d from unlogged_calls, json_array_elements(nullif(plan_draws, '')::json) d
      where user_id = any(${ids}) and quota > 0
    )
    select coalesce(sum(units) filter (where code = 'plan_quota_granted'), 0)::float8 as granted,
      -coalesce(sum(units) filter (where code like 'plan_paid%' or code = 'plan_seats_added'), 0)::float8 as paid,
      ((select sum(used_quota) from users where id = any(${ids}))
        - (select coalesce(sum((d ->> 'units')::bigint), 0) from draws))::float8 as used
    from movements`;
  let wallet = 0;
  for (const id of accounts) wallet += (await planStateOf(plans.database, id)).walletUnits;
  return { granted: Number(row?.granted), paid: Number(row?.paid), used: Number(row?.used), wallet };
}

async function requireNothingForFree(person: Person): Promise<void> {
  const { granted, paid, used, wallet } = await booksOf(person.accounts);
  expect(granted).toBeLessThanOrEqual(paid + person.granted);
  // What windows paid never becomes balance that stays.
  expect(wallet + used + paid).toBeLessThanOrEqual(DEPOSIT);
}

async function addPerson(): Promise<Readonly<{ id: number; username: string }>> {
  const username = Bun.randomUUIDv7();
  const [row] = await plans.database.sql<{ id: number }[]>`
    with person as (
      insert into users (username, aff_code, quota, created_at)
      values (${username}, ${username}, ${DEPOSIT}, ${START}) returning id
    )
    insert into top_up_orders (user_id, trade_no, method, quota, money, status, created_time, completed_time)
    select id, ${username}, 'manual', ${DEPOSIT}, 10, 'success', ${START}, ${START} from person returning user_id as id`;
  return { id: row?.id as number, username };
}

test(
  "whatever people do, they never use more than they paid, and what trials granted once",
  async () => {
    for (const seed of [...FOUND, ...Array.from({ length: SEQUENCES }, (_, at) => FIRST_SEED + at)]) {
      const { id, username } = await addPerson();
      const offered = await offer();
      const person = new Person(id, username, offered, randomFrom(seed));
      try {
        for (let step = 0; step < STEPS; step++) {
          await person.step();
          await requireNothingForFree(person);
        }
        await person.finish();
        await requireNothingForFree(person);
        const groups = await plans.database.sql<{ group: string }[]>`
          select distinct "group" from users where id = any(${person.accounts})`;
        expect(groups.map(({ group }) => group)).toEqual(["default"]);
      } catch (error) {
        throw new Error(`SEED=${seed} SEEDS=1, after ${person.done.join(" ")}`, { cause: error });
      }
    }
    for (const book of BOOKS)
      expect({ book, wrong: (await checkBooks(plans.database.db, book, 0, START)).wrong }).toEqual({ book, wrong: [] });
  },
  20_000 * (SEQUENCES + FOUND.length),
);
