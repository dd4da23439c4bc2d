import type { DirectDeps, PaymentState } from "../../payments/direct/service.ts";
import type { DirectMethod } from "../../payments/direct/services.ts";
import { closeOrder } from "../../payments/start-order.ts";
import { settlePaidOrder } from "../settle-order.ts";

/**
 * Applies what a service says of an order: credits it once when it was paid, however often and in whatever order it is
 * reported. A payment that does not fit its order goes to the queue of payment reports.
 */
export async function applyState(
  deps: DirectDeps,
  method: DirectMethod,
  tradeNo: string,
  state: PaymentState,
): Promise<void> {
  if (state.state === "closed") return closeOrder(deps.db, tradeNo, "expired");
  if (state.state !== "paid") return;
  const { money, currency, gatewayNo } = state;
  const outcome = await settlePaidOrder(deps, {
    ...{ tradeNo, methods: [method], money, currency },
    gatewayNo: gatewayNo.slice(0, 200),
  });
  if (outcome === "credited" || outcome === "credited before") return;
  // A merchant's account may sell other things too.
  deps.log.warn({ tradeNo, method, outcome, money, currency }, "a payment does not fit its order");
}
