import { type GatewayError, LOCAL_TYPE } from "../call/errors.ts";

/** The pages of the console on which a caller can do something about an error of the gateway, by the error's code. */
const PAGES: ReadonlyMap<string | number, string> = new Map([
  ["insufficient_user_quota", "/topup"],
  ["plan_quota_exceeded", "/topup"],
  ["pre_consume_token_quota_failed", "/token"],
  ["api_key_exhausted", "/token"],
  ["budget_exceeded", "/organization?section=budgets"],
  ["model_price_error", "/pricing"],
  ["model_not_available", "/pricing"],
]);

/** The address of the page that helps; null: there is none, or the site's own address (`ServerAddress`) is not set. */
export function helpAddress({ type, code }: GatewayError, serverAddress: string): string | null {
  const path = type === LOCAL_TYPE && code !== null ? PAGES.get(code) : undefined;
  return path === undefined || serverAddress === "" ? null : serverAddress.replace(/\/+$/, "") + path;
}
