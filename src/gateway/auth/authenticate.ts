import { ROLE, USER_STATUS } from "../../domain/accounts/access/roles.ts";
import { isGroupList, usableGroups, usableInOrder } from "../../domain/accounts/users/usable-groups.ts";
import { isAccessToken } from "../../domain/api-keys/authorization/secrets.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import { type KeyForm, keyForms } from "../../domain/api-keys/directory/key-hash.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { limitKeyOf } from "../../lib/http/client-ip.ts";
import type { Caller } from "../call/caller.ts";
import { GatewayError, usedUp } from "../call/errors.ts";
import type { Services, Uses } from "../call/services.ts";
import { ownersOf } from "./limits/limited-accounts.ts";
import { refuseAddress, refuseLongKey, refuseOldSecret } from "./policies.ts";

/** What `authenticateByMemory` works with. */
export type AuthenticateByMemoryContext = Uses<"budgets" | "keyNetworks" | "policies" | "tokens" | "users">;

/** What `authenticateByDatabase` works with. */
export type AuthenticateByDatabaseContext = AuthenticateByMemoryContext & Uses<"recheckKey">;

/** What `authenticate` works with. */
export type AuthenticateContext = AuthenticateByDatabaseContext & Uses<"settings">;

/** Seconds after which a client may retry if its key could not be looked up. */
const RECHECK_AFTER_SECONDS = 5;
const BEARER = /^bearer /i;
const WEBSOCKET_KEY = "openai-insecure-api-key.";

/** Whether an API key is one of this site's. */
type IsKnown = (key: string) => boolean;

/**
 * The API key of a request, and the channel it names, if any. Looks at the WebSocket subprotocol, x-api-key on
 * /v1/messages, Authorization (with or without Bearer), mj-api-secret, then where other clients put it (x-api-key,
 * api-key, x-goog-api-key, xi-api-key, ?key=). Null if there is none. Throws GatewayError if the channel is no number.
 */
export function readCredential(request: Request, isKnown: IsKnown): KeyForm | null {
  const text = carriedText(request);
  if (!text) return null;
  const bare = text.startsWith("sk-") ? text.slice(3) : text;
  if (!bare.includes("-")) return { key: bare, channelId: null };
  const forms = keyForms(text);
  const credential = forms.find(({ key }) => isKnown(key)) ?? forms[0];
  if (Number.isNaN(credential.channelId))
    throw new GatewayError(400, "invalid_channel_id", { code: "gateway_channel_id_invalid" });
  return credential;
}

/** What a request's key may mean; empty: it has none. */
function readForms(request: Request): readonly KeyForm[] {
  const text = carriedText(request);
  return text ? keyForms(text) : [];
}

/** Whether a request carries an API key or what could be one. */
export const carriesKey = (request: Request): boolean => carriedText(request) !== "";

function carriedText(request: Request): string {
  const { headers } = request;
  const authorization = headers.get("authorization")?.replace(BEARER, "").trim() ?? "";
  const subprotocol = headers.get("sec-websocket-protocol");
  if (subprotocol) {
    const item = subprotocol.split(",").find((entry) => entry.trim().startsWith(WEBSOCKET_KEY));
    if (item) return item.trim().slice(WEBSOCKET_KEY.length);
  }
  if (authorization && authorization !== "midjourney-proxy" && !request.url.includes("/v1/messages"))
    return authorization;
  return (
    headers.get("x-api-key") ||
    (authorization === "midjourney-proxy" ? "" : authorization) ||
    headers.get("mj-api-secret")?.replace(BEARER, "").trim() ||
    headers.get("api-key") ||
    headers.get("x-goog-api-key") ||
    headers.get("xi-api-key") ||
    keyInAddress(request.url) ||
    ""
  );
}

/** Google's clients append the key to the URLs of models; it is read nowhere else. */
function keyInAddress(address: string): string | null {
  if (!address.includes("key=")) return null;
  const { pathname, searchParams } = new URL(address);
  return /\/v1(beta)?\/models(\/|$)|^\/+ws\//.test(pathname) ? searchParams.get("key") : null;
}

/**
 * Finds the key's owner and checks both: key status, expiry, allowed addresses, owner's status, and the right to name a
 * channel. Marks expired and exhausted keys in the background. Throws GatewayError.
 */
export function authenticateByMemory(
  { services }: AuthenticateByMemoryContext,
  request: Request,
  ip: string,
  now: number,
): Caller {
  const credential = readCredential(request, (key) => services.tokens.findByKey(key) !== undefined);
  if (!credential) throw new GatewayError(401, "missing_api_key", { code: "gateway_no_key" });
  const token = services.tokens.findByKey(credential.key);
  if (!token) throw unknownKey(credential.key);
  return admitKey(services, token, credential, ip, now);
}

/** An application's access token is no API key, wherever it comes from. */
const unknownKey = (key: string): GatewayError =>
  isAccessToken(key)
    ? new GatewayError(401, "invalid_api_key", { code: "gateway_access_token_elsewhere" })
    : new GatewayError(401, "invalid_api_key", { code: "gateway_key_invalid" });

