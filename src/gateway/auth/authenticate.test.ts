import { afterEach, describe, expect, test } from "bun:test";
import { tokenEntry, userEntry } from "../../../test/support/gateway/entries.ts";
import { ASK, CHAT, createAnsweringRelays } from "../../../test/support/gateway/start-gateway.ts";
import { createBudgetIndex } from "../../domain/accounts/organizations/budgets/directory.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import type { GatewayError } from "../call/errors.ts";
import { authenticateByMemory, carriesKey, readCredential } from "./authenticate.ts";
import { limitedAccounts, limitedPersons, ownersOf } from "./limits/limited-accounts.ts";

const relays = createAnsweringRelays();
afterEach(relays.stop);
const { start, refusal } = relays;

const none = () => false;

describe("where the API key is read from", () => {
  test.each([
    [{ authorization: "Bearer sk-abc" }, "abc"],
    [{ authorization: "bearer abc" }, "abc"],
    [{ authorization: "sk-abc" }, "abc"],
    [{ "x-api-key": "sk-abc" }, "abc"],
    [{ "api-key": "abc" }, "abc"],
    [{ "x-goog-api-key": "abc" }, "abc"],
    [{ "mj-api-secret": "Bearer sk-abc" }, "abc"],
    [{ authorization: "midjourney-proxy", "mj-api-secret": "sk-abc" }, "abc"],
    [{ "sec-websocket-protocol": "realtime, openai-insecure-api-key.sk-abc, x" }, "abc"],
    [{ "sec-websocket-protocol": "realtime", authorization: "Bearer abc" }, "abc"],
    [{ authorization: "Bearer one", "x-api-key": "two" }, "one"],
  ])("%j", (headers, key) => {
    expect(readCredential(new Request("http://x/v1/models", { headers }), none)?.key).toBe(key);
  });

  test("x-api-key comes first on /v1/messages, ?key= counts on model paths", () => {
    const headers = { authorization: "Bearer one", "x-api-key": "two" };
    expect(readCredential(new Request("http://x/v1/messages", { headers }), none)?.key).toBe("two");
    expect(readCredential(new Request("http://x/v1beta/models/m:generateContent?key=three"), none)?.key).toBe("three");
    for (const path of ["/v1/models", "/v1beta/models", "/hf/v1/models", "/v1/models/m"])
      expect(readCredential(new Request(`http://x${path}?key=three`), none)?.key).toBe("three");
    for (const path of ["/v1/chat/completions?", "/v1/modelsx?", "/v1/chat/completions?a=/v1/models/&"])
      expect(readCredential(new Request(`http://x${path}key=three`), none)).toBeNull();
  });

  test("a channel id may follow the key", () => {
    const read = (key: string, ...known: string[]) =>
      readCredential(new Request("http://x/", { headers: { authorization: `Bearer ${key}` } }), (each) =>
        known.includes(each),
      );
    expect(read("sk-abc-12", "abc")).toEqual({ key: "abc", channelId: 12 });
    expect(read("sk-abc-", "abc")).toEqual({ key: "abc", channelId: null });
    expect(read("sk-abc")).toEqual({ key: "abc", channelId: null });
    expect(read("sk--12", "")).toEqual({ key: "", channelId: 12 });
    expect(read("sk-abc-12-7", "abc")).toEqual({ key: "abc", channelId: 12 });
    for (const wrong of ["sk-abc-x", "sk-abc-1x", "sk-abc-1234567890"])
      expect(() => read(wrong, "abc")).toThrow("channel ID");
    // Keys of other gateways have dashes themselves.
    expect(read("sk-a-b_c-7", "a-b_c-7", "a", "a-b_c")).toEqual({ key: "a-b_c-7", channelId: null });
    expect(read("sk-a-b_c-7", "a-b_c")).toEqual({ key: "a-b_c", channelId: 7 });
    expect(read("sk-a-b_c-7")).toEqual({ key: "a-b_c-7", channelId: null });
  });

  test.each<[Record<string, string>, string, boolean]>([
    [{}, "", false],
    [{ authorization: "Bearer abc" }, "", true],
    [{ "x-goog-api-key": "abc" }, "", true],
    [{}, "?key=abc", true],
    [{ "sec-websocket-protocol": "realtime" }, "", false],
  ])("a request with %j and %p carries one: %p", (headers, query, carries) => {
    expect(carriesKey(new Request(`http://x/v1/models${query}`, { headers }))).toBe(carries);
  });
});

