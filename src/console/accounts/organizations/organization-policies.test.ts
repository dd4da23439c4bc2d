import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { startTestOrganization, type TestOrganization } from "../../../../test/support/console/organizations.ts";
import { createPolicyDirectory } from "../../../domain/accounts/organizations/policies/directory.ts";
import { createApiKey, rotateToken } from "../../../domain/api-keys/create-api-key.ts";
import { getToken } from "../../../domain/api-keys/list-api-keys.ts";
import { updateToken } from "../../../domain/api-keys/update-api-key.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { createVault } from "../../../lib/security/crypto.ts";

const DAY_S = 86_400;
const vault = createVault({ encryptionKey: "a key of tests" });
let app: TestOrganization;
let id: number;
beforeAll(async () => {
  app = await startTestOrganization();
  id = app.id;
});
afterAll(() => app.close());

const FREE = {
  ...{
    models: [] as string[],
    channel_types: [] as number[],
    regions: [] as string[],
    allow_ips: "",
    blocked_words: "",
  },
  ...{ no_content_log: false, max_key_days: 0, rotation_days: 0, max_call_quota: 0 },
};
const policy = (name: string, rules: Partial<typeof FREE> = {}, project_id = 0) => ({
  ...{ name, project_id },
  rules: { ...FREE, ...rules },
});

test("policies are created, changed and deleted by owners and admins; every process learns of it", async () => {
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  const directory = await createPolicyDirectory({ db: app.db, changes: app.changes, log });
  const names = () => directory.of({ userId: id, projectId: 0 })?.map(({ name }) => name);
  const made = await app.createdId(
    "alice",
    "POST",
    "policies",
    policy(" House rules ", { models: [" gpt-* ", "", "gpt-*"] }),
  );
  expect(names()).toEqual(["House rules"]);
  expect((await app.call("bob", "GET", "policies")).body.data).toMatchObject({
    policies: [{ id: made, name: "House rules", project_id: 0, rules: { models: ["gpt-*"] } }],
  });
  for (const [method, path] of [
    ["POST", "policies"],
    ["PUT", `policies/${made}`],
    ["DELETE", `policies/${made}`],
  ] as const) {
    const body = method === "DELETE" ? undefined : policy("x");
    expect(await app.codeOf("bob", method, path, body)).toBe("organization_right_missing");
    expect(await app.codeOf("carol", method, path, body)).toBe("organization_not_found");
  }
  await app.call("alice", "PUT", `policies/${made}`, policy("Rules"));
  expect(names()).toEqual(["Rules"]);
  await app.call("alice", "DELETE", `policies/${made}`);
  expect(names()).toBeUndefined();
  expect(await app.codeOf("alice", "DELETE", `policies/${made}`)).toBe("policy_not_found");
  directory.close();
});

test("each wrong field is named", async () => {
  await app.createdId("alice", "POST", "policies", policy("One"));
  for (const [input, code] of [
    [policy("one"), "policy_exists"],
    [policy(" "), "policy_name_invalid"],
    [policy("a", {}, 999_999), "project_not_found"],
    [policy("a", { allow_ips: "10" }), "token_ip_invalid"],
    [policy("a", { blocked_words: "regex:(" }), "option_regex"],
    [policy("a", { channel_types: [1, 99_999] }), "policy_provider_unknown"],
    [policy("a", { max_key_days: 0.5 }), "policy_days_invalid"],
    [policy("a", { rotation_days: 3651 }), "policy_rotation_invalid"],
    [policy("a", { max_call_quota: -1 }), "policy_quota_invalid"],
  ] as const) {
    expect(await app.codeOf("alice", "POST", "policies", input)).toBe(code);
  }
});

