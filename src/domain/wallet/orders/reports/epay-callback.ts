import type { Logger } from "../../../../lib/runtime/log.ts";
import type { WalletDeps } from "../../operation.ts";
import { isSignedByEpay } from "../../payments/epay.ts";
import { settlePaidOrder } from "../settle-order.ts";

/**
 * Handles a payment callback of an Epay service. True: acknowledge it; false: refuse it, because the signature, the merchant
 * or the order is wrong. A payment of another amount, or of an order that was paid, is acknowledged: it waits for an administrator.
 */
export async function handleEpayCallback(
  deps: WalletDeps & Readonly<{ log: Logger }>,
  fields: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { settings, log } = deps;
  if (!isSignedByEpay(fields, settings.get("EpayKey")) || fields.pid !== settings.get("EpayId")) return false;
  if (fields.trade_status !== "TRADE_SUCCESS") return true;
  const tradeNo = fields.out_trade_no ?? "";
  const outcome = await settlePaidOrder(deps, {
    tradeNo,
    methods: ["zfb", "wx"],
    money: fields.money ?? "",
    currency: "CNY",
    gatewayNo: (fields.trade_no ?? "").slice(0, 200),
  });
  if (outcome === "credited" || outcome === "credited before") return true;
  log.warn({ tradeNo, outcome, money: fields.money }, "a payment does not fit its order");
  return outcome !== "unknown order";
}
