/** Parallel calls of an organization's keys never spend more than the key and the organization have, on either database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createChannel, login, type Session, setOptions } from "../../support/e2e/console-client.ts";
import {
  ENGINES,
  type FakeUpstream,
  type Gateway,
  setUp,
  startFakeUpstream,
  startOn,
} from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const MODEL = "gpt-4o-mini";
/** A model of which every call fails at the provider. */
const FAILING = "err-400";
/** A call is held and charged at this price; quota units. */
const CALL_PRICE = 1000;
const CALLS = 1000;

describe.each(ENGINES)("spending of an organization on %s", (engine) => {
  let gateway: Gateway;
  let upstream: FakeUpstream;
  let root: Session;
  let owner: Session;
  let created = 0;

  const quotaOf = async (id: number): Promise<number> => (await root.get(`/api/user/${id}`)).quota;
  const createOrganization = async (quota: number): Promise<number> => {
    created += 1;
    const { id } = await owner.post("/api/organization/", { username: `spenders-${created}` });
    await root.put("/api/user/", { id, quota_delta: quota });
    return id;
  };
  const as = async (organization: number, method: string, path: string, body?: object) => {
    const headers = { cookie: owner.cookie, "sluice-user": String(owner.userId) };
    const reply = await fetch(gateway.url + path, {
      method,
      headers: { ...headers, "content-type": "application/json", "Sluice-Organization": String(organization) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await reply.json()).data;
  };
  const createKey = (organization: number, quota: number): Promise<{ id: number; key: string }> =>
    as(organization, "POST", "/api/token/", {
      name: `key-${quota}`,
      unlimited_quota: false,
      remain_quota: quota,
      expired_time: -1,
    });
  const call = async (key: string, model: string): Promise<number> => {
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
    });
    await reply.text();
    return reply.status;
  };
  /** Calls in parallel, in turn with each key. Returns how many were served; all others must be refused for lack of quota. */
  const spend = async (keys: readonly { key: string }[]): Promise<number> => {
    const statuses = await Promise.all(
      Array.from({ length: CALLS }, (_, index) => call(keys[index % keys.length]?.key ?? "", MODEL)),
    );
    expect(statuses.filter((status) => ![200, 429].includes(status))).toEqual([]);
    return statuses.filter((status) => status === 200).length;
  };
  const usedOf = async (organization: number, keys: readonly { id: number }[]): Promise<number> => {
    const tokens = await Promise.all(keys.map(({ id }) => as(organization, "GET", `/api/token/${id}`)));
    return tokens.reduce((sum, { used_quota }) => sum + used_quota, 0);
  };

  beforeAll(async () => {
    const unlimited = { GLOBAL_API_RATE_LIMIT_ENABLE: "false", CRITICAL_RATE_LIMIT_ENABLE: "false" };
    upstream = startFakeUpstream();
    gateway = await startOn(engine, { env: unlimited });
    root = await setUp(gateway);
    await createChannel(root, upstream.url, [MODEL, FAILING]);
    const price = CALL_PRICE / 500_000;
    await setOptions(root, { Organizations: "on", ModelPrice: { [MODEL]: price, [FAILING]: price } });
    await root.post("/api/user/", { username: "spender", password: "some-password-1" });
    owner = await login(gateway, "spender", "some-password-1");
  }, 120_000);
  afterAll(async () => {
    await upstream.stop();
    await gateway.stop();
  });

  test("a key and an organization with quota for ten calls serve ten of a thousand", async () => {
    const organization = await createOrganization(10 * CALL_PRICE);
    const keys = [await createKey(organization, 10 * CALL_PRICE)];
    expect(await spend(keys)).toBe(10);
    await until(async () => (await quotaOf(organization)) === 0);
    expect(await usedOf(organization, keys)).toBe(10 * CALL_PRICE);
  }, 120_000);

  test("keys with more quota than their organization share what it has", async () => {
    const organization = await createOrganization(10 * CALL_PRICE);
    const keys = await Promise.all([10, 20, 30].map((calls) => createKey(organization, calls * CALL_PRICE)));
    expect(await spend(keys)).toBe(10);
    await until(async () => (await quotaOf(organization)) === 0);
    expect(await usedOf(organization, keys)).toBe(10 * CALL_PRICE);
  }, 120_000);

  test("a key with less quota than its organization leaves it the rest", async () => {
    const organization = await createOrganization(100 * CALL_PRICE);
    const keys = [await createKey(organization, 10 * CALL_PRICE)];
    expect(await spend(keys)).toBe(10);
    await until(async () => (await quotaOf(organization)) === 90 * CALL_PRICE);
    expect(await usedOf(organization, keys)).toBe(10 * CALL_PRICE);
  }, 120_000);

  test("failed calls give back what they held, and the quota serves others", async () => {
    const organization = await createOrganization(10 * CALL_PRICE);
    const keys = [await createKey(organization, 10 * CALL_PRICE)];
    const failed = await Promise.all(Array.from({ length: 10 }, () => call(keys[0]?.key ?? "", FAILING)));
    expect(failed.filter((status) => status === 200)).toEqual([]);
    expect(await quotaOf(organization)).toBe(10 * CALL_PRICE);
    expect(await spend(keys)).toBe(10);
    await until(async () => (await quotaOf(organization)) === 0);
  }, 120_000);

  test("withdrawals during calls take only what no call holds", async () => {
    const organization = await createOrganization(50 * CALL_PRICE);
    const keys = [await createKey(organization, 50 * CALL_PRICE)];
    const before = await quotaOf(owner.userId);
    const withdrawal = { direction: "out", quota: 2 * CALL_PRICE };
    const withdraw = async (): Promise<boolean> => {
      const reply = await owner.send("POST", `/api/organization/${organization}/transfer`, withdrawal);
      return (await reply.json()).success;
    };
    const withdrawals = Promise.all(Array.from({ length: 20 }, withdraw));
    const [served, moved] = await Promise.all([spend(keys), withdrawals]);
    const withdrawn = moved.filter(Boolean).length * withdrawal.quota;
    const left = 50 * CALL_PRICE - withdrawn - served * CALL_PRICE;
    expect(left).toBeGreaterThanOrEqual(0);
    await until(async () => (await quotaOf(organization)) === left);
    expect((await quotaOf(owner.userId)) - before).toBe(withdrawn);
    expect(await usedOf(organization, keys)).toBe(served * CALL_PRICE);
  }, 120_000);
});
