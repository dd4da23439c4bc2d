import { eq } from "drizzle-orm";
import { planOrders } from "../../../db/schema/wallet/plans/plan-orders.ts";
import { startCardPlan } from "../../../src/domain/wallet/plans/card/checkout.ts";
import { pollCards } from "../../../src/domain/wallet/plans/card/poll-cards.ts";
import { handlePlanEvent } from "../../../src/domain/wallet/plans/card/stripe/events.ts";
import { changePlan, setRenewal } from "../../../src/domain/wallet/plans/changes/change-subscription.ts";
import { listOwnSubscriptions } from "../../../src/domain/wallet/plans/plans.ts";
import type { startFakeStripe } from "../console/fake-stripe.ts";

const DAY_S = 86_400;
const SITE = "https://s.test";

type Deps = Parameters<typeof changePlan>[0] & Parameters<typeof pollCards>[0];
type Parts = Readonly<{
  deps: Deps;
  stripe: ReturnType<typeof startFakeStripe>;
  random: (below: number) => number;
  now: () => number;
  plans: readonly number[];
}>;

/**
 * Accounts that pay for the first of `plans` by card, and change it for others, as `random` says: some never pay, cards fail, invoices of changes are paid later
 * or never, and Stripe's reports are lost, come twice or days later.
 */
export function createCardCustomers({ deps, stripe, random, now, plans }: Parts) {
  const late: { event: (typeof stripe.events)[number]; at: number }[] = [];
  const tradeNos = new Set<string>();
  /** What was paid back of each invoice so far, in cents. */
  const refunds = new Map<string, number>();
  const anyPlan = () => plans[random(plans.length)] ?? 0;
  const ownByCard = async (id: number) =>
    (await listOwnSubscriptions(deps.db, id)).find(({ is_card: isCard }) => isCard);

  return {
    refunds,
    events: {
      async cardOrder(id: number) {
        await startCardPlan(deps, { id, group: "default" }, { planId: plans[0] ?? 0, site: SITE }, now());
        const orders = await deps.db.select().from(planOrders).where(eq(planOrders.userId, id)).orderBy(planOrders.id);
        const tradeNo = orders.at(-1)?.tradeNo ?? "";
        if (random(5) === 0) return;
        stripe.checkOut(tradeNo, now());
        tradeNos.add(tradeNo);
      },
      async cardChange(id: number) {
        const own = await ownByCard(id);
        if (!own) return;
        stripe.setCard(now(), random(4) > 0);
        await changePlan(
          deps,
          { id, group: "default" },
          { subscriptionId: own.id, planId: anyPlan(), site: SITE },
          now(),
        );
      },
      async renewal(id: number) {
        const all = await listOwnSubscriptions(deps.db, id);
        const own = all[random(Math.max(1, all.length))];
        stripe.setCard(now(), true);
        if (own) await setRenewal(deps, id, own.id, random(3) > 0, now());
      },
      /** Part of a payment is paid back at Stripe. */
      async cardRefund() {
        const paid = stripe.invoices.filter(({ status, amount }) => status === "paid" && amount > 0);
        const invoice = paid[random(Math.max(1, paid.length))];
        const before = invoice ? (refunds.get(invoice.id) ?? 0) : 0;
        if (!invoice || before === invoice.amount) return;
        const total = before + 1 + random(invoice.amount - before);
        refunds.set(invoice.id, total);
        const { id, subscription } = invoice;
        const charge = { id: `ch_${id}`, object: "charge", metadata: {}, payment_intent: stripe.paymentNoOf(id) };
        stripe.emit(
          "charge.refunded",
          { ...charge, customer: subscription.customer, currency: subscription.currency, amount_refunded: total },
          now(),
        );
      },
    },
    /** What happens at Stripe by itself since yesterday, and which reports of it arrive now. */
    async passDay() {
      stripe.setCard(now(), true);
      for (const tradeNo of tradeNos) {
        if (stripe.isWaiting(tradeNo)) (random(2) === 0 ? stripe.payPending : stripe.expirePending)(tradeNo);
        while (stripe.periodEnd(tradeNo) <= now() && stripe.statusOf(tradeNo) !== "canceled") {
          stripe.renew(tradeNo, stripe.periodEnd(tradeNo), random(6) > 0);
        }
      }
      for (const event of stripe.events.splice(0)) {
        // A refund cannot be asked for, so it is reported in the end.
        const reports = event.type === "charge.refunded" ? 1 + random(2) : random(3);
        for (let n = 0; n < reports; n++) late.push({ event, at: now() + random(3) * DAY_S * random(2) });
      }
      for (const { event } of late.filter(({ at }) => at <= now())) await handlePlanEvent(deps, event, now());
      late.splice(0, late.length, ...late.filter(({ at }) => at > now()));
    },
    /** All reports arrive, and Stripe is asked for the rest. */
    async finish() {
      for (const { event } of late.splice(0)) await handlePlanEvent(deps, event, now());
      await pollCards(deps, undefined, now() + 2 * DAY_S);
    },
  };
}
