import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { organizationInvitations } from "../../../../db/schema/accounts/organizations/organizations.ts";
import { passkeys } from "../../../../db/schema/accounts/sign-in.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { startTestOrganizations, type TestOrganizations } from "../../../../test/support/console/organizations.ts";
import { TEST_PASSWORD } from "../../../../test/support/console/start-console.ts";
import { checkBooks } from "../../../billing/check-ledger/check-ledger.ts";
import { resetPassword } from "../../../domain/accounts/security/reset-by-email.ts";
import { findBound } from "../../../domain/accounts/sign-in/identities/sign-in-by-identity.ts";
import { nowSeconds } from "../../../lib/clock.ts";

let app: TestOrganizations;
beforeAll(async () => {
  app = await startTestOrganizations();
});
afterAll(() => app.close());

type Member = { user_id: number; role: string };
const membersOf = async (id: number, by = "alice") =>
  (await app.as(by, "GET", `/api/organization/${id}/members`)).body.data as Member[];
const roleOf = async (id: number, name: string) =>
  (await membersOf(id)).find(({ user_id }) => user_id === app.who(name).id)?.role;
const codeOf = async (...call: Parameters<TestOrganizations["as"]>) => (await app.as(...call)).body.code;

describe("an organization", () => {
  test("is created with its creator as the owner and an empty wallet, also where new users get quota", async () => {
    await app.settings.set("QuotaForNewUser", "5000");
    const id = await app.create("alice", "acme");
    await app.settings.set("QuotaForNewUser", "0");
    expect(await app.rowOf(id)).toMatchObject({
      kind: "organization",
      quota: 0,
      role: 1,
      passwordHash: null,
      accessTokenHash: null,
      email: null,
    });
    const { body } = await app.as("alice", "GET", "/api/organization/");
    expect(body.data).toMatchObject([{ id, username: "acme", display_name: "The acme", role: "owner", quota: 0 }]);
    expect((await app.as("bob", "GET", "/api/organization/")).body.data).toEqual([]);
  });

  test("shares its names with people", async () => {
    const name = async (username: string) => codeOf("bob", "POST", "/api/organization/", { username });
    expect(await name("acme")).toBe("username_taken");
    expect(await name("alice")).toBe("username_taken");
    expect(await name("a@b")).toBe("username_characters");
    expect(await name("")).toBe("username_required");
  });

  test("is unknown to whoever is no member, like one that does not exist", async () => {
    const id = await app.create("alice", "hidden");
    for (const target of [id, 999_999, app.who("alice").id]) {
      for (const [method, path, body] of [
        ["PUT", "", { display_name: "x" }],
        ["DELETE", "", undefined],
        ["POST", "/transfer", { quota: 1, direction: "in" }],
        ["GET", "/members", undefined],
        ["PUT", `/members/${app.who("alice").id}`, { role: "viewer" }],
        ["DELETE", `/members/${app.who("alice").id}`, undefined],
        ["GET", "/invitations", undefined],
        ["POST", "/invitations", { role: "viewer" }],
        ["DELETE", "/invitations/1", undefined],
      ] as const) {
        const answer = await app.as("bob", method, `/api/organization/${target}${path}`, body);
        expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, "organization_not_found"]);
      }
    }
  });

  test("does not exist on sites that have turned it off", async () => {
    const id = await app.create("alice", "sleeping");
    await app.settings.set("Organizations", "off");
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["POST", "", { username: "another" }],
      ["PUT", id, { display_name: "x" }],
      ["DELETE", id, undefined],
      ["POST", `${id}/transfer`, { quota: 1, direction: "in" }],
      ["GET", `${id}/members`, undefined],
      ["PUT", `${id}/members/1`, { role: "viewer" }],
      ["DELETE", `${id}/members/1`, undefined],
      ["GET", `${id}/invitations`, undefined],
      ["POST", `${id}/invitations`, { role: "viewer" }],
      ["DELETE", `${id}/invitations/1`, undefined],
      ["POST", "invitation/preview", { token: "x" }],
      ["POST", "invitation/accept", { token: "x" }],
    ] as const) {
      const answer = await app.as("alice", method, `/api/organization/${path}`, body);
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, "organizations_off"]);
    }
    await app.settings.set("Organizations", "on");
  });

  test("is renamed by owners and admins, and deleted by owners once it is empty", async () => {
    const id = await app.create("alice", "short");
    await app.addMember("alice", id, "bob", "admin");
    await app.addMember("alice", id, "carol", "developer");
    const rename = (by: string) => app.as(by, "PUT", `/api/organization/${id}`, { display_name: "Shorter" });
    expect((await rename("carol")).status).toBe(403);
    expect((await rename("bob")).body.success).toBe(true);
    expect((await app.rowOf(id)).displayName).toBe("Shorter");
    const remove = (by: string) => app.as(by, "DELETE", `/api/organization/${id}`);
    expect(await remove("bob")).toMatchObject({ status: 403, body: { code: "organization_right_missing" } });
    await app.giveQuota(id, 1);
    expect((await remove("alice")).body.code).toBe("organization_has_balance");
    await app.giveQuota(id, 0);
    const [key] = await app.db
      .insert(tokens)
      .values({ userId: id, name: "k", keyHash: "short-k", keyCipher: "x", createdTime: 1 })
      .returning();
    expect((await remove("alice")).body.code).toBe("organization_has_keys");
    await app.db.delete(tokens).where(eq(tokens.id, key?.id ?? 0));
    expect((await remove("alice")).body.success).toBe(true);
    expect((await app.as("alice", "GET", `/api/organization/${id}/members`)).status).toBe(404);
    expect(await codeOf("bob", "POST", "/api/organization/", { username: "short" })).toBe("username_taken");
  });
});

