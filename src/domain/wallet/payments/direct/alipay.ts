import { parseJson, recordOf } from "../../../../formats/json.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { isSignedBy, signRsa } from "./rsa.ts";
import {
  type PaymentService,
  PaymentServiceError,
  type PaymentState,
  refundNoOf,
  SERVICE_TIMEOUT_MS,
  type ServiceDeps,
} from "./service.ts";

type Fields = Readonly<Record<string, string>>;

const CHINA_MS = 8 * 3_600_000;
const DONE = "10000";
/** Codes after which asking again leads to nothing else. */
const REFUSED = "40004";
const NOT_FOUND = "ACQ.TRADE_NOT_EXIST";
/** Refused for now: the same request may succeed later. */
const UNCLEAR = ["ACQ.SYSTEM_ERROR", "SYSTEM_ERROR", "aop.ACQ.SYSTEM_ERROR"];

/**
 * Alipay's own API with keys (RSA2), for payments on a page of Alipay:
 * https://opendocs.alipay.com/open/270/105898
 */
export const alipay: PaymentService = {
  isSetUp: (settings) =>
    (["AlipayAppId", "AlipayPrivateKey", "AlipayPublicKey"] as const).every((key) => settings.get(key) !== ""),
  async start({ settings }, { tradeNo, money, subject, site }) {
    const content = {
      ...{ out_trade_no: tradeNo, total_amount: money, subject, product_code: "FAST_INSTANT_TRADE_PAY" },
      timeout_express: "90m",
    };
    const base = settings.get("CustomCallbackAddress") || site;
    const fields = signed(settings, "alipay.trade.page.pay", content, {
      notify_url: `${base}/api/user/alipay/notify`,
      return_url: `${site}/topup?order=${tradeNo}`,
    });
    return { url: `${settings.get("AlipayGateway")}?${new URLSearchParams(fields)}`, isCode: false };
  },
  async find(deps, { tradeNo }) {
    const response = await call(deps, "alipay.trade.query", { out_trade_no: tradeNo });
    if (response.code !== DONE) {
      // Nobody has opened the page: Alipay makes the trade when somebody signs in on it.
      if (response.sub_code === NOT_FOUND) return { state: "open" };
      throw new PaymentServiceError(`the query was answered with ${response.sub_code || response.code}`);
    }
    return stateOf(response);
  },
  async refund(deps, { tradeNo, money }) {
    const content = { out_trade_no: tradeNo, refund_amount: money, out_request_no: refundNoOf(tradeNo) };
    const response = await call(deps, "alipay.trade.refund", content);
    if (response.code === DONE) return { state: "done" };
    if (response.code !== REFUSED || UNCLEAR.includes(response.sub_code ?? "")) {
      throw new PaymentServiceError(`the refund was answered with ${response.sub_code || response.code}`);
    }
    return { state: "refused", reason: response.sub_code ?? "" };
  },
};

/** What a query, or a notification that is signed, says of its trade. */
export function stateOf(fields: Fields): PaymentState {
  const { trade_status: status, total_amount: money = "", trade_no: gatewayNo = "" } = fields;
  if (status === "TRADE_SUCCESS" || status === "TRADE_FINISHED") {
    return { state: "paid", money, currency: "CNY", gatewayNo };
  }
  return { state: status === "TRADE_CLOSED" ? "closed" : "open" };
}

/** Whether Alipay signed the fields of a notification, for this app. */
export function isFromAlipay(fields: Fields, settings: SettingsReader): boolean {
  const { sign = "", sign_type: _, ...rest } = fields;
  const isOurs = fields.app_id === settings.get("AlipayAppId") && fields.sign_type === "RSA2";
  return isOurs && isSignedBy(textOf(rest), sign, settings.get("AlipayPublicKey"));
}

/** The fields with a value, by name, as they are signed. */
const textOf = (fields: Fields): string =>
  Object.keys(fields)
    .filter((name) => fields[name] !== "")
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");

function signed(settings: SettingsReader, method: string, content: Fields, more: Fields = {}): Record<string, string> {
  const fields = {
    ...{ app_id: settings.get("AlipayAppId"), method, format: "JSON", charset: "utf-8", sign_type: "RSA2" },
    timestamp: new Date(Date.now() + CHINA_MS).toISOString().slice(0, 19).replace("T", " "),
    ...{ version: "1.0", biz_content: JSON.stringify(content), ...more },
  };
  return { ...fields, sign: signRsa(textOf(fields), settings.get("AlipayPrivateKey")) };
}

/** Asks Alipay; the response is believed by its signature. Throws PaymentServiceError. */
async function call(deps: ServiceDeps, method: string, content: Fields): Promise<Fields> {
  const { settings } = deps;
  const answer = await deps.fetch(settings.get("AlipayGateway"), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded;charset=utf-8" },
    body: new URLSearchParams(signed(settings, method, content)).toString(),
    timeoutMs: SERVICE_TIMEOUT_MS,
    maxRedirects: 0,
  });
  const text = answer.text();
  const name = `${method.replaceAll(".", "_")}_response`;
  const raw = objectAfter(text, `"${name}":`);
  const signature = recordOf(parseJson(text))?.sign;
  if (raw === null || typeof signature !== "string" || !isSignedBy(raw, signature, settings.get("AlipayPublicKey"))) {
    throw new PaymentServiceError("the response is not signed by Alipay");
  }
  const entries = Object.entries(recordOf(parseJson(raw)) ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, typeof value === "string" ? value : ""]));
}

/** The text of the JSON object that follows `label`, exactly as it was sent: so it was signed. */
function objectAfter(text: string, label: string): string | null {
  const start = text.indexOf(label) + label.length;
  if (start < label.length || text[start] !== "{") return null;
  let depth = 0;
  let isInText = false;
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    if (letter === "\\") at++;
    else if (letter === '"') isInText = !isInText;
    else if (!isInText && letter === "{") depth++;
    else if (!isInText && letter === "}" && --depth === 0) return text.slice(start, at + 1);
  }
  return null;
}
