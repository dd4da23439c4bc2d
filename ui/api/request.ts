import { sitePath } from "../lib/base-path.ts";
import { readOrganization } from "../state/organization.ts";
import { readUser } from "../state/stored-user.ts";
import { fetchSignedIn } from "./accounts/fetch-signed-in.ts";

/**
 * Sends a request to this server outside the management API: streams and documents. Resolves with any response; rejects
 * when the server can't be reached.
 */
export const fetchPlain = (path: `/${string}`, init?: RequestInit): Promise<Response> =>
  fetchSignedIn(sitePath(path), init);

/** The calls that can be made for an organization; the server refuses all others with its header. */
const FOR_ORGANIZATIONS =
  /^\/api\/(token|provider_keys(?!\/(count|usage))|mcp_sign_ins(?!\/complete)|(device|applications)\/(request|approve|deny)|(log|log-archives|audit|data|failures|mj|task|sessions|response_cache)\/self|user\/(self\/(groups|download)|models|amount|pay|topup(?!\/rebates)|auto_top_up|plans|subscriptions|coupon|statements|movements|billing_profile)|pricing|status\/models)(\/|\?|$)/;

/** Whether a call of the management API is about the account that the user acts for, not about the user. */
export const isForOrganizations = (path: string): boolean => FOR_ORGANIZATIONS.test(path);

/** The header that names the organization which the user acts for, if there is one. */
export function organizationHeader(): Record<string, string> {
  const organization = readOrganization();
  return organization === null ? {} : { "Sluice-Organization": String(organization) };
}

/** Headers of a call of the management API: the user, the account they act for, the language, and no caching. */
export function requestHeaders(path: string): Record<string, string> {
  const user = readUser();
  return {
    "Cache-Control": "no-store",
    "Accept-Language": document.documentElement.lang || "en",
    ...(user && { "Sluice-User": String(user.id) }),
    ...(isForOrganizations(path) && organizationHeader()),
  };
}