describe("members", () => {
  test("get roles from those who may give them, and an owner always stays", async () => {
    const id = await app.create("alice", "roles");
    for (const [name, role] of [
      ["bob", "admin"],
      ["carol", "developer"],
      ["dave", "billing"],
      ["erin", "viewer"],
    ] as const)
      await app.addMember("alice", id, name, role);
    const give = (by: string, name: string, role: string) =>
      app.as(by, "PUT", `/api/organization/${id}/members/${app.who(name).id}`, { role });
    for (const by of ["carol", "dave", "erin"]) {
      expect(await give(by, by, "owner")).toMatchObject({ status: 403, body: { code: "organization_right_missing" } });
    }
    expect(await give("bob", "bob", "owner")).toMatchObject({
      status: 403,
      body: { code: "organization_owners_only" },
    });
    expect(await give("bob", "alice", "viewer")).toMatchObject({
      status: 403,
      body: { code: "organization_owners_only" },
    });
    expect((await give("bob", "carol", "billing")).body.success).toBe(true);
    expect(await roleOf(id, "carol")).toBe("billing");
    expect((await give("alice", "alice", "admin")).body.code).toBe("organization_last_owner");
    expect((await give("alice", "bob", "owner")).body.success).toBe(true);
    expect((await give("bob", "alice", "viewer")).body.success).toBe(true);
    expect((await give("bob", "bob", "viewer")).body.code).toBe("organization_last_owner");
    expect((await give("bob", "alice", "chief")).status).toBe(400);
  });

  test("leave or are removed, and their keys stop working", async () => {
    const id = await app.create("alice", "leaving");
    for (const [name, role] of [
      ["bob", "admin"],
      ["carol", "developer"],
      ["dave", "developer"],
    ] as const)
      await app.addMember("alice", id, name, role);
    const key = (name: string, status: number) =>
      ({
        ...{ userId: id, name, keyHash: `${name}-${status}`, keyCipher: "x", createdTime: 1, status },
        createdBy: app.who(name).id,
      }) as const;
    await app.db.insert(tokens).values([key("carol", 1), key("carol", 4), key("dave", 1)]);
    const statuses = async (name: string) =>
      (
        await app.db
          .select()
          .from(tokens)
          .where(and(eq(tokens.userId, id), eq(tokens.name, name)))
      ).map(({ status }) => status);
    const remove = (by: string, name: string) =>
      app.as(by, "DELETE", `/api/organization/${id}/members/${app.who(name).id}`);
    expect((await remove("carol", "dave")).status).toBe(403);
    expect((await remove("bob", "alice")).body.code).toBe("organization_owners_only");
    expect((await remove("alice", "alice")).body.code).toBe("organization_last_owner");
    expect((await remove("bob", "carol")).body.success).toBe(true);
    expect(await statuses("carol")).toEqual([2, 2]);
    expect(await statuses("dave")).toEqual([1]);
    expect((await remove("dave", "dave")).body.success).toBe(true);
    expect(await statuses("dave")).toEqual([2]);
    expect((await membersOf(id)).map(({ role }) => role).sort()).toEqual(["admin", "owner"]);
    expect((await remove("alice", "carol")).body.code).toBe("organization_member_not_found");
    expect((await app.as("carol", "GET", `/api/organization/${id}/members`)).status).toBe(404);
  });

  test("two owners who leave at once don't both go", async () => {
    const id = await app.create("alice", "both");
    await app.addMember("alice", id, "bob", "admin");
    await app.as("alice", "PUT", `/api/organization/${id}/members/${app.who("bob").id}`, { role: "owner" });
    const leave = (name: string) => app.as(name, "DELETE", `/api/organization/${id}/members/${app.who(name).id}`);
    const outcomes = await Promise.all([leave("alice"), leave("bob")]);
    expect(outcomes.filter(({ body }) => body.success)).toHaveLength(1);
  });

  test("the only owner of an organization cannot deregister; others leave with their account, whose keys stop", async () => {
    const owner = await app.addUser("founder");
    const headers = await app.login("founder");
    const made = await app.ask("POST", "/api/organization/", { username: "founded" }, headers);
    const id = (made.body.data as { id: number }).id;
    const token = new URL(
      (
        (await app.ask("POST", `/api/organization/${id}/invitations`, { role: "developer" }, headers)).body.data as {
          link: string;
        }
      ).link,
    ).searchParams.get("token");
    const guest = await app.addUser("guest");
    const guestHeaders = await app.login("guest");
    await app.ask("POST", "/api/organization/invitation/accept", { token }, guestHeaders);
    await app.db
      .insert(tokens)
      .values({ userId: id, name: "g", keyHash: "guest-key", keyCipher: "x", createdTime: 1, createdBy: guest });
    expect((await app.ask("DELETE", "/api/user/self", { username: "founder" }, headers)).body.code).toBe(
      "organization_needs_owner",
    );
    expect((await app.rowOf(owner)).deletedAt).toBeNull();
    expect((await app.ask("DELETE", "/api/user/self", { username: "guest" }, guestHeaders)).body.success).toBe(true);
    const [key] = await app.db.select().from(tokens).where(eq(tokens.keyHash, "guest-key"));
    expect(key).toMatchObject({ status: 2, deletedAt: null });
    expect((await app.ask("GET", `/api/organization/${id}/members`, undefined, headers)).body.data).toMatchObject([
      { user_id: owner, role: "owner" },
    ]);
  });
});

