import { createDecipheriv, randomBytes } from "node:crypto";
import { type JsonObject, parseJson, recordOf } from "../../../../formats/json.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { moneyOf, smallestUnits } from "../currency-units.ts";
import { isSignedBy, signRsa } from "./rsa.ts";
import {
  type PaymentService,
  PaymentServiceError,
  type PaymentState,
  refundNoOf,
  SERVICE_TIMEOUT_MS,
  type ServiceDeps,
} from "./service.ts";

const SCHEME = "WECHATPAY2-SHA256-RSA2048";
const PAY_WITHIN_S = 90 * 60;
/** Signatures that are older are replays. */
const LATEST_S = 300;
const TAG_BYTES = 16;
const SETTINGS = [
  ...(["WechatPayMerchantId", "WechatPayAppId", "WechatPaySerial", "WechatPayPrivateKey"] as const),
  ...(["WechatPayApiV3Key", "WechatPayPublicKeyId", "WechatPayPublicKey"] as const),
] as const;

/**
 * WeChat Pay's API v3, for codes that are scanned (native payments):
 * https://pay.weixin.qq.com/doc/v3/merchant/4012791874
 */
export const wechatPay: PaymentService = {
  isSetUp: (settings) => SETTINGS.every((key) => settings.get(key) !== ""),
  async start(deps, { tradeNo, money, subject, site }) {
    const { settings } = deps;
    const { status, body } = await call(deps, "POST", "/v3/pay/transactions/native", {
      ...{ appid: settings.get("WechatPayAppId"), mchid: settings.get("WechatPayMerchantId") },
      ...{ description: subject, out_trade_no: tradeNo },
      time_expire: `${new Date((nowSeconds() + PAY_WITHIN_S) * 1000).toISOString().slice(0, 19)}+00:00`,
      notify_url: `${settings.get("CustomCallbackAddress") || site}/api/user/wechat/notify`,
      amount: { total: smallestUnits(money, "CNY"), currency: "CNY" },
    });
    if (status !== 200 || typeof body.code_url !== "string") throw failure("the order", status, body);
    return { url: body.code_url, isCode: true };
  },
  async find(deps, { tradeNo }) {
    const merchant = encodeURIComponent(deps.settings.get("WechatPayMerchantId"));
    const path = `/v3/pay/transactions/out-trade-no/${encodeURIComponent(tradeNo)}?mchid=${merchant}`;
    const { status, body } = await call(deps, "GET", path);
    if (status === 404) return { state: "open" };
    if (status !== 200) throw failure("the query", status, body);
    return stateOf(body);
  },
  async refund(deps, { tradeNo, money }) {
    const cents = smallestUnits(money, "CNY");
    const { status, body } = await call(deps, "POST", "/v3/refund/domestic/refunds", {
      ...{ out_trade_no: tradeNo, out_refund_no: refundNoOf(tradeNo) },
      amount: { refund: cents, total: cents, currency: "CNY" },
    });
    if (status === 200) {
      if (body.status === "SUCCESS") return { state: "done" };
      // An abnormal one (a closed bank card) is settled by people in WeChat Pay's console: it may still be paid.
      return body.status === "CLOSED" ? { state: "refused", reason: "CLOSED" } : { state: "pending" };
    }
    // Rates and outages pass; a lack of funds is for the operator to end, and the refund is not made until then.
    if (status >= 500 || status === 429) throw failure("the refund", status, body);
    return { state: "refused", reason: String(body.code ?? status) };
  },
};

/** What a query, or a decrypted notification, says of its order. */
export function stateOf(transaction: JsonObject): PaymentState {
  const { trade_state: state, transaction_id: gatewayNo } = transaction;
  if (state === "SUCCESS") {
    const amount = recordOf(transaction.amount);
    const currency = typeof amount?.currency === "string" ? amount.currency : "CNY";
    const total = typeof amount?.total === "number" ? amount.total : -1;
    return { state: "paid", money: moneyOf(total, currency), currency, gatewayNo: String(gatewayNo ?? "") };
  }
  return { state: state === "CLOSED" || state === "REVOKED" || state === "PAYERROR" ? "closed" : "open" };
}

type Signed = Readonly<{ headers: Headers; body: string }>;

/** Whether WeChat Pay signed a response or notification, lately. */
export function isFromWechatPay({ headers, body }: Signed, settings: SettingsReader, now = nowSeconds()): boolean {
  const [timestamp = "", nonce = "", signature = "", serial = ""] = ["Timestamp", "Nonce", "Signature", "Serial"].map(
    (name) => headers.get(`Wechatpay-${name}`) ?? "",
  );
  const isLate = !(Math.abs(now - Number(timestamp)) <= LATEST_S);
  if (isLate || serial !== settings.get("WechatPayPublicKeyId")) return false;
  return isSignedBy(`${timestamp}\n${nonce}\n${body}\n`, signature, settings.get("WechatPayPublicKey"));
}

/** The transaction in a notification's envelope; null: it is about something else, or of another merchant. */
export function openNotice(body: string, settings: SettingsReader): JsonObject | null {
  const notice = recordOf(parseJson(body));
  const resource = recordOf(notice?.resource);
  if (!resource || !String(notice?.event_type).startsWith("TRANSACTION.")) return null;
  const sealed = Buffer.from(String(resource.ciphertext), "base64");
  const key = Buffer.from(settings.get("WechatPayApiV3Key"));
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(String(resource.nonce)), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(String(resource.associated_data ?? "")));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  const transaction = recordOf(parseJson(text));
  const isOurs =
    transaction?.mchid === settings.get("WechatPayMerchantId") && transaction.appid === settings.get("WechatPayAppId");
  return isOurs ? transaction : null;
}

/** Asks WeChat Pay; the response is believed by its signature. Throws PaymentServiceError. */
async function call(deps: ServiceDeps, method: "GET" | "POST", path: string, content?: object) {
  const { settings } = deps;
  const body = content ? JSON.stringify(content) : "";
  const [timestamp, nonce] = [String(nowSeconds()), randomBytes(16).toString("hex")];
  const signature = signRsa(
    `${method}\n${path}\n${timestamp}\n${nonce}\n${body}\n`,
    settings.get("WechatPayPrivateKey"),
  );
  const claims = {
    ...{ mchid: settings.get("WechatPayMerchantId"), nonce_str: nonce, timestamp },
    ...{ serial_no: settings.get("WechatPaySerial"), signature },
  };
  const answer = await deps.fetch(`${settings.get("WechatPayAddress")}${path}`, {
    method,
    headers: {
      ...{ accept: "application/json", "content-type": "application/json", "user-agent": "Sluice" },
      "Wechatpay-Serial": settings.get("WechatPayPublicKeyId"),
      authorization: `${SCHEME} ${Object.entries(claims)
        .map(([name, value]) => `${name}="${value}"`)
        .join(",")}`,
    },
    ...(body !== "" && { body }),
    timeoutMs: SERVICE_TIMEOUT_MS,
    maxRedirects: 0,
  });
  const text = answer.text();
  if (!isFromWechatPay({ headers: answer.headers, body: text }, settings)) {
    throw new PaymentServiceError(`the response (${answer.status}) is not signed by WeChat Pay`);
  }
  return { status: answer.status, body: recordOf(parseJson(text)) ?? {} };
}

const failure = (what: string, status: number, body: JsonObject): PaymentServiceError =>
  new PaymentServiceError(`${what} was answered with ${status} ${String(body.code ?? "")}`);
