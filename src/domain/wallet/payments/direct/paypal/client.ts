import { LRUCache } from "lru-cache";
import { type JsonObject, parseJson, recordOf, textOf } from "../../../../../formats/json.ts";
import type { SettingsReader } from "../../../../../settings/settings.ts";
import { hasNoMinorUnit } from "../../quote.ts";
import { PaymentServiceError, SERVICE_TIMEOUT_MS, type ServiceDeps } from "../service.ts";

/** Access tokens by whose they are; PayPal says how long each is valid. */
const tokens = new LRUCache<string, string>({ max: 10 });
const TOKEN_SLACK_S = 60;

/** Whether PayPal is set up; without the webhook's ID no notification could be believed. */
export const takesPaypal = (settings: SettingsReader): boolean =>
  (["PaypalClientId", "PaypalSecret", "PaypalWebhookId"] as const).every((key) => settings.get(key) !== "");

/** PayPal's response: the status and the JSON object in it (empty where there is none). */
export type PaypalResponse = Readonly<{ status: number; body: JsonObject }>;

type Request = Readonly<{ body?: object; requestId?: string }>;

/**
 * Calls PayPal's REST API. Requests with the same `requestId` are carried out once
 * (https://developer.paypal.com/api/rest/requests/). Throws PaymentServiceError when PayPal does not decide: it asks to sign in
 * again, to wait, or fails.
 */
export async function callPaypal(
  deps: ServiceDeps,
  method: "GET" | "POST",
  path: string,
  { body, requestId }: Request = {},
): Promise<PaypalResponse> {
  const response = await deps.fetch(`${deps.settings.get("PaypalAddress")}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await accessToken(deps)}`,
      "content-type": "application/json",
      prefer: "return=representation",
      ...(requestId !== undefined && { "paypal-request-id": requestId }),
    },
    ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
    timeoutMs: SERVICE_TIMEOUT_MS,
    maxRedirects: 0,
  });
  const { status } = response;
  if (status === 401) tokens.delete(keyOf(deps.settings));
  const answer = recordOf(parseJson(response.text())) ?? {};
  if (status === 401 || status === 409 || status === 429 || status >= 500) {
    throw new PaymentServiceError(`${path} was answered with ${status} ${reasonOf(answer)}`);
  }
  return { status, body: answer };
}

/** PayPal's code of an error: that of its first issue, or of all of it. */
export const reasonOf = (body: JsonObject): string =>
  textOf(recordOf(Array.isArray(body.details) ? body.details[0] : null)?.issue) ?? textOf(body.name) ?? "";

const keyOf = (settings: SettingsReader): string =>
  JSON.stringify([settings.get("PaypalAddress"), settings.get("PaypalClientId"), settings.get("PaypalSecret")]);

/** https://developer.paypal.com/api/rest/authentication/ */
async function accessToken(deps: ServiceDeps): Promise<string> {
  const { settings } = deps;
  const key = keyOf(settings);
  const known = tokens.get(key);
  if (known !== undefined) return known;
  const credentials = Buffer.from(`${settings.get("PaypalClientId")}:${settings.get("PaypalSecret")}`);
  const response = await deps.fetch(`${settings.get("PaypalAddress")}/v1/oauth2/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${credentials.toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials",
    timeoutMs: SERVICE_TIMEOUT_MS,
    maxRedirects: 0,
  });
  const { access_token: token, expires_in: seconds } = recordOf(parseJson(response.text())) ?? {};
  if (response.status !== 200 || typeof token !== "string") {
    throw new PaymentServiceError(`PayPal gave no access token: ${response.status}`);
  }
  const ttl = (typeof seconds === "number" ? seconds - TOKEN_SLACK_S : 0) * 1000;
  if (ttl > 0) tokens.set(key, token, { ttl });
  return token;
}

/** An amount as PayPal takes it: currencies without a smaller coin have no decimals. */
export const amountOf = (money: string, currency: string): Readonly<{ currency_code: string; value: string }> => ({
  currency_code: currency,
  value: hasNoMinorUnit(currency) ? (money.split(".")[0] ?? money) : money,
});

/** The address of a link in a response, by its relation; null: there is none. */
export function linkOf({ links }: JsonObject, relations: readonly string[]): string | null {
  for (const link of Array.isArray(links) ? links : []) {
    const { rel, href } = recordOf(link) ?? {};
    if (relations.includes(String(rel)) && typeof href === "string") return href;
  }
  return null;
}