describe("rejected keys and owners", () => {
  test.each<[string, Partial<ApiKeyEntry>, number, string]>([
    ["a disabled key", { status: 2 }, 401, "api_key_disabled"],
    ["an expired key", { status: 3 }, 401, "api_key_expired"],
    ["a key past its time", { expiredTime: 1_000 }, 401, "api_key_expired"],
    ["an exhausted key", { status: 4 }, 429, "insufficient_quota"],
    ["a key without its owner", { userId: 99 }, 401, "invalid_api_key"],
    ["another address", { allowIps: { matches: () => false, text: "" } }, 403, "ip_not_allowed"],
    ["a group its owner may not use", { group: "secret" }, 403, "group_not_allowed"],
    ["a key for other models", { modelLimits: new Set(["gpt-4o-mini"]) }, 403, "model_not_allowed"],
    ["a key for no model", { modelLimits: new Set() }, 403, "model_not_allowed"],
  ])("%s", async (_name, token, status, code) => {
    expect(await refusal({ tokens: { test: token } })).toMatchObject({ status, code, requests: 0 });
  });

  test("an expired key is marked as such", async () => {
    const { relay } = await refusal({ tokens: { test: { expiredTime: 1_000 } } });
    expect(relay.marked).toEqual([{ tokenId: 1, status: 3 }]);
    expect((await refusal({ tokens: { test: { status: 3 } } })).relay.marked).toEqual([]);
  });

  test("an exhausted key is named by its ends only", async () => {
    const { message } = await refusal({ tokens: { abcdefghijkl: { status: 4 } } }, ASK, {
      headers: { authorization: "Bearer sk-abcdefghijkl" },
    });
    expect(message).toContain("The quota of API key sk-abc…jkl is exhausted.");
  });

  test("no key, an unknown key, a banned owner", async () => {
    expect(await refusal({}, ASK, { headers: { authorization: "" } })).toMatchObject({
      status: 401,
      code: "missing_api_key",
    });
    expect(await refusal({ tokens: {} })).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(await refusal({ user: { status: 2 } })).toMatchObject({ status: 403, code: "user_banned" });
  });

  test.each<[string, Partial<ApiKeyEntry>, string, string]>([
    ["a key's own group that its owner may use", { group: "open" }, "default", "sk-test"],
    ["the owner's group, which no key may choose", {}, "closed", "sk-test"],
    ["a channel that an administrator names, whatever the key's group", { group: "secret" }, "default", "sk-test-1"],
  ])("%s serves", async (_, token, group, key) => {
    const setup = {
      channels: [{ groups: ["open", "closed"] }],
      tokens: { test: token },
      user: { group, role: 10 },
      options: { UserUsableGroups: '{"open":"o"}', GroupRatio: '{"default":1,"open":1,"closed":1,"secret":1}' },
    };
    const { status, requests } = await refusal(setup, ASK, { headers: { authorization: `Bearer ${key}` } });
    expect([status, requests]).toEqual([200, 1]);
  });

  test("a group without a ratio", async () => {
    const options = { UserUsableGroups: '{"default":"d","old":"o"}', GroupRatio: '{"default":1}' };
    expect(await refusal({ tokens: { test: { group: "old" } }, options })).toMatchObject({
      status: 403,
      code: "group_deprecated",
    });
  });

  test.each([
    ["unknown", null],
    ["disabled", { status: 2 }],
    ["exhausted", { status: 4 }],
  ])("a key that is %s in memory is checked in the database before it is rejected", async (_, inMemory) => {
    const tokens: Record<string, Partial<ApiKeyEntry>> = inMemory ? { test: inMemory } : {};
    const rechecked: string[] = [];
    const recheckKey = async (key: string, address: string) => {
      rechecked.push(`${key} from ${address}`);
      relay.tokens.set("test", tokenEntry({}));
      return true;
    };
    const { relay } = start({ tokens, recheckKey });
    for (const path of [CHAT, "/v1/messages"]) {
      const body = path === CHAT ? ASK : { ...ASK, max_tokens: 9 };
      expect((await relay.post(path, body)).status).toBe(200);
    }
    expect((await fetch(`${relay.url}/v1/models`, { headers: { authorization: "Bearer sk-test" } })).status).toBe(200);
    expect(rechecked).toEqual(["test from 127.0.0.1"]);
  });

  test.each<[string, Partial<ApiKeyEntry>, RequestInit]>([
    ["no key at all", {}, { headers: { authorization: "" } }],
    ["an address that the key does not allow", { allowIps: { matches: () => false, text: "" } }, {}],
    ["a channel id that is no number", {}, { headers: { authorization: "Bearer sk-test-x" } }],
  ])("%s needs no look into the database", async (_, token, init) => {
    const rechecked: string[] = [];
    const recheckKey = async (key: string) => rechecked.push(key) > 0;
    const { status, requests } = await refusal({ tokens: { test: token }, recheckKey }, ASK, init);
    expect(status).toBeGreaterThanOrEqual(400);
    expect([requests, rechecked]).toEqual([0, []]);
  });

  test("a database that does not respond does not make a key invalid", async () => {
    const recheckKey = () => Promise.reject(new Error("no database"));
    const unknown = await refusal({ tokens: {}, recheckKey });
    expect(unknown).toMatchObject({ status: 503, code: "key_check_unavailable" });
    expect(unknown.answer.headers.get("retry-after")).toBe("5");
    expect(await refusal({ tokens: { test: { status: 2 } }, recheckKey })).toMatchObject({ code: "api_key_disabled" });
  });

  test("the message ends with the request id that the client sent", async () => {
    const { message } = await refusal({ tokens: {} }, ASK, { headers: { "x-request-id": "my-id" } });
    expect(message).toEndWith("(request id: my-id)");
  });
});

