/** Whatever ends the right to call ends it at once and for good, however often the key is tried afterwards. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApiKey, login, type Session } from "../../support/e2e/console-client.ts";
import { ENGINES, type Fixture, setOption, startFixture } from "../../support/e2e/fixture.ts";

const MODEL = "gpt-4o-mini";
const PASSWORD = "some-password-1";
/** A key is looked for in the database once in this time. */
const RECHECK_MS = 1100;

describe.each(ENGINES)("withdrawn access on %s", (engine) => {
  let fixture: Fixture;
  let created = 0;
  beforeAll(async () => {
    fixture = await startFixture([MODEL], { engine, env: { CRITICAL_RATE_LIMIT_ENABLE: "false" } });
    await setOption(fixture.root, "Organizations", "on");
  });
  afterAll(() => fixture.stop());

  const createUser = async (): Promise<Session> => {
    created += 1;
    const username = `caller-${created}`;
    await fixture.root.post("/api/user/", { username, password: PASSWORD });
    const session = await login(fixture.gateway, username, PASSWORD);
    await fixture.root.put("/api/user/", { id: session.userId, quota_delta: 5_000_000 });
    return session;
  };
  const call = async (key: string): Promise<number> => {
    const reply = await fetch(`${fixture.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hi" }] }),
    });
    await reply.text();
    return reply.status;
  };
  /** An organization with a key that a member made. */
  const createOrganizationWith = async (owner: Session, member: Session): Promise<{ id: number; key: string }> => {
    const { id } = await owner.post("/api/organization/", { username: `callers-${created}` });
    await fixture.root.put("/api/user/", { id, quota_delta: 5_000_000 });
    const { link } = await owner.post(`/api/organization/${id}/invitations`, { role: "developer" });
    await member.post("/api/organization/invitation/accept", { token: new URL(link).searchParams.get("token") });
    const reply = await fetch(`${fixture.gateway.url}/api/token/`, {
      method: "POST",
      headers: {
        ...{ cookie: member.cookie, "sluice-user": String(member.userId), "sluice-organization": String(id) },
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "team", unlimited_quota: true, remain_quota: 0, expired_time: -1 }),
    });
    const { data } = await reply.json();
    return { id, key: `sk-${data.key}` };
  };

  /** Each makes a key that may call, and what ends that. */
  const WAYS: Readonly<Record<string, () => Promise<{ key: string; end: () => Promise<unknown> }>>> = {
    "deleting the key": async () => {
      const { id, key } = await createApiKey(fixture.root);
      return { key, end: () => fixture.root.delete(`/api/token/${id}/`) };
    },
    "disabling the key": async () => {
      const { id, key } = await createApiKey(fixture.root);
      return { key, end: () => fixture.root.put("/api/token/?status_only=true", { id, status: 2 }) };
    },
    "rotating the key without a time for the old one": async () => {
      const { id, key } = await createApiKey(fixture.root);
      return { key, end: () => fixture.root.post(`/api/token/${id}/rotate`, { grace_seconds: 0 }) };
    },
    "disabling the user": async () => {
      const user = await createUser();
      const { key } = await createApiKey(user);
      return { key, end: () => fixture.root.post("/api/user/manage", { id: user.userId, action: "disable" }) };
    },
    "deleting the user": async () => {
      const user = await createUser();
      const { key } = await createApiKey(user);
      return { key, end: () => fixture.root.post("/api/user/manage", { id: user.userId, action: "delete" }) };
    },
    "removing the member who made the key": async () => {
      const [owner, member] = [await createUser(), await createUser()];
      const { id, key } = await createOrganizationWith(owner, member);
      return { key, end: () => owner.delete(`/api/organization/${id}/members/${member.userId}`) };
    },
  };

  test.each(Object.keys(WAYS))("%s", async (way) => {
    const { key, end } = await (WAYS[way] as (typeof WAYS)[string])();
    expect(await call(key)).toBe(200);
    const sentBefore = fixture.upstream.requests.length;
    await end();
    const statuses = [await call(key), await call(key)];
    await Bun.sleep(RECHECK_MS);
    statuses.push(await call(key), await call(key));
    for (const status of statuses) expect([401, 403]).toContain(status);
    expect(fixture.upstream.requests.length).toBe(sentBefore);
    expect(await call(fixture.key)).toBe(200);
  });
});