/** The caller of a key that was found, after the checks that `authenticateByMemory` lists. Throws GatewayError. */
export function admitKey(
  services: AuthenticateByMemoryContext["services"],
  token: ApiKeyEntry,
  credential: KeyForm,
  ip: string,
  now: number,
): Caller {
  const expired = token.expiredTime !== -1 && token.expiredTime <= now;
  // A budget that is due renews when the call is admitted.
  const isDue = token.budgetRenewsAt !== 0 && token.budgetRenewsAt <= now;
  if (token.status === 4 && !isDue)
    throw usedUp(
      "api_key_exhausted",
      { code: "gateway_key_used_up", params: { key: maskedKey(credential.key) } },
      "key_quota",
      token.budgetRenewsAt,
    );
  if (token.status === 3 || expired) {
    if (token.status === 1) services.tokens.setStatus(token.id, 3);
    throw new GatewayError(401, "api_key_expired", { code: "gateway_key_expired" });
  }
  if (token.status !== 1 && token.status !== 4)
    throw new GatewayError(401, "api_key_disabled", { code: "gateway_key_disabled" });
  const user = services.users.get(token.userId);
  if (!user || user.deleted) throw new GatewayError(401, "invalid_api_key", { code: "gateway_owner_removed" });
  if (user.status !== USER_STATUS.active) throw new GatewayError(403, "user_banned", { code: "gateway_owner_banned" });
  if (token.allowIps && !token.allowIps.matches(ip)) {
    throw new GatewayError(403, "ip_not_allowed", { code: "gateway_key_ip", params: { ip: ip || "(unknown)" } });
  }
  if (credential.channelId !== null && user.role < ROLE.admin) {
    throw new GatewayError(403, "channel_not_allowed", { code: "gateway_pin_admins_only" });
  }
  services.keyNetworks?.observe(token.id, ip, now);
  const policies = user.kind === "organization" ? services.policies?.of(token) : undefined;
  if (policies) {
    refuseAddress(policies, ip);
    refuseLongKey(policies, token.expiredTime, now);
    refuseOldSecret(policies, token.secretSince, now);
  }
  const owners = user.ownerIds && ownersOf(services, user);
  // An owner who is still to be loaded is read with the key: their limits count this call.
  if (owners && owners.length < (user.ownerIds?.length ?? 0) && !services.users.isComplete()) {
    throw new GatewayError(401, "invalid_api_key", { code: "gateway_owner_removed" });
  }
  return {
    user,
    token,
    tokenName: token.name,
    group: token.group || user.group,
    pinnedChannelId: credential.channelId,
    budgets: services.budgets?.accounts.has(user.id) ? services.budgets.of(token) : undefined,
    policies,
    owners,
  };
}

/** Errors based on cached keys and owners, which another replica may have just changed. */
const REFUSED_BY_MEMORY: ReadonlySet<unknown> = new Set([
  "invalid_api_key",
  "api_key_disabled",
  "api_key_exhausted",
  "api_key_expired",
  "user_banned",
]);

/**
 * Authenticates again after reading a key from the database that was rejected with `refusal`. Rejects GatewayError: the
 * same error, or 503 if an unknown key cannot be looked up.
 */
async function authenticateByDatabase(
  context: AuthenticateByDatabaseContext,
  request: Request,
  ip: string,
  refusal: unknown,
): Promise<Caller> {
  if (!(refusal instanceof GatewayError) || !REFUSED_BY_MEMORY.has(refusal.code)) throw refusal;
  let isFresh = false;
  try {
    for (const key of keysToRead(context, request))
      if (await context.services.recheckKey(key, limitKeyOf(ip))) isFresh = true;
  } catch {
    if (refusal.code !== "invalid_api_key") throw refusal;
    throw new GatewayError(
      503,
      "key_check_unavailable",
      { code: "gateway_key_unchecked" },
      {
        retryAfterSeconds: RECHECK_AFTER_SECONDS,
      },
    );
  }
  if (!isFresh) throw refusal;
  return authenticateByMemory(context, request, ip, nowSeconds());
}

/** The keys that a request may mean: the one that memory has, else all. */
function keysToRead({ services }: AuthenticateByMemoryContext, request: Request): readonly string[] {
  const keys = readForms(request).map(({ key }) => key);
  const known = keys.find((key) => services.tokens.findByKey(key) !== undefined);
  return known === undefined ? keys : [known];
}

/** The caller, from memory or else from the database, in a group that it may use. Rejects GatewayError. */
export async function authenticate(context: AuthenticateContext, request: Request, ip: string): Promise<Caller> {
  let caller: Caller;
  try {
    caller = authenticateByMemory(context, request, ip, nowSeconds());
  } catch (error) {
    caller = await authenticateByDatabase(context, request, ip, error);
  }
  return inUsableGroup(context.services, caller);
}

/** The caller in the first group of its key that it may use. Throws GatewayError if it may use none. */
export function inUsableGroup({ settings }: Pick<Services, "settings">, caller: Caller): Caller {
  if (caller.pinnedChannelId !== null || !caller.token?.group) return caller;
  const { group } = caller;
  if (isGroupList(settings, group)) {
    const groups = usableInOrder(settings, caller.user.group, group);
    const [first] = groups;
    if (first !== undefined) return { ...caller, group: first, groups };
  }
  if (!usableGroups(settings, caller.user.group).has(group)) {
    throw new GatewayError(403, "group_not_allowed", { code: "gateway_key_group_closed", params: { group } });
  }
  if (!settings.values.GroupRatio.has(group)) {
    throw new GatewayError(403, "group_deprecated", { code: "gateway_key_group_removed", params: { group } });
  }
  return caller;
}

const maskedKey = (key: string): string => `sk-${key.slice(0, 3)}…${key.slice(-3)}`;
