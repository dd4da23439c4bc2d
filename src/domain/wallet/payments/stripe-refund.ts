import { OperationError } from "../../../lib/operation-error.ts";
import { type RefundState, refundNoOf } from "./direct/service.ts";
import { type StripeDeps, stripeClient } from "./stripe.ts";

type Order = Readonly<{ tradeNo: string; gatewayNo: string }>;

/**
 * Has Stripe pay back what is left of a card payment (https://docs.stripe.com/api/refunds/create). Asking again does not pay again: the
 * same key asks once, and later Stripe says that it is paid back. Throws what Stripe's client throws: it is not known.
 */
export async function refundByStripe(deps: Omit<StripeDeps, "db" | "log">, order: Order): Promise<RefundState> {
  const stripe = await stripeClient(deps);
  const paymentNo = order.gatewayNo.startsWith("cs_")
    ? numberOf((await stripe.checkout.sessions.retrieve(order.gatewayNo)).payment_intent)
    : order.gatewayNo;
  if (!paymentNo.startsWith("pi_")) throw new OperationError("order_refund_at_service", { service: "Stripe" });
  try {
    const refund = await stripe.refunds.create(
      { payment_intent: paymentNo, metadata: { order: order.tradeNo } },
      { idempotencyKey: refundNoOf(order.tradeNo) },
    );
    if (refund.status === "succeeded") return { state: "done" };
    if (refund.status === "failed" || refund.status === "canceled") {
      return { state: "refused", reason: refund.failure_reason ?? refund.status };
    }
    return { state: "pending" };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    // In Stripe's dashboard, or by an earlier request whose answer was lost.
    if (code === "charge_already_refunded") return { state: "done" };
    const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
    if (error instanceof Error && status === 400) return { state: "refused", reason: error.message.slice(0, 200) };
    throw error;
  }
}

const numberOf = (what: string | Readonly<{ id: string }> | null): string =>
  typeof what === "string" ? what : (what?.id ?? "");
