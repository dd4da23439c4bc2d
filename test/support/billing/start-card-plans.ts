import type { UserEntry } from "../../../src/domain/accounts/directory.ts";
import { createDrivers } from "../../../src/domain/wallet/plans/card/drivers.ts";
import { type PlanInput, savePlan } from "../../../src/domain/wallet/plans/plans.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { startFakeStripe } from "../console/fake-stripe.ts";
import { openTestDatabase } from "../database.ts";
import { fixedSettings } from "../lib/settings.ts";
import { addUser, silentLog, transferDirectly } from "./start-billing.ts";
import { planInput } from "./start-plans.ts";

/** Plans that are paid by card: a database, a fake of Stripe, and what both are used with. `options` add to Stripe's own. */
export async function startCardPlans(options: Partial<Record<OptionKey, string>> = {}) {
  const database = await openTestDatabase();
  const stripe = startFakeStripe();
  const { db, changes, sql } = database;
  const own = { StripeSecretKey: "sk_test", StripeWebhookSecret: "whsec", StripePrice: "1" };
  const services = {
    ...{ db, changes, settings: fixedSettings({ ...own, ...options }), log: silentLog, stripeAddress: stripe.url },
    fetch: createSafeFetch(createAddressPolicy(true)),
    billing: { transfer: transferDirectly },
  };
  const deps = { ...services, drivers: createDrivers(services) };
  const actor = { id: await addUser(sql, 0), role: 100 } as UserEntry;
  return {
    ...{ database, stripe, deps, actor },
    /** Offers a monthly plan with 700 units a period unless `values` say otherwise; resolves with its id. */
    offer: (values: Partial<PlanInput>) =>
      savePlan(deps, actor, planInput({ windowQuota: 700, window: "period", ...values })),
    async stop() {
      await stripe.stop();
      await database.close();
    },
  };
}
