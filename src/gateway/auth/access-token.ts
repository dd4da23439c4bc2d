import { USER_STATUS } from "../../domain/accounts/access/roles.ts";
import { isAccessToken } from "../../domain/api-keys/authorization/secrets.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { limitKeyOf } from "../../lib/http/client-ip.ts";
import type { Caller } from "../call/caller.ts";
import { GatewayError } from "../call/errors.ts";
import type { Uses } from "../call/services.ts";
import { type AuthenticateContext, admitKey, inUsableGroup } from "./authenticate.ts";

/** What `authenticateAccessToken` works with. */
export type AuthenticateAccessTokenContext = AuthenticateContext & Uses<"accessTokens">;

const RETRY_AFTER_SECONDS = 5;

/** The access token of an application that a request has as bearer; null: it has none. */
export function accessTokenOf(request: Request): string | null {
  const token = /^bearer +(\S+)$/i.exec(request.headers.get("authorization")?.trim() ?? "")?.[1];
  return token !== undefined && isAccessToken(token) ? token : null;
}

/**
 * The caller for whom an application acts at the address of an MCP server (empty: of all): its API key is checked as any other, and
 * whoever gave access must still be active. Rejects GatewayError: a token of another address is none (RFC 8707).
 */
export async function authenticateAccessToken(
  { services }: AuthenticateAccessTokenContext,
  { token, server, ip }: Readonly<{ token: string; server: string; ip: string }>,
): Promise<Caller> {
  const access = await findAccess(services, token, ip);
  const key = access && services.tokens.get(access.keyId);
  const person = access && services.users.get(access.personId);
  if (!key || !person || person.deleted)
    throw new GatewayError(401, "invalid_access_token", { code: "gateway_access_token_invalid" });
  if (access.server !== server)
    throw new GatewayError(401, "invalid_access_token", { code: "gateway_access_token_audience" });
  if (person.status !== USER_STATUS.active)
    throw new GatewayError(403, "user_banned", { code: "gateway_owner_banned" });
  return inUsableGroup(services, admitKey(services, key, { key: token, channelId: null }, ip, nowSeconds()));
}

async function findAccess(
  { accessTokens, settings }: AuthenticateAccessTokenContext["services"],
  token: string,
  ip: string,
) {
  if (!settings.values["mcp.oauth_enabled"]) return null;
  const found = await accessTokens?.find(token, limitKeyOf(ip)).catch(() => "limited" as const);
  if (found !== "limited" && found !== undefined) return found;
  throw new GatewayError(
    503,
    "key_check_unavailable",
    { code: "gateway_key_unchecked" },
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
