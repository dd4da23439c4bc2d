import { createHash, timingSafeEqual } from "node:crypto";
import type { Db } from "../../../../db/types.ts";
import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { divide, integer, toText } from "../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { PaymentServiceError, type RefundState, SERVICE_TIMEOUT_MS, type ServiceDeps } from "./direct/service.ts";
import { startOrder } from "./start-order.ts";
import { quoteWithTax } from "./tax/tax.ts";

type Fields = Readonly<Record<string, string>>;

/**
 * The Epay protocol's signature: all fields but `sign`, `sign_type` and empty ones, by name, joined as name=value with
 * &, the merchant's key appended; MD5 in lower-case hex.
 */
export function signEpay(fields: Fields, key: string): string {
  const text = Object.keys(fields)
    .filter((name) => name !== "sign" && name !== "sign_type" && fields[name] !== "")
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");
  return createHash("md5")
    .update(text + key)
    .digest("hex");
}

/** Whether the fields' `sign` was made with `key`; never with an empty key. */
export function isSignedByEpay(fields: Fields, key: string): boolean {
  if (key === "") return false;
  const expected = Buffer.from(signEpay(fields, key));
  const input = Buffer.from((fields.sign ?? "").toLowerCase());
  return input.length === expected.length && timingSafeEqual(input, expected);
}

/** A form that the browser posts to the payment service. */
type PaymentForm = Readonly<{ url: string; fields: Readonly<Record<string, string>> }>;

export type Payment = Readonly<{
  user: Readonly<{ id: number; group: string }>;
  /** Whole dollars, or quota units where the site shows those. */
  amount: number;
  /** The site's public address. */
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
