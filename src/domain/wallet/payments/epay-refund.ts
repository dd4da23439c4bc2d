import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { PaymentServiceError, type RefundState, SERVICE_TIMEOUT_MS, type ServiceDeps } from "./direct/service.ts";

type Order = Readonly<{ tradeNo: string; gatewayNo: string; money: string }>;

/**
 * Has an Epay service pay all of an order back: its `api.php?act=refund`, with the merchant's id and key, both numbers of the order and
 * the amount (decimal text); `code` 1 says that it was paid back. A second request of the same order may be answered as a
 * refusal, so nothing is requested twice. Throws PaymentServiceError: whether it was paid back is not known.
 */
export async function refundByEpay(deps: ServiceDeps, order: Order): Promise<RefundState> {
  const { settings } = deps;
  const { tradeNo, gatewayNo, money } = order;
  const fields = { pid: settings.get("EpayId"), key: settings.get("EpayKey"), out_trade_no: tradeNo, money };
  const response = await deps.fetch(`${settings.get("PayAddress")}/api.php?act=refund`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...fields, ...(gatewayNo && { trade_no: gatewayNo }) }).toString(),
    timeoutMs: SERVICE_TIMEOUT_MS,
    // The merchant's key goes nowhere else.
    maxRedirects: 0,
  });
  const answer = recordOf(parseJson(response.text()));
  const code = answer?.code;
  if (response.status !== 200 || (typeof code !== "number" && typeof code !== "string"))
    throw new PaymentServiceError(`the refund was answered with status ${response.status}`);
  if (Number(code) === 1) return { state: "done" };
  return { state: "refused", reason: (textOf(answer?.msg) ?? String(code)).slice(0, 200) };
}
