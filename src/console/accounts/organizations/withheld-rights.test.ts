import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { organizationMembers } from "../../../../db/schema/accounts/organizations/organizations.ts";
import { startTestOrganizations, type TestOrganizations } from "../../../../test/support/console/organizations.ts";
import { assignAdminRole, createAdminRole } from "../../../domain/accounts/access/admin-roles.ts";
import { createServiceAccount } from "../../../domain/accounts/users/service-accounts.ts";

let app: TestOrganizations;
let serial = 0;
let rootId = 0;
beforeAll(async () => {
  app = await startTestOrganizations();
  rootId = await app.addUser("chief", "root");
});
afterAll(() => app.close());

const root = () => {
  const chief = app.users.get(rootId);
  if (!chief) throw new Error("nobody is root");
  return chief;
};
const memberOf = async (organizationId: number, name: string) => {
  const place = and(
    eq(organizationMembers.organizationId, organizationId),
    eq(organizationMembers.userId, app.who(name).id),
  );
  const [member] = await app.db.select().from(organizationMembers).where(place);
  return member;
};
const forOrganization = (id: number) => ({ "Sluice-Organization": String(id) });
const keyLog = (key: string) => app.ask("GET", `/api/log/token?key=${key}`);
const setAccess = (by: string, id: number, name: string, withheld: string[]) =>
  app.as(by, "PUT", `/api/organization/${id}/members/${app.who(name).id}/access`, { withheld });

/** An organization of alice whose admin bob must not read requests, with a key of each. */
async function restricted() {
  serial += 1;
  const id = await app.create("alice", `held${serial}`);
  await app.addMember("alice", id, "bob", "admin");
  const create = async (name: string) => {
    const { body } = await app.as(name, "POST", "/api/token/", { name: `of ${name}` }, forOrganization(id));
    return body.data as { id: number; key: string };
  };
  const keys = { alice: await create("alice"), bob: await create("bob") };
  expect((await keyLog(keys.alice.key)).body.success).toBe(true);
  expect((await setAccess("alice", id, "bob", ["requests.read"])).body.success).toBe(true);
  return { id, keys };
}

describe("a right that is withheld", () => {
  test("is not had by the key of somebody else, nor by an own one", async () => {
    const { id, keys } = await restricted();
    const as = (name: string, method: string, path: string, body?: object) =>
      app.as(name, method, path, body, forOrganization(id));
    const shown = await as("bob", "GET", `/api/token/${keys.alice.id}`);
    expect(shown.body.data).toMatchObject({ id: keys.alice.id, key: "" });
    expect((await as("bob", "GET", "/api/token/")).text).not.toContain(keys.alice.key);
    const renamed = await as("bob", "PUT", "/api/token/", { id: keys.alice.id, name: "renamed" });
    expect(renamed.body.success).toBe(true);
    expect(renamed.text).not.toContain(keys.alice.key);
    expect(await as("bob", "POST", `/api/token/${keys.alice.id}/rotate`, { grace_seconds: 0 })).toMatchObject({
      status: 403,
      body: { code: "organization_right_missing" },
    });
    expect((await as("bob", "GET", `/api/token/${keys.bob.id}`)).body.data).toMatchObject({ key: keys.bob.key });
    for (const { key } of Object.values(keys)) {
      expect(await keyLog(key)).toMatchObject({ status: 403, body: { success: false, code: "key_log_withheld" } });
    }
    expect((await as("alice", "GET", `/api/token/${keys.alice.id}`)).body.data).toMatchObject({ key: keys.alice.key });
    await setAccess("alice", id, "bob", []);
    expect((await keyLog(keys.alice.key)).body.success).toBe(true);
  });

  test("from a developer closes the log of their own keys alone", async () => {
    const { id, keys } = await restricted();
    await app.as("alice", "PUT", `/api/organization/${id}/members/${app.who("bob").id}`, { role: "developer" });
    expect((await keyLog(keys.alice.key)).body.success).toBe(true);
    expect((await keyLog(keys.bob.key)).status).toBe(403);
  });

  test("is withheld from whom the member invites, and comes back from nobody who lacks it", async () => {
    const { id } = await restricted();
    await app.addMember("bob", id, "carol", "admin");
    expect((await memberOf(id, "carol"))?.withheld).toEqual(["requests.read"]);
    await app.addMember("carol", id, "dave", "viewer");
    expect((await memberOf(id, "dave"))?.withheld).toEqual(["requests.read"]);
    for (const name of ["bob", "dave"]) {
      expect(await setAccess("carol", id, name, [])).toMatchObject({
        status: 403,
        body: { code: "organization_right_missing" },
      });
    }
    // Withholding more, or giving back what the admin has, is theirs to do.
    expect((await setAccess("carol", id, "dave", ["requests.read", "audit.read"])).body.success).toBe(true);
    expect((await setAccess("carol", id, "dave", ["requests.read"])).body.success).toBe(true);
    expect((await setAccess("alice", id, "carol", [])).body.success).toBe(true);
    expect((await setAccess("carol", id, "bob", [])).body.success).toBe(true);
  });

  test("is withheld by an invitation from before", async () => {
    serial += 1;
    const id = await app.create("alice", `held${serial}`);
    await app.addMember("alice", id, "bob", "admin");
    const token = await app.invite("bob", id, "admin");
    await setAccess("alice", id, "bob", ["requests.read"]);
    await app.accept("carol", token);
    expect((await memberOf(id, "carol"))?.withheld).toEqual(["requests.read"]);
  });

  test("and that a service account lacks, is not had by keys", async () => {
    const { id, keys } = await restricted();
    await setAccess("alice", id, "bob", []);
    const chief = root();
    const input = { name: `keys.${serial}`, rights: ["organizations:read", "organizations:write"], expires_time: 0 };
    const { token } = await createServiceAccount(app, chief, input);
    const ask = (method: string, path: string, body?: object) =>
      app.ask(method, path, body, { authorization: `Bearer ${token}`, ...forOrganization(id) });
    expect((await ask("GET", `/api/token/${keys.alice.id}`)).body.data).toMatchObject({ key: "" });
    const made = (await ask("POST", "/api/token/", { name: "of a program" })).body.data as { key: string };
    expect((await keyLog(made.key)).status).toBe(403);
    expect((await keyLog(keys.alice.key)).body.success).toBe(true);
  });
});