test("the budgets of an account with budgets come with the caller", () => {
  const { relay } = start({ tokens: { test: {} } });
  const request = new Request("http://x/", { headers: { authorization: "Bearer sk-test" } });
  const entry = { organizationId: 1, scopeId: 0, name: "", period: "month", isHard: true, renewsAt: 0 } as const;
  const budgetsWith = (organizationId: number) => {
    const budgets = createBudgetIndex([{ ...entry, id: 5, scope: "organization", organizationId }]);
    const { user, budgets: found } = authenticateByMemory({ services: { ...relay.services, budgets } }, request, "", 1);
    return { userId: user.id, ids: found?.map(({ id }) => id) };
  };
  const { userId } = budgetsWith(0);
  expect([budgetsWith(userId).ids, budgetsWith(userId + 1).ids]).toEqual([[5], undefined]);
});

describe("the second from which on", () => {
  const NOW = 1_800_000_000;
  const authenticateAt = (token: Partial<ApiKeyEntry>, now: number): unknown => {
    const { relay } = start({ tokens: { test: token } });
    const request = new Request("http://x/", { headers: { authorization: "Bearer sk-test" } });
    try {
      return authenticateByMemory({ services: relay.services }, request, "127.0.0.1", now).tokenName;
    } catch (error) {
      return (error as GatewayError).code;
    }
  };
  test.each<[string, Partial<ApiKeyEntry>, unknown, unknown]>([
    ["a key is expired", { expiredTime: NOW }, "key", "api_key_expired"],
    ["a budget is renewed", { status: 4, budgetRenewsAt: NOW }, "api_key_exhausted", "key"],
  ])("%s", (_, token, before, then) => {
    expect([authenticateAt(token, NOW - 1), authenticateAt(token, NOW)]).toEqual([before, then]);
  });
});

describe("the limits that a call counts in", () => {
  const [member, first, second] = [
    userEntry({ id: 9, ownerIds: [2, 7, 3] }),
    userEntry({ id: 2 }),
    userEntry({ id: 3 }),
  ];
  const users = { get: (id: number) => [first, second].find((user) => user.id === id) };

  test("are those of the owners of an organization that still exist, and its own", () => {
    const owners = ownersOf({ users }, member);
    expect(owners).toEqual([first, second]);
    expect(limitedAccounts({ user: member, owners })).toEqual([member, first, second]);
    expect(limitedPersons({ user: member, owners })).toEqual([first, second]);
  });

  test("come with the caller", () => {
    const { relay } = start({ tokens: { test: {} } });
    const known = { get: (id: number) => users.get(id) ?? (id === 7 ? undefined : member) };
    const request = new Request("http://x/", { headers: { authorization: "Bearer sk-test" } });
    const find = (isComplete: boolean) => {
      const services = { ...relay.services, users: { ...known, isComplete: () => isComplete } };
      return authenticateByMemory({ services }, request, "127.0.0.1", 1);
    };
    expect(find(true).owners).toEqual([first, second]);
    // While users are loaded, an owner who is missing is looked for first.
    expect(() => find(false)).toThrow(expect.objectContaining({ code: "invalid_api_key" }));
  });

  test("are a person's own, or an organization's that nobody owns", () => {
    expect(ownersOf({ users }, first)).toBeUndefined();
    for (const owners of [undefined, []]) {
      expect([limitedAccounts({ user: first, owners }), limitedPersons({ user: first, owners })]).toEqual([
        [first],
        [first],
      ]);
    }
  });
});
