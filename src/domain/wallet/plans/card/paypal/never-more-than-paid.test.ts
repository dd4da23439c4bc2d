import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { addUser, silentLog, usageRecord } from "../../../../../../test/support/billing/start-billing.ts";
import { startPlans } from "../../../../../../test/support/billing/start-plans.ts";
import { startFakePaypal } from "../../../../../../test/support/console/fake-paypal.ts";
import { randomFrom } from "../../../../../../test/support/lib/random-json.ts";
import { InsufficientQuota } from "../../../../../billing/ledger/errors.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { createAddressPolicy } from "../../../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../../../lib/outbound/safe-fetch.ts";
import { changePlan } from "../../changes/change-subscription.ts";
import { listOwnSubscriptions } from "../../plans.ts";
import { startCardPlan } from "../checkout.ts";
import { createDrivers } from "../drivers.ts";
import { handlePaypalPlanEvent } from "./events.ts";

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const START = Math.floor(Date.now() / 1000) - 60 * DAY_S;
const STEPS = 30;
const SITE = "https://gateway.test";
/** More sequences, or that of a failure: `SEEDS=200`, `SEED=123`. */
const SEQUENCES = Number(process.env.SEEDS ?? 4);
const FIRST_SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));

/** Plans that cost what their windows come to; no two the same, since PayPal names an amount alone. */
const OFFERED = [
  { name: "Hours", price: 500, windowQuota: 100, period: "day", window: "5h" },
  { name: "More hours", price: 600, windowQuota: 120, period: "day", window: "5h" },
  { name: "Once", price: 300, windowQuota: 300, period: "day", window: "period" },
  { name: "More at once", price: 400, windowQuota: 400, period: "day", window: "period" },
  { name: "Daily", price: 700, windowQuota: 100, period: "week", window: "day" },
] as const;

let plans: Awaited<ReturnType<typeof startPlans>>;
let paypal: Awaited<ReturnType<typeof startFakePaypal>>;
let deps: Parameters<typeof startCardPlan>[0] & Parameters<typeof changePlan>[0];
beforeAll(async () => {
  paypal = await startFakePaypal();
  plans = await startPlans({ ...paypal.settings, PaypalPrice: "10000", PaypalCurrency: "eur" }, true);
  const services = {
    ...{ ...plans.deps, log: silentLog, stripeAddress: "http://127.0.0.1:9" },
    fetch: createSafeFetch(createAddressPolicy(true)),
  };
  deps = { ...services, drivers: createDrivers(services) };
}, 60_000);
afterAll(async () => {
  await plans.close();
  await paypal.stop();
});

type Reported = Readonly<{ type: string; resource: object }>;

/** An account that pays by PayPal, which charges up to 12 hours early, in simulated time. */
class Subscriber {
  now = START;
  readonly done: string[] = [];
  /** When PayPal charges each subscription next, by the order that began it. */
  readonly #charges = new Map<string, number>();

  constructor(
    readonly id: number,
    readonly planIds: readonly number[],
    readonly below: (count: number) => number,
  ) {}

  async step(): Promise<void> {
    const actions = {
      order: () => this.#order(),
      use: () => this.#use(),
      again: () => this.#use(),
      change: () => this.#change(),
      wait: () => this.#wait([HOUR_S, 3 * HOUR_S, 5 * HOUR_S, DAY_S]),
      soon: () => this.#wait([60, HOUR_S]),
    };
    const names = Object.keys(actions) as (keyof typeof actions)[];
    const name = names[this.below(names.length)] as keyof typeof actions;
    try {
      await actions[name]();
      this.done.push(name);
    } catch (error) {
      if (!(error instanceof OperationError) && !(error instanceof InsufficientQuota)) throw error;
      this.done.push(`(${name})`);
    }
  }

  #own = async () => (await listOwnSubscriptions(deps.db, this.id))[0];
  #plan = () => this.planIds[this.below(this.planIds.length)] ?? 0;

