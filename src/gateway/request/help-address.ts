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

/** The page of the documentation that says what each code means; each has an anchor. */
const ERRORS_PAGE = "/docs/operate/site/errors";

/**
 * The address of the page that helps: of the console, or what the documentation says of the code; null: the error is not of the
 * gateway itself, or the site's own address (`ServerAddress`) is not set.
 */
export function helpAddress({ type, code }: GatewayError, serverAddress: string): string | null {
  if (type !== LOCAL_TYPE || code === null || serverAddress === "") return null;
  return serverAddress.replace(/\/+$/, "") + (PAGES.get(code) ?? `${ERRORS_PAGE}#${code}`);
}
