import { and, gt, inArray, lte, ne } from "drizzle-orm";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { DirectDeps } from "../../payments/direct/service.ts";
import { DIRECT_METHODS, DIRECT_SERVICES, directMethod } from "../../payments/direct/services.ts";
import { applyState } from "./apply-state.ts";

/** Notifications come within seconds; people pay within minutes, and cannot after 90. */
const SETTLING_S = 60;
const FRESH_S = 900;
/** Older than any order that can still be paid, with an outage of ours in between. */
const OLDEST_S = 2 * 86_400;
const SLOW_EVERY_S = 600;

/**
 * Asks Alipay, WeChat Pay and PayPal for payments that they should have reported and may not have: of orders of the last quarter of an
 * hour each time, of older ones every ten minutes. Returns how many were asked for.
 */
export async function pollPayments(deps: DirectDeps, signal?: AbortSignal, now = nowSeconds()): Promise<number> {
  const { db, settings, log } = deps;
  const methods = DIRECT_METHODS.filter((method) => DIRECT_SERVICES[method].isSetUp(settings));
  if (methods.length === 0) return 0;
  const isSlowTurn = now % SLOW_EVERY_S < SETTLING_S;
  const due = await db
    .select()
    .from(topUpOrders)
    .where(
      and(
        // One that is expired or failed here may have been paid all the same.
        ne(topUpOrders.status, "success"),
        inArray(topUpOrders.method, methods),
        lte(topUpOrders.createdTime, now - SETTLING_S),
        gt(topUpOrders.createdTime, now - (isSlowTurn ? OLDEST_S : FRESH_S)),
      ),
    );
  for (const order of due) {
    const { tradeNo } = order;
    const method = directMethod(order.method);
    if (signal?.aborted || !method) break;
    try {
      await applyState(deps, method, tradeNo, await DIRECT_SERVICES[method].find(deps, order));
    } catch (error) {
      log.warn({ tradeNo, method, reason: messageOf(error) }, "a payment could not be looked up");
    }
  }
  return due.length;
}
