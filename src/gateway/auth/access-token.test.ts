import { expect, test } from "bun:test";
import { tokenEntry, userEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import type { AccessToken, AccessTokens } from "../../domain/api-keys/authorization/access-tokens.ts";
import type { GatewayError } from "../call/errors.ts";
import { accessTokenOf, authenticateAccessToken } from "./access-token.ts";
import { authenticateByMemory } from "./authenticate.ts";

const TOKEN = `mcp_access_${"0".repeat(64)}`;
const ACCESS: AccessToken = { keyId: 1, personId: 2, server: "one", expiresAt: Number.MAX_SAFE_INTEGER };

function contextOf(find: AccessTokens["find"] | null, { isOn = true, person = {}, key = {} } = {}) {
  const people = new Map([userEntry(), userEntry({ id: 2, username: "bo", ...person })].map((user) => [user.id, user]));
  return {
    services: {
      settings: fixedSettings({ "mcp.oauth_enabled": String(isOn) }),
      users: { get: (id: number) => people.get(id), isComplete: () => true },
      tokens: {
        get: (id: number) => (id === 1 ? tokenEntry(key) : undefined),
        findByKey: () => undefined,
        setStatus() {},
      },
      recheckKey: async () => false,
      ...(find && { accessTokens: { find, known: () => undefined } }),
    },
  };
}

const attempt = (...[find, options]: Parameters<typeof contextOf>): Promise<unknown[]> =>
  authenticateAccessToken(contextOf(find, options), { token: TOKEN, server: "one", ip: "2001:db8::1" }).then(
    ({ user, token }) => [user.id, token?.id],
    ({ status, code, reason, retryAfterSeconds }: GatewayError) =>
      [status, code, typeof reason === "object" && "code" in reason && reason.code, retryAfterSeconds].filter(Boolean),
  );
const found =
  (access: Partial<AccessToken> = {}) =>
  async () => ({ ...ACCESS, ...access });

test.each([
  [`Bearer ${TOKEN}`, TOKEN],
  [`bearer  ${TOKEN} `, TOKEN],
  [TOKEN, null],
  ["Bearer sk-key", null],
  ["Bearer mcp_refresh_00", null],
  ["Bearer ", null],
  [`Basic ${TOKEN}`, null],
])("an authorization of %p carries %p", (authorization, token) => {
  expect(accessTokenOf(new Request("http://x/mcp", { headers: { authorization } }))).toBe(token);
});

test("no header carries none", () => expect(accessTokenOf(new Request("http://x/mcp"))).toBeNull());

test("calls for the account of its key, found by the network of the address", async () => {
  const finds: unknown[] = [];
  const find: AccessTokens["find"] = async (...call) => {
    finds.push(call);
    return ACCESS;
  };
  expect(await attempt(find)).toEqual([1, 1]);
  expect(finds).toEqual([[TOKEN, "2001:db8:0:0::/64"]]);
});

const INVALID = [401, "invalid_access_token", "gateway_access_token_invalid"];
const UNCHECKED = [503, "key_check_unavailable", "gateway_key_unchecked", 5];

test.each<[string, Parameters<typeof contextOf>, unknown[]]>([
  ["that is unknown", [async () => null], INVALID],
  ["of another address", [found({ server: "two" })], [401, "invalid_access_token", "gateway_access_token_audience"]],
  ["of a key that is gone", [found({ keyId: 3 })], INVALID],
  ["of somebody who is gone", [found({ personId: 3 })], INVALID],
  ["of somebody who is deleted", [found(), { person: { deleted: true } }], INVALID],
  ["of somebody who is banned", [found(), { person: { status: 2 } }], [403, "user_banned", "gateway_owner_banned"]],
  ["of an expired key", [found(), { key: { status: 3 } }], [401, "api_key_expired", "gateway_key_expired"]],
  [
    "of a key in a closed group",
    [found(), { key: { group: "closed" } }],
    [403, "group_not_allowed", "gateway_key_group_closed"],
  ],
  ["where the site has turned it off", [found(), { isOn: false }], INVALID],
  ["after too many tries", [async () => "limited"], UNCHECKED],
  ["while the database is away", [() => Promise.reject(new Error("away"))], UNCHECKED],
  ["where nothing can be looked up", [null], UNCHECKED],
])("a token %s is refused", async (_, input, refusal) => expect(await attempt(...input)).toEqual(refusal));

test("is no API key", () => {
  const request = new Request("http://x/v1/models", { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(() => authenticateByMemory(contextOf(found()), request, "", 0)).toThrow(
    expect.objectContaining({
      status: 401,
      code: "invalid_api_key",
      reason: { code: "gateway_access_token_elsewhere" },
    }),
  );
});
