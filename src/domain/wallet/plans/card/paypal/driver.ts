import { eq } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { takesPaypal } from "../../../payments/direct/paypal/client.ts";
import type { ServiceDeps, ServiceDriver } from "../driver.ts";
import { changeAtPaypal, requirePaypalChange } from "./change.ts";
import { cancelAtPaypal, lookUpPaypal, openPaypalPage } from "./subscription.ts";

/** Longer than anybody can approve a subscription on PayPal's page. */
const PAGE_OPEN_S = 2 * 86_400;

/** PayPal's pause is the subscriber's, who ends it there too. */
const refusePause = async (): Promise<never> => {
  throw new OperationError("plan_paypal_no_pause");
};

/** PayPal: https://developer.paypal.com/docs/subscriptions/. */
export const paypalDriver = (deps: ServiceDeps): ServiceDriver => ({
  isSetUp: () => takesPaypal(deps.settings),
  openPage: (order, plan, site) => openPaypalPage(deps, { order, plan, site }),
  // PayPal has no call for it: what is paid there all the same is a duplicate.
  closePage: async ({ createdAt }, now) => (createdAt < now - PAGE_OPEN_S ? "gone" : "open"),
  checkChange: requirePaypalChange,
  // Nothing begins at once.
  previewChange: async () => 0,
  change: (terms, { site, now }) => changeAtPaypal(deps, terms, { site, now }),
  async setRenewal(order, isRenewed) {
    if (isRenewed) throw new OperationError("plan_paypal_final");
    await cancelAtPaypal(deps, order);
  },
  setPaused: refusePause,
  resume: refusePause,
  async lookUp(order, now) {
    await lookUpPaypal(deps, order, now);
    await deps.db.update(planOrders).set({ polledAt: now }).where(eq(planOrders.id, order.id));
  },
});
