import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../../formats/json.ts";
import {
  type PaymentService,
  PaymentServiceError,
  type PaymentState,
  refundNoOf,
  type ServiceDeps,
  type StartedOrder,
} from "../service.ts";
import { amountOf, callPaypal, linkOf, reasonOf, takesPaypal } from "./client.ts";

/**
 * PayPal: the buyer approves an order on PayPal's page, then it is captured
 * (https://developer.paypal.com/docs/api/orders/v2/). `gatewayNo` is the order's ID, and the capture's once it was paid.
 */
export const paypal: PaymentService = {
  isSetUp: takesPaypal,
  async start(deps, { tradeNo, money, currency, subject, site }) {
    const { status, body } = await callPaypal(deps, "POST", "/v2/checkout/orders", {
      requestId: tradeNo,
      body: {
        intent: "CAPTURE",
        // PayPal sends the custom ID with all that it reports, and takes one payment for an invoice ID.
        purchase_units: [
          {
            ...{ reference_id: "default", custom_id: tradeNo, invoice_id: tradeNo },
            ...{ description: `${deps.settings.get("SystemName")} ${subject}`.slice(0, 127) },
            amount: amountOf(money, currency),
          },
        ],
        payment_source: {
          paypal: {
            experience_context: {
              ...{ user_action: "PAY_NOW", shipping_preference: "NO_SHIPPING" },
              ...{ return_url: `${site}/topup?order=${tradeNo}`, cancel_url: `${site}/topup` },
            },
          },
        },
      },
    });
    const url = linkOf(body, ["payer-action", "approve"]);
    const gatewayNo = textOf(body.id);
    if (url === null || !gatewayNo) throw new PaymentServiceError(`no order: ${status} ${reasonOf(body)}`);
    return { url, isCode: false, gatewayNo };
  },
  async find(deps, order) {
    // Nobody has seen its page.
    if (order.gatewayNo === "") return { state: "open" };
    const { status, body } = await callPaypal(deps, "GET", orderPath(order));
    // PayPal forgets orders that nobody approved.
    if (status === 404) return { state: "closed" };
    if (status !== 200) throw new PaymentServiceError(`the order was answered with ${status} ${reasonOf(body)}`);
    if (body.status === "APPROVED") return capture(deps, order);
    return body.status === "VOIDED" ? { state: "closed" } : stateOfOrder(body);
  },
  async refund(deps, { tradeNo, money, currency, gatewayNo }) {
    const refundNo = refundNoOf(tradeNo);
    const { status, body } = await callPaypal(deps, "POST", `/v2/payments/captures/${gatewayNo}/refund`, {
      requestId: refundNo,
      body: { amount: amountOf(money, currency), invoice_id: refundNo, custom_id: tradeNo },
    });
    if (status >= 400) return { state: "refused", reason: reasonOf(body) };
    if (body.status === "COMPLETED") return { state: "done" };
    return body.status === "PENDING" ? { state: "pending" } : { state: "refused", reason: String(body.status) };
  },
};

const orderPath = ({ gatewayNo }: StartedOrder): string => `/v2/checkout/orders/${encodeURIComponent(gatewayNo)}`;

/** Takes the money of an order that the buyer approved: once, however often this is called. */
async function capture(deps: ServiceDeps, order: StartedOrder): Promise<PaymentState> {
  const { status, body } = await callPaypal(deps, "POST", `${orderPath(order)}/capture`, {
    requestId: `${order.tradeNo}C`,
  });
  if (status < 300) return stateOfOrder(body);
  // The way the buyer pays was declined, or they have to confirm: they may do so on PayPal's page.
  if (status === 422) return { state: "open" };
  throw new PaymentServiceError(`the capture was answered with ${status} ${reasonOf(body)}`);
}

function stateOfOrder(body: JsonObject): PaymentState {
  const [unit] = recordsOf(body.purchase_units);
  const captures = recordsOf(recordOf(unit?.payments)?.captures);
  const states = captures.map(stateOfCapture);
  return states.find(({ state }) => state === "paid") ?? states.at(-1) ?? { state: "open" };
}

/** What a capture says of its order. A pending one is paid or declined later; of a refunded one nothing is left. */
export function stateOfCapture(capture: JsonObject): PaymentState {
  const { value, currency_code: currency } = recordOf(capture.amount) ?? {};
  switch (capture.status) {
    case "COMPLETED":
    case "PARTIALLY_REFUNDED":
      return {
        ...{ state: "paid", money: String(value ?? ""), currency: String(currency ?? "") },
        gatewayNo: String(capture.id ?? ""),
      };
    case "DECLINED":
    case "FAILED":
    case "REFUNDED":
      return { state: "closed" };
    default:
      return { state: "open" };
  }
}
