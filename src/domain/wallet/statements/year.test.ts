import { afterAll, beforeAll, expect, setSystemTime, test } from "bun:test";
import { asc, eq } from "drizzle-orm";
import { statements } from "../../../../db/schema/wallet/statements.ts";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import { createCardCustomers } from "../../../../test/support/billing/card-customers.ts";
import { addUser, silentLog, transferDirectly, usageRecord } from "../../../../test/support/billing/start-billing.ts";
import { setSeats, switchPlan } from "../../../../test/support/billing/start-plans.ts";
import { startFakeAlipay } from "../../../../test/support/console/fake-payment-services.ts";
import { startFakeStripe } from "../../../../test/support/console/fake-stripe.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { randomFrom } from "../../../../test/support/lib/random-json.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { checkBooks } from "../../../billing/check-ledger/check-ledger.ts";
import { applyBatch, applyOrphanBatch } from "../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../billing/journal/apply/record-text.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { continueRefunds, refundOrder } from "../orders/refund-order.ts";
import { handleAlipayNotice } from "../orders/reports/notices.ts";
import { pollPayments } from "../orders/reports/poll-payments.ts";
import { startDirect } from "../payments/direct/services.ts";
import { advanceSubscriptions } from "../plans/advance-subscriptions.ts";
import { createDrivers } from "../plans/card/drivers.ts";
import { pollCards } from "../plans/card/poll-cards.ts";
import { listOwnSubscriptions, savePlan } from "../plans/plans.ts";
import { orderNextPeriod, orderPlan } from "../plans/renewal/order-period.ts";
import { remindSubscribers } from "../plans/renewal/remind.ts";
import { subscribe } from "../plans/subscribe.ts";
import { monthAt } from "./compute-statement.ts";
import { issueStatements } from "./issue-statements.ts";
import { readPaidOrders } from "./movements/read-movements.ts";

const DAY_S = 86_400;
const HOUR_S = 3600;
const SEED = 20_261_124;
const START = Date.UTC(2025, 0, 1) / 1000;
const UNTIL = Date.UTC(2026, 0, 3) / 1000;

const alipay = startFakeAlipay();
const stripe = startFakeStripe();
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  setSystemTime();
  await Promise.all([alipay.stop(), stripe.stop()]);
  await database.close();
});

