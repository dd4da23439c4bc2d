/** A limit that was lowered, or made, holds in every process once that is answered, with the executable. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  createApiKey,
  createChannel,
  login,
  type Session,
  setOptions,
  setUp,
} from "../../support/e2e/console-client.ts";
import { type FakeUpstream, type Gateway, startFakeUpstream, startGateway } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../support/processes/temporary-postgres.ts";

const MODEL = "gpt-4o-mini";
/** What is set aside for a call with a fixed price is what it costs; quota units. */
const CALL_PRICE = 1000;
const BURST = 300;
/** So much that processes lend of it from memory. */
const AMPLE = 50_000_000;

type Key = Readonly<{ id: number; key: string }>;
type Place = Readonly<{ organization: number; project: number; key: Key }>;

/** How an organization, or a key in it, gets room for `calls` more calls; `spent` were made already. */
type Limiting = (place: Place, calls: number, spent: number) => Promise<unknown>;

describe.each([
  ["two replicas with two workers each", 2, 2],
  ["one gateway with four workers", 1, 4],
])("%s", (_, replicas, workers) => {
  let database: TemporaryPostgres;
  let upstream: FakeUpstream;
  let gateways: Gateway[] = [];
  let root: Session;
  let owner: Session;
  let created = 0;

  beforeAll(async () => {
    database = await startTemporaryPostgres({ durable: false });
    upstream = startFakeUpstream();
    const secrets = { ENCRYPTION_KEY: "k".repeat(43), SESSION_SECRET: "s".repeat(43) };
    const env = { DATABASE_URL: database.url, WORKERS: String(workers), ...secrets };
    for (let index = 0; index < replicas; index += 1) gateways.push(await startGateway({ env }));
    root = await setUp(gateways[0] as Gateway);
    await createChannel(root, upstream.url, [MODEL]);
    await setOptions(root, { Organizations: "on", ModelPrice: { [MODEL]: CALL_PRICE / 500_000 } });
    await root.post("/api/user/", { username: "spender", password: "some-password-1" });
    owner = await login(gateways[0] as Gateway, "spender", "some-password-1");
  }, 120_000);
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop();
    gateways = [];
    await upstream?.stop();
    await database?.stop();
  }, 60_000);

  const as = async (organization: number, method: string, path: string, body?: object) => {
    const headers = { cookie: owner.cookie, "sluice-user": String(owner.userId) };
    const reply = await fetch(`${gateways.at(-1)?.url}${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json", "Sluice-Organization": String(organization) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { success, message, data } = await reply.json();
    if (!success) throw new Error(`${method} ${path}: ${message}`);
    return data;
  };
  const createPlace = async (): Promise<Place> => {
    created += 1;
    const { id: organization } = await owner.post("/api/organization/", { username: `spenders-${created}` });
    await root.put("/api/user/", { id: organization, quota: AMPLE });
    const { id: project } = await owner.post(`/api/organization/${organization}/projects`, { name: "One" });
    const key = await as(organization, "POST", "/api/token/", {
      ...{ name: "key", unlimited_quota: false, remain_quota: AMPLE, expired_time: -1, project_id: project },
    });
    return { organization, project, key };
  };
  /** On a connection of its own, so that the system chooses the worker. */
  const call = async ({ key }: Key, index: number): Promise<number> => {
    const reply = await fetch(`${gateways[index % replicas]?.url}/v1/chat/completions`, {
      method: "POST",
      keepalive: false,
      headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hi" }] }),
    });
    await reply.text();
    return reply.status;
  };
  const callMany = (key: Key, count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => call(key, index)));
  const usedOf = async ({ organization, key }: Place): Promise<number> =>
    (await as(organization, "GET", `/api/token/${key.id}`)).used_quota;

  const saveBudget =
    (scope: "key" | "member" | "project" | "organization"): Limiting =>
    async ({ organization, project, key }, calls, spent) => {
      const ids = { key: key.id, member: owner.userId, project, organization: 0 };
      const path = `/api/organization/${organization}/budgets`;
      const budget = { limit: (calls + spent) * CALL_PRICE, is_hard: true };
      const existing: { id: number }[] = await owner.get(path);
      if (existing[0]) await owner.put(`${path}/${existing[0].id}`, budget);
      else await owner.post(path, { ...budget, scope, scope_id: ids[scope], period: "total" });
    };
  const setKeyQuota: Limiting = ({ organization, key }, calls) =>
    as(organization, "PUT", "/api/token/", { id: key.id, name: "key", remain_quota: calls * CALL_PRICE });
  const setBalance: Limiting = ({ organization }, calls) =>
    root.put("/api/user/", { id: organization, quota: calls * CALL_PRICE });
  const takeBalance: Limiting = async ({ organization }, calls) => {
    const { quota } = await root.get(`/api/user/${organization}`);
    await root.put("/api/user/", { id: organization, quota_delta: calls * CALL_PRICE - quota });
  };
  const moveBalance: Limiting = async ({ organization }, calls) => {
    const { quota } = await root.get(`/api/user/${organization}`);
    const body = { direction: "out", quota: quota - calls * CALL_PRICE };
    await owner.post(`/api/organization/${organization}/transfer`, body);
  };

  test.each<[string, Limiting, boolean]>([
    ["the quota of a key", setKeyQuota, false],
    ["a balance that was set", setBalance, false],
    ["a balance that was taken from", takeBalance, false],
    ["a balance that was moved away", moveBalance, false],
    ["a budget of a key", saveBudget("key"), true],
    ["a budget of a member", saveBudget("member"), true],
    ["a budget of a project", saveBudget("project"), true],
    ["a budget of an organization", saveBudget("organization"), true],
  ])(
    "%s: 300 calls right after the answer get exactly what is left",
    async (_, limit, isBudget) => {
      const place = await createPlace();
      const warmUp = 12;
      if (isBudget) await limit(place, AMPLE / CALL_PRICE, 0);
      expect(new Set(await callMany(place.key, warmUp))).toEqual(new Set([200]));
      await until(async () => (await usedOf(place)) === warmUp * CALL_PRICE);
      await limit(place, 2, warmUp);
      const statuses = await callMany(place.key, BURST);
      expect(statuses.filter((status) => status === 200).length).toBe(2);
      expect(statuses.filter((status) => ![200, 429].includes(status))).toEqual([]);
      await until(async () => (await usedOf(place)) === (warmUp + 2) * CALL_PRICE);
    },
    120_000,
  );

  test.each(["key", "member", "project", "organization"] as const)(
    "a new budget of a %s counts every call after the answer",
    async (scope) => {
      const place = await createPlace();
      await callMany(place.key, 8);
      await saveBudget(scope)(place, 10, 0);
      const statuses = await callMany(place.key, BURST);
      expect(statuses.filter((status) => status === 200).length).toBe(10);
    },
    120_000,
  );

  test("after the answer no call is served under running calls beyond what is left", async () => {
    const place = await createPlace();
    let isLowered = false;
    let after = 0;
    const keepCalling = async (index: number) => {
      for (let refused = 0; refused < 3; ) {
        const isAfter = isLowered;
        const status = await call(place.key, index);
        if (status !== 200) refused += 1;
        else if (isAfter) after += 1;
      }
    };
    const traffic = Promise.all(Array.from({ length: 24 }, (_, index) => keepCalling(index)));
    await until(async () => (await usedOf(place)) > 0);
    await setKeyQuota(place, 2, 0);
    isLowered = true;
    await traffic;
    expect(after).toBeLessThanOrEqual(2);
  }, 120_000);

  test("a plan that was ended pays no call after the answer", async () => {
    created += 1;
    await root.post("/api/user/", { username: `buyer-${created}`, password: "some-password-1" });
    const subscriber = await login(gateways[0] as Gateway, `buyer-${created}`, "some-password-1");
    const { id, key } = await createApiKey(subscriber);
    const { id: planId } = await root.post("/api/plan", {
      ...{ name: `Many ${created}`, description: "", price: 0, period: "month", periodCount: 1, windowQuota: 0 },
      ...{ window: "5h", windowCalls: 1000, userGroup: "", trialDays: 0, allowsOverage: false, isVisible: true },
    });
    await root.put("/api/user/", { id: subscriber.userId, quota: 0 });
    await root.post("/api/subscription/grant", { user_id: subscriber.userId, plan_id: planId });
    const own = { id, key: key.replace(/^sk-/, "") };
    expect(new Set(await callMany(own, 12))).toEqual(new Set([200]));
    const [subscription] = await subscriber.get("/api/user/subscriptions");
    await root.post("/api/subscription/end", { id: subscription.id });
    expect((await callMany(own, BURST)).filter((status) => status === 200)).toEqual([]);
  }, 120_000);

  test.each<[string, (place: Place) => Promise<unknown>]>([
    [
      "a disabled key",
      ({ organization, key }) => as(organization, "PUT", "/api/token/?status_only=true", { id: key.id, status: 2 }),
    ],
    [
      "a key limited to another model",
      ({ organization, key }) =>
        as(organization, "PUT", "/api/token/", {
          id: key.id,
          name: "key",
          model_limits_enabled: true,
          model_limits: "other",
        }),
    ],
    ["a deleted key", ({ organization, key }) => as(organization, "DELETE", `/api/token/${key.id}`)],
    [
      "a banned organization",
      ({ organization }) => root.post("/api/user/manage", { id: organization, action: "disable" }),
    ],
    [
      "an account in a group without channels",
      ({ organization }) => root.put("/api/user/", { id: organization, group: "empty" }),
    ],
  ])(
    "%s: none of the calls right after the answer is served",
    async (_, change) => {
      await setOptions(root, { GroupRatio: { default: 1, empty: 1 } });
      const place = await createPlace();
      expect(new Set(await callMany(place.key, 8))).toEqual(new Set([200]));
      await change(place);
      expect((await callMany(place.key, 60)).filter((status) => status === 200)).toEqual([]);
    },
    120_000,
  );
});
