import { alipay, stateOf as alipayState, isFromAlipay } from "../../payments/direct/alipay.ts";
import { type DirectDeps, PaymentServiceError, refundNoOf } from "../../payments/direct/service.ts";
import { reportCase } from "../../payments/direct/services.ts";
import { isFromWechatPay, openNotice, wechatPay, stateOf as wechatState } from "../../payments/direct/wechat-pay.ts";
import { applyState } from "./apply-state.ts";

/** Handles a notification of Alipay. True: acknowledge it; false: it is not Alipay's, or not for this app. */
export async function handleAlipayNotice(deps: DirectDeps, fields: Readonly<Record<string, string>>): Promise<boolean> {
  if (!alipay.isSetUp(deps.settings) || !believes(deps, () => isFromAlipay(fields, deps.settings))) return false;
  const { out_trade_no: tradeNo = "", out_biz_no: refundNo = "", refund_fee: refunded = "" } = fields;
  if (refundNo !== "" && refunded !== "") {
    // Ours are known. Others were made in Alipay's console: what becomes of the balance is an administrator's decision.
    if (refundNo !== refundNoOf(tradeNo)) {
      await reportCase(deps, "refund", tradeNo, {
        ...{ reference: refundNo, money: refunded, currency: "CNY", isPaidBack: true },
      });
    }
    return true;
  }
  await applyState(deps, "alipay", tradeNo, alipayState(fields));
  return true;
}

/** Handles a notification of WeChat Pay; `body` as it was sent. True: acknowledge it; false: it is not WeChat Pay's. */
export async function handleWechatNotice(
  deps: DirectDeps,
  notice: Readonly<{ headers: Headers; body: string }>,
): Promise<boolean> {
  const { settings } = deps;
  if (!wechatPay.isSetUp(settings) || !believes(deps, () => isFromWechatPay(notice, settings))) return false;
  const transaction = openNotice(notice.body, settings);
  if (transaction) await applyState(deps, "wechat", String(transaction.out_trade_no ?? ""), wechatState(transaction));
  return true;
}

/** A key of ours that cannot be read proves nothing. */
function believes({ log }: DirectDeps, check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof PaymentServiceError)) throw error;
    log.error({ reason: error.message }, "a payment notification cannot be checked");
    return false;
  }
}