describe("administrators and their own balance", () => {
  const move = (name: string, id: number, quota: number, direction: string) =>
    app.as(name, "POST", `/api/organization/${id}/transfer`, { quota, direction });

  test.each(["admin", "a role with users:write"])("%s cannot raise it by an organization", async (kind) => {
    const chief = root();
    const name = kind === "admin" ? "dave" : "erin";
    const { id: userId } = app.who(name);
    const own = await app.create(name, `own-${name}`);
    const other = await app.create("carol", `other-${name}`);
    if (kind === "admin")
      await app.ask("POST", "/api/user/manage", { id: userId, action: "promote" }, await app.login("chief"));
    else {
      const role = await createAdminRole(app, chief, {
        name: `people ${serial}`,
        rights: ["users:read", "users:write"],
      });
      await assignAdminRole(app, chief, { userId, roleId: role.id });
    }
    const headers = await app.login(name);
    const as = (method: string, path: string, body: object) => app.ask(method, path, body, headers);
    await app.giveQuota(userId, 1000);
    for (const change of [{ quota: 5_000_000 }, { quota_delta: 5_000_000 }, { group: "default", quota_delta: 1 }]) {
      const { body } = await as("PUT", "/api/user/", { id: own, ...change });
      expect(body.code).toBe("own_organization_out_of_reach");
    }
    expect((await as("POST", "/api/user/manage", { id: own, action: "disable" })).body.code).toBe(
      "own_organization_out_of_reach",
    );
    // The other's balance first, the membership later.
    expect((await as("PUT", "/api/user/", { id: other, quota: 5_000_000 })).body.success).toBe(true);
    await app.accept("bob", await app.invite("carol", other, "developer"));
    const token = await app.invite("carol", other, "admin");
    await as("POST", "/api/organization/invitation/accept", { token });
    await app.as("carol", "PUT", `/api/organization/${other}/members/${userId}`, { role: "owner" });
    const transfer = (id: number, quota: number, direction: string) =>
      as("POST", `/api/organization/${id}/transfer`, { quota, direction });
    expect((await transfer(other, 1, "out")).body.code).toBe("organization_withdraw_limited");
    // What they moved in comes back, and no more.
    expect((await transfer(other, 400, "in")).body.success).toBe(true);
    expect((await transfer(other, 401, "out")).body.code).toBe("organization_withdraw_limited");
    expect((await transfer(other, 400, "out")).body.success).toBe(true);
    expect((await transfer(other, 1, "out")).body.code).toBe("organization_withdraw_limited");
    expect((await app.rowOf(userId)).quota).toBe(1000);
    // Whoever changes no balances withdraws what the organization has.
    expect((await move("carol", other, 5_000_000, "out")).body.success).toBe(true);
  });
});

test("invitations have a limit by user and by recipient", async () => {
  await app.settings.set("MailsPerUser", "3");
  await app.settings.set("MailsPerRecipient", "2");
  serial += 1;
  const id = await app.create("alice", `mail${serial}`);
  const before = app.mails.length;
  const invite = (email: string) =>
    app.as("alice", "POST", `/api/organization/${id}/invitations`, { role: "viewer", email });
  expect((await invite("one@example.org")).body.success).toBe(true);
  expect((await invite("one@example.org")).body.success).toBe(true);
  expect(await invite("one@example.org")).toMatchObject({ status: 429, body: { code: "mail_too_often" } });
  expect(await invite("two@example.org")).toMatchObject({ status: 429, body: { code: "mails_sent_too_often" } });
  expect(app.mails).toHaveLength(before + 2);
  const open = await app.as("alice", "GET", `/api/organization/${id}/invitations`);
  expect(open.body.data).toHaveLength(2);
});
