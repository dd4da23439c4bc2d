import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { divide, integer, toText } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { startOrder } from "../orders/start-order.ts";
import { signEpay } from "./epay-signature.ts";
import { quoteWithTax } from "./tax/tax.ts";

/** A form that the browser posts to the payment service. */
export type PaymentForm = Readonly<{ url: string; fields: Readonly<Record<string, string>> }>;

export type Payment = Readonly<{
  user: Readonly<{ id: number; group: string }>;
  /** Whole dollars, or quota units where the site shows those. */
  amount: number;
  /** The site's address as the caller sees it, where no ServerAddress is set. */
  site: string;
}>;

/** Whether payment through Epay is configured. */
export const acceptsEpay = (settings: SettingsReader): boolean =>
  (["PayAddress", "EpayId", "EpayKey"] as const).every((key) => settings.get(key) !== "");

/** Starts an order to be paid by Alipay (zfb) or WeChat Pay (wx). Throws OperationError. */
export async function startEpay(
  { db, settings }: Readonly<{ db: Db; settings: SettingsReader }>,
  { user, amount, site }: Payment,
  method: "zfb" | "wx",
): Promise<PaymentForm> {
  if (!acceptsEpay(settings)) throw new OperationError("online_top_up_disabled");
  const quote = await quoteWithTax({ db, settings }, user, amount, method);
  const tradeNo = await startOrder(db, user.id, quote, method);
  const subject = `TUC${toText(divide(integer(quote.quotaUnits), integer(settings.get("QuotaPerUnit")), 2))}`;
  return epayForm(settings, { tradeNo, method, money: quote.money, subject, site, page: `/topup?order=${tradeNo}` });
}

type EpayOrder = Readonly<{
  tradeNo: string;
  method: "zfb" | "wx";
  /** To be paid, decimal text. */
  money: string;
  subject: string;
  site: string;
  /** The page of the site to return to. */
  page: string;
}>;

/** The form that pays an order at the Epay service. */
export function epayForm(
  settings: SettingsReader,
  { tradeNo, method, money, subject, site, page }: EpayOrder,
): PaymentForm {
  const fields = {
    pid: settings.get("EpayId"),
    type: method === "zfb" ? "alipay" : "wxpay",
    out_trade_no: tradeNo,
    notify_url: `${settings.get("CustomCallbackAddress") || site}/api/user/epay/notify`,
    return_url: `${site}${page}`,
    name: subject,
    money,
    device: "pc",
    sign_type: "MD5",
  };
  return {
    url: `${settings.get("PayAddress")}/submit.php`,
    fields: { ...fields, sign: signEpay(fields, settings.get("EpayKey")) },
  };
}