  async #deliver(events: readonly Reported[]): Promise<void> {
    for (const { type, resource } of events) {
      for (let times = 1 + this.below(2); times > 0; times--)
        await handlePaypalPlanEvent(deps, type, { ...resource }, this.now);
    }
  }

  async #newest(): Promise<string> {
    const orders = await deps.db.select().from(planOrders).where(eq(planOrders.userId, this.id)).orderBy(planOrders.id);
    return orders.at(-1)?.tradeNo ?? "";
  }

  async #approve(tradeNo: string): Promise<void> {
    const { startsAt } = paypal.plans.byOrder(tradeNo);
    const events = paypal.plans.approve(tradeNo, this.now);
    await this.#deliver(events);
    this.#charges.set(tradeNo, startsAt > this.now ? this.#early(startsAt) : await this.#afterThis());
  }

  #early = (time: number) => Math.max(this.now, time - this.below(12 * HOUR_S));
  #afterThis = async () => this.#early((await this.#own())?.period_end ?? this.now + DAY_S);

  async #order(): Promise<void> {
    if (await this.#own()) return;
    await startCardPlan(
      deps,
      { id: this.id, group: "default" },
      { planId: this.#plan(), site: SITE, service: "paypal" },
      this.now,
    );
    await this.#approve(await this.#newest());
  }

  async #change(): Promise<void> {
    const own = await this.#own();
    if (!own) return;
    const input = { subscriptionId: own.id, planId: this.#plan(), site: SITE };
    const { url } = await changePlan(deps, { id: this.id, group: "default" }, input, this.now);
    if (url === null || this.below(3) === 0) return;
    const newest = await this.#newest();
    const begun = [...this.#charges.keys()].find((tradeNo) => paypal.plans.byOrder(tradeNo).revisedTo !== "");
    if (begun) await this.#deliver([paypal.plans.approveRevision(begun, this.now)]);
    else await this.#approve(newest);
  }

  /** A call of all that the window has left, or of less. */
  async #use(): Promise<void> {
    const left = (await this.#own())?.remaining ?? 0;
    const amount = this.below(3) > 0 ? left : this.below(left + 1);
    if (amount === 0) return;
    const hold = await plans.billing.reserve({ userId: this.id, token: null, amount });
    await plans.billing.settle(hold, usageRecord({ userId: this.id, quota: amount, createdAt: this.now }));
    await plans.billing.flush();
  }

  async #wait(lengths: readonly number[]): Promise<void> {
    const until = this.now + (lengths[this.below(lengths.length)] ?? 0);
    for (;;) {
      const [next] = [...this.#charges].filter(([, at]) => at <= until).toSorted(([, a], [, b]) => a - b);
      if (!next) break;
      const [tradeNo, at] = next;
      this.now = Math.max(this.now, at);
      await plans.advance(this.now);
      this.#charges.delete(tradeNo);
      if (paypal.plans.byOrder(tradeNo).status !== "ACTIVE") continue;
      await this.#deliver([paypal.plans.charge(tradeNo, this.now)]);
      // The period before may still run: one that is paid already is not charged again at once.
      this.#charges.set(tradeNo, Math.max(await this.#afterThis(), this.now + HOUR_S));
    }
    this.now = until;
    await plans.advance(this.now);
  }
}

/** What windows granted an account, and what its paid periods cost; quota units. */
async function booksOf(userId: number) {
  const [row] = await plans.database.sql<Record<"granted" | "paid", number>[]>`
    select (select coalesce(sum((other::json ->> 'quota_delta')::bigint), 0) from logs
        where user_id = ${userId} and type = 3 and other::json #>> '{note,code}' = 'plan_quota_granted')::float8 as granted,
      (select coalesce(sum(p.price), 0) from plan_payments b join plan_orders o on o.id = b.order_id
        join plans p on p.id = o.plan_id where o.user_id = ${userId})::float8 as paid`;
  return { granted: Number(row?.granted), paid: Number(row?.paid) };
}

test(
  "whatever is changed, approved or charged early at PayPal, windows grant no more than was paid",
  async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed++) {
      const planIds = [];
      for (const values of OFFERED) planIds.push(await plans.plan(values));
      const subscriber = new Subscriber(await addUser(plans.database.sql, 0), planIds, randomFrom(seed));
      try {
        for (let step = 0; step < STEPS; step++) {
          await subscriber.step();
          const { granted, paid } = await booksOf(subscriber.id);
          expect(granted).toBeLessThanOrEqual(paid);
        }
      } catch (error) {
        throw new Error(`SEED=${seed} SEEDS=1, after ${subscriber.done.join(" ")}`, { cause: error });
      }
    }
  },
  60_000 * SEQUENCES,
);