describe("invitations", () => {
  test("show what they open, work once, and show nobody else anything", async () => {
    const id = await app.create("alice", "party");
    const token = await app.invite("alice", id, "developer");
    const preview = (name: string, input = token) =>
      app.as(name, "POST", "/api/organization/invitation/preview", { token: input });
    expect((await preview("bob")).body.data).toMatchObject({
      organization_id: id,
      organization: "The party",
      role: "developer",
      invited_by: "alice",
      is_member: false,
    });
    expect((await preview("bob", `${token.slice(0, -1)}_`)).body.code).toBe("organization_invitation_invalid");
    expect((await app.accept("alice", token)).body.code).toBe("organization_member_already");
    const outcomes = await Promise.all(["bob", "carol", "dave", "erin"].map((name) => app.accept(name, token)));
    expect(outcomes.filter(({ body }) => body.success)).toHaveLength(1);
    expect(await membersOf(id)).toHaveLength(2);
    expect((await preview("erin")).body.code).toBe("organization_invitation_invalid");
    const stored = JSON.stringify(await app.db.select().from(organizationInvitations));
    expect(stored).not.toContain(token);
  });

  test("bring a monthly budget, which limits the member from the day they join and is set by those who may", async () => {
    const id = await app.create("alice", "budgeted");
    const invite = (by: string, body: object) =>
      app.as(by, "POST", `/api/organization/${id}/invitations`, { role: "developer", ...body });
    for (const monthly_budget of [0, -5, 1e16]) {
      expect((await invite("alice", { monthly_budget })).body.code).toBe("budget_limit_invalid");
    }
    const { link } = (await invite("alice", { monthly_budget: 25_000_000 })).body.data as { link: string };
    const token = new URL(link).searchParams.get("token") ?? "";
    const preview = await app.as("bob", "POST", "/api/organization/invitation/preview", { token });
    expect(preview.body.data).toMatchObject({ monthly_budget: 25_000_000 });
    const budgetsOf = async () =>
      (await app.as("alice", "GET", `/api/organization/${id}/budgets`)).body.data as object[];
    expect(await budgetsOf()).toEqual([]);
    expect((await app.accept("bob", token)).body.success).toBe(true);
    const expected = { scope: "member", scope_id: app.who("bob").id, period: "month", limit: 25_000_000 };
    expect(await budgetsOf()).toMatchObject([{ ...expected, is_hard: true, spent: 0 }]);
    // Who comes back keeps the budget of before.
    await app.as("alice", "DELETE", `/api/organization/${id}/members/${app.who("bob").id}`);
    const again = (await invite("alice", { monthly_budget: 50_000_000 })).body.data as { link: string };
    await app.accept("bob", new URL(again.link).searchParams.get("token") ?? "");
    expect((await budgetsOf()).length).toBe(1);
  });

  test("are mailed, listed and revoked by those who manage members", async () => {
    const id = await app.create("alice", "mailing");
    await app.addMember("alice", id, "carol", "viewer");
    const post = (by: string, body: object) => app.as(by, "POST", `/api/organization/${id}/invitations`, body);
    expect((await post("carol", { role: "viewer" })).status).toBe(403);
    expect((await app.as("carol", "GET", `/api/organization/${id}/invitations`)).status).toBe(403);
    expect((await post("alice", { role: "owner" })).body.code).toBe("organization_invite_no_owner");
    expect((await post("alice", { role: "viewer", email: "nonsense" })).body.code).toBe("email_invalid");
    const mailed = await post("alice", { role: "billing", email: "dave@example.org" });
    expect(mailed.body.data).toMatchObject({ link: null });
    const mail = app.mails.at(-1);
    expect(mail).toMatchObject({ to: "dave@example.org", subject: expect.stringContaining("The mailing") });
    const link = /https?:\/\/\S+/.exec(mail?.text ?? "")?.[0] ?? "";
    const token = new URL(link).searchParams.get("token") ?? "";
    expect(link).toStartWith("http://gateway.test/organization/join?token=");
    const listed = (await app.as("alice", "GET", `/api/organization/${id}/invitations`)).body.data as { id: number }[];
    expect(listed).toMatchObject([{ role: "billing", email: "dave@example.org", created_by: "alice" }]);
    expect(JSON.stringify(listed)).not.toContain(token);
    const other = await app.create("bob", "elsewhere");
    const revoke = (by: string, organization: number) =>
      app.as(by, "DELETE", `/api/organization/${organization}/invitations/${listed[0]?.id}`);
    expect((await revoke("bob", other)).body.code).toBe("organization_invitation_invalid");
    expect((await revoke("carol", id)).status).toBe(403);
    expect((await revoke("alice", id)).body.success).toBe(true);
    expect((await app.accept("dave", token)).body.code).toBe("organization_invitation_invalid");
  });

  test("are void once whoever invited may not invite any more", async () => {
    const id = await app.create("alice", "revoked");
    await app.addMember("alice", id, "bob", "admin");
    const token = await app.invite("bob", id, "admin");
    expect((await app.as("carol", "POST", "/api/organization/invitation/preview", { token })).body.success).toBe(true);
    const userId = app.who("bob").id;
    await app.as("alice", "PUT", `/api/organization/${id}/members/${userId}`, { role: "developer" });
    expect((await app.accept("carol", token)).body.code).toBe("organization_invitation_invalid");
    await app.as("alice", "DELETE", `/api/organization/${id}/members/${userId}`);
    expect((await app.accept("bob", token)).body.code).toBe("organization_invitation_invalid");
    expect(await membersOf(id)).toHaveLength(1);
  });

  test("expire", async () => {
    const id = await app.create("alice", "late");
    const token = await app.invite("alice", id, "viewer");
    await app.db
      .update(organizationInvitations)
      .set({ expiresAt: nowSeconds() - 1 })
      .where(eq(organizationInvitations.organizationId, id));
    expect((await app.accept("bob", token)).body.code).toBe("organization_invitation_invalid");
  });
});

