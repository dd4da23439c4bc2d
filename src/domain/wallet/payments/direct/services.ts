import { eq } from "drizzle-orm";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import { divide, integer, toText } from "../../../../lib/values/decimal.ts";
import { openCase } from "../cases.ts";
import { smallestUnits } from "../currency-units.ts";
import type { Payment } from "../epay.ts";
import { recordOrderRefund } from "../record-order-refund.ts";
import { closeOrder, startOrder } from "../start-order.ts";
import { quoteWithTax } from "../tax/tax.ts";
import { alipay } from "./alipay.ts";
import { paypal } from "./paypal/paypal.ts";
import type { DirectDeps, DirectOrder, PaymentPlace, PaymentService } from "./service.ts";
import { wechatPay } from "./wechat-pay.ts";

export const DIRECT_METHODS = ["alipay", "wechat", "paypal"] as const;
export type DirectMethod = (typeof DIRECT_METHODS)[number];

export const DIRECT_SERVICES: Readonly<Record<DirectMethod, PaymentService>> = { alipay, wechat: wechatPay, paypal };

/** The method of that name, if it is one of a service without anybody between. */
export const directMethod = (name: string): DirectMethod | undefined => DIRECT_METHODS.find((known) => known === name);

/** Starts an order to be paid at a service, and returns where. Throws OperationError. */
export async function startDirect(
  deps: DirectDeps,
  { user, amount, site }: Payment,
  method: DirectMethod,
): Promise<PaymentPlace> {
  const { db, settings } = deps;
  if (!DIRECT_SERVICES[method].isSetUp(settings)) throw new OperationError("online_top_up_disabled");
  const quote = await quoteWithTax({ db, settings }, user, amount, method);
  const tradeNo = await startOrder(db, user.id, quote, method);
  const dollars = toText(divide(integer(quote.quotaUnits), integer(settings.get("QuotaPerUnit")), 2));
  const { money, currency } = quote;
  return openDirect(deps, method, { tradeNo, money, currency, subject: `TUC${dollars}`, site });
}

/** Opens the payment of a stored order at a service; one that cannot be opened has failed. Throws OperationError. */
export async function openDirect(deps: DirectDeps, method: DirectMethod, order: DirectOrder): Promise<PaymentPlace> {
  const { db, log } = deps;
  const { tradeNo } = order;
  try {
    const place = await DIRECT_SERVICES[method].start(deps, order);
    const { gatewayNo } = place;
    if (gatewayNo) await db.update(topUpOrders).set({ gatewayNo }).where(eq(topUpOrders.tradeNo, tradeNo));
    return place;
  } catch (error) {
    await closeOrder(db, tradeNo, "failed");
    const reason = messageOf(error);
    log.warn({ tradeNo, method, reason }, "a payment could not be started");
    throw new OperationError("payment_request_failed");
  }
}

/** Puts what a service reported of an order into the queue, once. `isPaidBack`: it has, which the statement lists. */
export async function reportCase(
  { db }: DirectDeps,
  kind: "refund" | "dispute",
  tradeNo: string,
  {
    reference,
    money,
    currency,
    isPaidBack,
  }: Readonly<{ reference: string; money: string; currency: string; isPaidBack: boolean }>,
): Promise<void> {
  const [order] = await db.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo));
  if (order && isPaidBack) {
    await recordOrderRefund(db, {
      ...{ tradeNo, reference: `${order.method}/${reference}`, units: smallestUnits(money, currency) },
      ...{ isTotal: false, currency, now: nowSeconds() },
    });
  }
  await openCase(db, {
    ...{ kind, reference, currency, now: nowSeconds() },
    order: order ?? null,
    paidUnits: smallestUnits(money, currency),
  });
}