test("a year of three organizations: books, statements and the payment services' ledgers agree to the unit", async () => {
  const random = randomFrom(SEED);
  const settings = fixedSettings({
    ...{ ...alipay.settings, GroupRatio: '{"default":1,"pro":1}' },
    ...{ StripeSecretKey: "sk_test", StripeWebhookSecret: "whsec", StripePrice: "1.13", StripeCurrency: "eur" },
  });
  const { db, sql, changes } = database;
  const fetch = createSafeFetch(createAddressPolicy(true));
  const billing = { transfer: transferDirectly };
  const deps = { db, changes, settings, fetch, log: silentLog, billing, stripeAddress: stripe.url };
  setSystemTime(START * 1000);
  const actor = { id: await addUser(sql, 0), role: 100 } as UserEntry;
  const organizations: number[] = [];
  for (const _ of [1, 2, 3]) organizations.push(await addUser(sql, 0));
  await sql`update users set kind = 'organization' where id > ${actor.id}`;
  const plan = (name: string, price: number, window: string, windowQuota: number, more: object) =>
    savePlan(deps, actor, {
      ...{ name, description: "", price, period: "month", periodCount: 1, windowQuota, window, userGroup: "" },
      ...{ trialDays: 0, allowsOverage: true, isVisible: true, ...more },
    });
  const plans = [
    await plan("Small", 900_000, "week", 400_000, { seats: 2, seatPrice: 70_001 }),
    await plan("Large", 3_000_000, "month", 5_000_000, { seats: 4, seatPrice: 70_001 }),
  ];
  const forModels = await plan("Models", 200_000, "week", 150_000, { models: ["mod*"] });
  const withCalls = await plan("Calls", 150_000, "5h", 0, { windowCalls: 3 });
  const byCard = [
    await plan("Card", 1_000_000, "month", 1_000_000, {}),
    await plan("Card large", 4_000_001, "month", 3_000_000, {}),
    await plan("Card largest", 9_000_000, "month", 4_000_000, {}),
    await plan("Card quarterly", 12_000_007, "month", 4_000_000, { periodCount: 3 }),
  ];
  const counts: Record<string, number> = {};
  const count = (kind: string) => (counts[kind] = (counts[kind] ?? 0) + 1);
  /** Notifications that are on their way, and when they arrive. */
  const late: { body: string; at: number }[] = [];
  const balanceOf = async (id: number) => Number((await sql`select quota from users where id = ${id}`)[0]?.quota);

  /** Opens a page of Alipay's and pays there, or not; Alipay reports it or not. */
  async function pay(url: string): Promise<void> {
    if (url === "") return;
    const tradeNo = String(JSON.parse(alipay.openPage(url).biz_content ?? "").out_trade_no);
    const trade = alipay.state.trades.get(tradeNo);
    // Some never pay.
    if (!trade || random(5) === 0) return;
    trade.state = "paid";
    // Reported once, twice, days later, or never: then somebody has to ask.
    const reports = random(4);
    for (let n = 0; n < reports; n++) {
      late.push({ body: alipay.notice(tradeNo), at: nowSeconds() + random(3) * DAY_S * random(2) });
    }
  }

  const cards = createCardCustomers({
    deps: { ...deps, drivers: createDrivers(deps) },
    stripe,
    random,
    now: nowSeconds,
    plans: byCard,
  });
  const events = {
    ...cards.events,
    async topUp(id: number) {
      const user = { id, group: "default" };
      await pay((await startDirect(deps, { user, amount: 1 + random(40), site: "https://s.test" }, "alipay")).url);
    },
    async order(id: number) {
      const planId = plans[random(2)] ?? 0;
      const input = { planId, method: "alipay", site: "https://s.test", seats: 4 + random(6) } as const;
      await pay((await orderPlan(deps, { id, group: "default" }, input))?.url ?? "");
    },
    async next(id: number) {
      const [own] = await listOwnSubscriptions(db, id);
      const period = { subscriptionId: own?.id ?? 0, method: "alipay", site: "https://s.test" } as const;
      await pay((await orderNextPeriod(deps, { id, group: "default" }, period)).url);
    },
    async seats(id: number) {
      const [own] = await listOwnSubscriptions(db, id);
      if (own) await setSeats(deps, id, own.id, 4 + random(6));
    },
    async upgrade(id: number) {
      const [own] = await listOwnSubscriptions(db, id);
      if (own) await switchPlan(deps, id, own.id, plans[random(2)] ?? 0);
    },
    async call(id: number) {
      const [calls] = await sql<{ id: number }[]>`
        select id from budgets where organization_id = ${id} and scope = 'calls' and deleted_at is null and remaining > 0`;
      if (calls) {
        // A plan includes calls: some at once, of which some come twice.
        const texts = Array.from({ length: 1 + random(4) }, () =>
          recordText(
            usageRecord({ userId: id, quota: 0, createdAt: nowSeconds(), modelName: "model", included: calls.id }),
          ),
        );
        for (const _ of [0, ...(random(3) === 0 ? [1] : [])]) await applyOrphanBatch(sql, "dead", texts);
        count("included calls");
        return;
      }
      const most = Math.min(2_000_000, await balanceOf(id));
      if (most === 0) return;
      // The plan for the model pays as far as it goes.
      const [budget] = await sql<{ id: number }[]>`
        select id from budgets where organization_id = ${id} and scope = 'plan' and deleted_at is null`;
      const record = usageRecord({
        ...{ userId: id, quota: 1 + random(most), createdAt: nowSeconds(), modelName: "model" },
        ...(budget && { plan: budget.id }),
        // Logging is off at times.
        ...(random(3) === 0 && { unlogged: true as const }),
      });
      await applyBatch(sql, "p", [recordText(record)]);
    },
    subscribe: (id: number) => subscribe(deps, id, plans[random(2)] ?? 0, nowSeconds()),
    withCalls: (id: number) => subscribe(deps, id, withCalls, nowSeconds()),
    forModels: (id: number) => subscribe(deps, id, forModels, nowSeconds()),
    async refund(id: number) {
      const paid = await db.select().from(topUpOrders).where(eq(topUpOrders.userId, id));
      const order = paid.filter(({ status }) => status === "success").at(-1);
      alipay.state.refusesRefunds = random(4) === 0;
      alipay.state.failing = random(4) === 0 ? 1 : 0;
      if (order) await refundOrder(deps, actor, order.tradeNo);
    },
  };
  const kinds = [
    ...(["topUp", "topUp", "call", "call", "call", "call", "subscribe", "renewal", "refund"] as const),
    ...(["order", "order", "next", "next", "seats", "upgrade"] as const),
    ...(["cardOrder", "cardChange", "cardChange", "cardChange", "cardRefund", "forModels", "withCalls"] as const),
  ];

  for (let now = START; now < UNTIL; now += DAY_S) {
    setSystemTime((now + 12 * HOUR_S) * 1000);
    for (const id of organizations) {
      const kind = kinds[random(kinds.length)] ?? "call";
      count(kind);
      await events[kind](id).catch((error: unknown) => {
        // What the rules refuse moves nothing: that is part of the test.
        if (!(error instanceof OperationError)) throw error;
        count(`${kind} refused`);
      });
    }
    await cards.passDay();
    alipay.state.failing = 0;
    alipay.state.refusesRefunds = false;
    for (const { body } of late.filter(({ at }) => at <= nowSeconds())) {
      count("notification");
      expect(await handleAlipayNotice(deps, Object.fromEntries(new URLSearchParams(body)))).toBe(true);
    }
    late.splice(0, late.length, ...late.filter(({ at }) => at > nowSeconds()));
    // Twenty to midnight, in a turn that also looks at orders of yesterday.
    setSystemTime((now + 23 * HOUR_S) * 1000);
    await pollPayments(deps);
    await continueRefunds(deps);
    if (random(10) === 0) await pollCards(deps);
    await remindSubscribers(deps);
    await advanceSubscriptions(deps);
    if (new Date(now * 1000).getUTCDate() === 2) await issueStatements({ db, settings });
  }
  await cards.finish();
  await issueStatements({ db, settings });

  for (const book of ["balances", "users", "budgets", "statements"] as const) {
    expect({ book, wrong: (await checkBooks(db, book, 0, nowSeconds())).wrong }).toEqual({ book, wrong: [] });
  }
  // Each window's receipts are numbered without gaps, and what is beyond it has no number.
  const numbered = await sql<{ subscription: number; call: number | null; calls: number }[]>`
    select (d ->> 'subscription')::int as subscription, (d ->> 'call')::int as call, (d ->> 'calls')::int as calls
    from logs, json_array_elements(other::json -> 'plan_draws') with ordinality d(d) where d ->> 'calls' is not null
    order by logs.id`;
  expect(numbered.length).toBeGreaterThan(10);
  const last = new Map<number, number>();
  for (const { subscription, call, calls } of numbered) {
    const before = last.get(subscription) ?? 0;
    if (call === null) expect(before).toBe(calls);
    else {
      expect([1, before + 1]).toContain(call);
      expect(call).toBeLessThanOrEqual(calls);
      last.set(subscription, call);
    }
  }
  let documents = 0;
  let included = 0;
  for (const id of organizations) {
    let closing = 0;
    for (const row of await db.select().from(statements).where(eq(statements.userId, id)).orderBy(asc(statements.id))) {
      // A credit note of a plan is about a payment, and no balance.
      if (row.kind === "credit_note") continue;
      expect([row.opening, row.opening + row.credited - row.charged]).toEqual([closing, row.closing]);
      // No movement is left without a source.
      expect(row.content.credits.other).toBe(0);
      ({ closing } = row);
      included += (row.content.included ?? []).reduce((calls, line) => calls + line.calls, 0);
      documents++;
    }
  }
  // Each included call stands on the statement of its month.
  const [issuedCalls] = await sql<{ calls: number }[]>`
    select count(*)::int as calls from logs, json_array_elements(other::json -> 'plan_draws') d
    where d ->> 'calls' is not null and created_at < ${monthAt(nowSeconds() - DAY_S).from}`;
  expect(included).toBe(issuedCalls?.calls ?? -1);
  await sql`update users set quota = quota + 1 where id = ${organizations[0] ?? 0}`;
  expect((await checkBooks(db, "balances", 0, nowSeconds())).wrong).toHaveLength(1);
  // What Alipay says that people paid and got back is what the orders say.
  const orders = await db.select().from(topUpOrders);
  const trades = [...alipay.state.trades.values()];
  const cents = (money: string) => Math.round(Number(money) * 100);
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const credited = orders.filter(({ status }) => status === "success");
  expect(sum(credited.map(({ money }) => cents(money)))).toBe(
    sum(trades.filter(({ state }) => state === "paid").map((trade) => trade.cents)),
  );
  expect(sum(credited.filter(({ refundedTime }) => refundedTime > 0).map(({ money }) => cents(money)))).toBe(
    sum(trades.flatMap(({ refunds }) => [...refunds.values()])),
  );
  // So are what documents say was paid and paid back until the last month that has one.
  const until = monthAt(nowSeconds() - DAY_S).from;
  const isDocumented = (time: number) => time > 0 && time < until;
  const issued = await db.select().from(statements);
  const lines = issued.filter(({ kind }) => kind === "statement").flatMap(({ content }) => content.orders);
  const isByCard = ({ tradeNo }: Readonly<{ tradeNo: string }>) => tradeNo.startsWith("in_");
  // Credit notes repeat what statements list as paid back, each once.
  const noted = issued.filter(({ kind }) => kind === "credit_note").flatMap(({ content }) => content.orders);
  const credits = noted.filter((line) => !isByCard(line));
  expect(new Set(credits.map(({ tradeNo }) => tradeNo)).size).toBe(credits.length);
  for (const { tradeNo, money } of credits) {
    expect(orders.find((order) => order.tradeNo === tradeNo)).toMatchObject({
      money: money.slice(1),
      status: "success",
    });
  }
  const topUps = lines.filter(({ tradeNo }) => orders.some((order) => order.tradeNo === tradeNo));
  const refunds = topUps.filter(({ isRefund }) => isRefund);
  expect(refunds.length).toBeGreaterThan(0);
  expect(sum(refunds.map(({ money }) => cents(money)))).toBe(
    -sum(credited.filter(({ refundedTime }) => isDocumented(refundedTime)).map(({ money }) => cents(money))),
  );
  expect(sum(topUps.filter(({ isRefund }) => !isRefund).map(({ money }) => cents(money)))).toBe(
    sum(credited.filter(({ completedTime }) => isDocumented(completedTime ?? 0)).map(({ money }) => cents(money))),
  );
  // So is what Stripe says: each invoice, and what was paid back of it.
  const paidByCard = async (end: number) =>
    (await Promise.all(organizations.map((id) => readPaidOrders(db, id, { from: 0, until: end }))))
      .flat()
      .filter(isByCard);
  // The last look at Stripe is two days ahead.
  const all = await paidByCard(nowSeconds() + 3 * DAY_S);
  const amounts = (rows: readonly (readonly [string, number])[]) => [...rows].sort(([a], [b]) => a.localeCompare(b));
  const invoices = stripe.invoices.filter(({ status, amount }) => status === "paid" && amount > 0);
  expect(amounts(all.filter(({ isRefund }) => !isRefund).map(({ tradeNo, money }) => [tradeNo, cents(money)]))).toEqual(
    amounts(invoices.map(({ id, amount }) => [id, amount])),
  );
  expect(sum(all.filter(({ isRefund }) => isRefund).map(({ money }) => cents(money)))).toBe(
    -sum([...cards.refunds.values()]),
  );
  expect(sum(lines.filter(isByCard).map(({ money }) => cents(money)))).toBe(
    sum((await paidByCard(until)).map(({ money }) => cents(money))),
  );
  const prorated = invoices.filter(({ credit }) => credit && credit.amount > 0).length;
  expect(prorated).toBeGreaterThan(0);
  process.stderr.write(
    `a year of three organizations: ${JSON.stringify({ seed: SEED, documents, prorated, ...counts })}\n`,
  );
  expect(documents).toBeGreaterThan(30);
}, 240_000);