describe("transfers", () => {
  test("move quota to the organization and, for owners, back; the books agree", async () => {
    const id = await app.create("alice", "wallet");
    await app.addMember("alice", id, "bob", "admin");
    await app.addMember("alice", id, "dave", "billing");
    for (const name of ["alice", "dave", "bob"]) {
      await app.db.insert(logs).values({
        ...{ createdAt: nowSeconds(), type: 3, userId: app.who("bob").id, username: "bob" },
        other: JSON.stringify({ user_id: app.who(name).id, quota_delta: 1000 }),
      });
      await app.giveQuota(app.who(name).id, 1000);
    }
    const move = (by: string, quota: number, direction: string) =>
      app.as(by, "POST", `/api/organization/${id}/transfer`, { quota, direction });
    const balances = async () =>
      Promise.all([app.who("alice").id, app.who("dave").id, id].map(async (one) => (await app.rowOf(one)).quota));
    expect((await move("alice", 600, "in")).body.success).toBe(true);
    expect((await move("dave", 1000, "in")).body.success).toBe(true);
    expect(await balances()).toEqual([400, 0, 1600]);
    expect((await move("dave", 1, "in")).body.code).toBe("organization_transfer_too_large");
    expect((await move("dave", 1, "out")).status).toBe(403);
    expect((await move("bob", 1, "in")).status).toBe(403);
    expect((await move("alice", 1601, "out")).body.code).toBe("organization_transfer_too_large");
    for (const quota of [0, -5, 0.5, 1e300]) {
      expect((await move("alice", quota, "out")).body.code).toBe("organization_transfer_invalid");
    }
    expect((await move("alice", 1600, "out")).body.success).toBe(true);
    expect(await balances()).toEqual([2000, 0, 0]);
    expect((await checkBooks(app.db, "balances", 0, nowSeconds())).wrong).toEqual([]);
    expect((await checkBooks(app.db, "holds", 0, nowSeconds())).wrong).toEqual([]);
  });
});