test("keys must expire as the strictest policy of their project says", async () => {
  const project = await app.createdId("alice", "POST", "projects", { name: "Website" });
  await app.createdId("alice", "POST", "policies", policy("Ninety", { max_key_days: 90 }));
  await app.createdId("alice", "POST", "policies", policy("Thirty", { max_key_days: 30 }, project));
  const deps = { db: app.db, changes: app.changes, settings: app.settings, vault };
  const owner = {
    id,
    group: "default",
    member: { id: app.who("alice").id, username: "alice", ownOnly: false, seesSecrets: true, readsRequests: true },
  };
  const input = { name: "ci", unlimited_quota: true };
  const inDays = (days: number) => nowSeconds() + days * DAY_S - 60;
  expect(createApiKey(deps, owner, input)).rejects.toMatchObject({ code: "policy_key_expiry" });
  const { id: key } = await createApiKey(deps, owner, { ...input, expired_time: inDays(90) });
  const move = (days: number) => updateToken(deps, owner, key, { project_id: project, expired_time: inDays(days) });
  expect(move(90)).rejects.toMatchObject({ code: "policy_key_expiry", params: { policy: "Thirty", days: 30 } });
  expect(await move(30)).toMatchObject({ project_id: project });
  await updateToken(deps, owner, key, { name: "renamed" });
});

test("a rotation restarts the days of a policy; the old secret ends when they do", async () => {
  const project = await app.createdId("alice", "POST", "projects", { name: "Rotating" });
  await app.createdId("alice", "POST", "policies", policy("Loose", { rotation_days: 60 }));
  await app.createdId("alice", "POST", "policies", policy("Tight", { rotation_days: 10 }, project));
  const deps = { db: app.db, changes: app.changes, settings: app.settings, vault };
  const owner = {
    id,
    group: "default",
    member: { id: app.who("alice").id, username: "alice", ownOnly: false, seesSecrets: true, readsRequests: true },
  };
  const now = nowSeconds();
  const input = { name: "ci", unlimited_quota: true, project_id: project, expired_time: now + DAY_S };
  const { id: key } = await createApiKey(deps, owner, input);
  const makeOlder = (days: number) =>
    app.db
      .update(tokens)
      .set({ createdTime: now - days * DAY_S, secretSince: 0 })
      .where(eq(tokens.id, key));
  await makeOlder(8);
  const before = await getToken(deps, owner, key);
  expect(before.rotation).toEqual({ policy: "Tight", days: 10, due: now + 2 * DAY_S });
  // A day of grace fits, a week doesn't.
  expect((await rotateToken(deps, owner, key, DAY_S, now)).previous_key_until).toBe(now + DAY_S);
  await makeOlder(8);
  expect((await rotateToken(deps, owner, key, 7 * DAY_S, now)).previous_key_until).toBe(now + 2 * DAY_S);
  const after = await getToken(deps, owner, key);
  expect(after).toMatchObject({ id: key, secret_time: now, rotation: { due: now + 10 * DAY_S } });
  expect(after.key).not.toBe(before.key);
  await makeOlder(11);
  expect((await rotateToken(deps, owner, key, DAY_S, now)).previous_key_until).toBe(0);
  await updateToken(deps, owner, key, { project_id: 0 });
  expect(await getToken(deps, owner, key)).toMatchObject({ rotation: { policy: "Loose", due: now + 60 * DAY_S } });
});

test("a stricter policy ends the grace of an old secret that an earlier one allowed", async () => {
  const project = await app.createdId("alice", "POST", "projects", { name: "Later" });
  const deps = { db: app.db, changes: app.changes, settings: app.settings, vault };
  const member = { id: app.who("alice").id, username: "alice", ownOnly: false, seesSecrets: true, readsRequests: true };
  const owner = { id, group: "default", member };
  const now = nowSeconds();
  const { id: key } = await createApiKey(deps, owner, {
    ...{ name: "late", unlimited_quota: true, project_id: project, expired_time: now + DAY_S },
  });
  await app.db
    .update(tokens)
    .set({ createdTime: now - 20 * DAY_S })
    .where(eq(tokens.id, key));
  await rotateToken(deps, owner, key, 30 * DAY_S, now);
  const endOfOld = async () => (await getToken(deps, owner, key)).previous_key_until - now;
  expect(await endOfOld()).toBe(30 * DAY_S);
  const stricter = await app.createdId("alice", "POST", "policies", policy("Stricter", { rotation_days: 21 }, project));
  expect(await endOfOld()).toBe(DAY_S);
  await app.codeOf("alice", "PUT", `policies/${stricter}`, policy("Stricter", { rotation_days: 5 }, project));
  expect(await endOfOld()).toBeLessThan(0);
});