describe("nobody signs in to an organization", () => {
  let id: number;
  beforeAll(async () => {
    id = await app.create("alice", "closed");
  });

  test("the database takes no password, access token, address or role for it", async () => {
    for (const values of [
      { passwordHash: "$argon2id$x" },
      { accessTokenHash: "hash-of-closed" },
      { email: "closed@example.org" },
      { role: 100 },
    ]) {
      expect(
        app.db
          .update(users)
          .set(values)
          .where(eq(users.id, id))
          .then(() => "stored"),
      ).rejects.toThrow();
    }
  });

  test("by a password, old or new, or a reset", async () => {
    for (const password of [TEST_PASSWORD, " ", "closed"]) {
      const answer = await app.ask("POST", "/api/user/login", { username: "closed", password });
      expect(answer.body.code).toBe("login_failed");
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(resetPassword(app, "closed")).rejects.toThrow("there is no user named closed");
  });

  test("by an administrator who gives it a password or a role", async () => {
    await app.addUser("chief", "root");
    const chief = await app.login("chief");
    const put = await app.ask("PUT", "/api/user/", { id, password: "password-123" }, chief);
    expect(put.body.code).toBe("organization_no_sign_in");
    const promoted = await app.ask("POST", "/api/user/manage", { id, action: "promote" }, chief);
    expect(promoted.body.code).toBe("organization_no_sign_in");
    expect(await app.rowOf(id)).toMatchObject({ role: 1, passwordHash: null });
    const quota = await app.ask("PUT", "/api/user/", { id, quota_delta: 700 }, chief);
    expect(quota.body.success).toBe(true);
    expect((await app.rowOf(id)).quota).toBe(700);
  });

  test("by a session, an outside account or a passkey, even if one were bound to it", async () => {
    expect(app.sessions.start(id, { ip: "", userAgent: "" })).rejects.toMatchObject({
      code: "organization_no_sign_in",
    });
    await app.db.insert(identities).values({ provider: "github", subject: "closed", userId: id, createdAt: 1 });
    expect(await findBound(app.db, "github", "closed")).toBeNull();
    await app.db
      .insert(passkeys)
      .values({ id: "closed-key", userId: id, name: "key", publicKey: "AAAA", createdAt: 1 });
    const begun = await app.ask("POST", "/api/user/passkey/login/begin", {});
    const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
    const finished = await app.ask(
      "POST",
      "/api/user/passkey/login/finish",
      { id: "closed-key", rawId: "closed-key", type: "public-key", response: {}, clientExtensionResults: {} },
      { cookie },
    );
    expect(finished.body).toMatchObject({ success: false, code: "passkey_failed" });
  });
});
