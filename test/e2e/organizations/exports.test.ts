/** Who gets which file of an organization, its projects, members and tags: by each role, directly and by a download link. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hasRight, type OrganizationRight } from "../../../src/domain/accounts/organizations/rights.ts";
import { login, type Session, setOptions } from "../../support/e2e/console-client.ts";
import { type Fixture, startFixture } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const PASSWORD = "some-password-1";
const MODEL = "gpt-4o";
const ROLES = ["owner", "admin", "billing", "developer", "viewer"] as const;
const CALLERS = [...ROLES, "outsider"] as const;
type CallerName = (typeof CALLERS)[number];

/** Ids that addresses name. */
type Ids = Readonly<{ project: number; theirProject: number; theirs: number } & Record<CallerName, number>>;

type Export = Readonly<{
  address: (ids: Ids) => string;
  right: OrganizationRight;
  /** The API keys whose calls are in the file; absent: it is about no calls. */
  keys?: readonly string[];
}>;

const calls = (filter: (ids: Ids) => string, keys: readonly string[]): Export => ({
  address: (ids) => `/api/log/self/export?type=2${filter(ids)}`,
  right: "logs.read",
  keys,
});
const archived = (filter: (ids: Ids) => string): Export => ({
  address: (ids) => `/api/log-archives/self/export?month=2020-01${filter(ids)}`,
  right: "logs.read",
  keys: [],
});
const wallet = (address: string): Export => ({ address: () => address, right: "wallet.read" });

const EXPORTS: Readonly<Record<string, Export>> = {
  "requests of the organization": calls(() => "", ["at-large", "in-project"]),
  "requests of a project": calls(({ project }) => `&project=${project}`, ["in-project"]),
  "requests of a member": calls(({ owner }) => `&member=${owner}`, ["at-large"]),
  "requests with a tag": calls(() => "&tag=alpha", ["in-project"]),
  "requests of another organization's project": calls(({ theirProject }) => `&project=${theirProject}`, []),
  "requests of somebody who is no member": calls(({ outsider }) => `&member=${outsider}`, []),
  "requests of another account": calls(
    ({ theirs }) => `&user_id=${theirs}&username=theirs`,
    ["at-large", "in-project"],
  ),
  "archived requests": archived(() => ""),
  "archived requests of a project": archived(({ project }) => `&project=${project}`),
  "everything that changed the balance": wallet("/api/user/movements"),
  "the charges of each call": wallet("/api/user/movements?charges=call"),
  "the statement of the month as CSV": wallet("/api/user/statements/file?id=draft&format=csv"),
  "the statement of the month as PDF": wallet("/api/user/statements/file?id=draft&format=pdf"),
};

/** Files about the site, and the right of administrators that each needs. */
const SITE_EXPORTS = {
  "/api/log/export": "logs:read",
  "/api/log-archives/export?month=2020-01": "logs:read",
  "/api/user/export": "users:read",
  "/api/topup/export": "billing:read",
  "/api/redemption/export": "billing:read",
  "/api/audit/export": "audit:read",
} as const;

let fixture: Fixture;
let organization: number;
let ids: Ids;
const sessions = new Map<CallerName, Session>();
/** Right → somebody whose custom role has only this one. */
const holders = new Map<string, Session>();

const sessionOf = (name: CallerName): Session => {
  const session = sessions.get(name);
  if (!session) throw new Error(`there is no ${name}`);
  return session;
};

async function ask(session: Session, method: string, path: string, body?: object, header?: number) {
  const reply = await fetch(fixture.gateway.url + path, {
    method,
    headers: {
      ...{ cookie: session.cookie, "sluice-user": String(session.userId) },
      ...(body && { "content-type": "application/json" }),
      ...(header && { "Sluice-Organization": String(header) }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const isJson = reply.headers.get("content-type")?.startsWith("application/json") ?? false;
  const { success, code, data } = isJson ? JSON.parse(text) : { success: true, code: undefined, data: undefined };
  return { status: reply.status, isFile: !isJson, success, code, data, text };
}

/** A link to a file, which the browser opens without headers. */
const linkTo = async (session: Session, address: string, header?: number): Promise<string> =>
  (await ask(session, "POST", "/api/user/self/download", { address }, header)).data.address;

beforeAll(async () => {
  fixture = await startFixture([MODEL], { env: { CRITICAL_RATE_LIMIT_ENABLE: "false" } });
  const { root } = fixture;
  await setOptions(root, { Organizations: "on", ModelRatio: { [MODEL]: 1 } });
  for (const name of CALLERS) {
    await root.post("/api/user/", { username: `x-${name}`, password: PASSWORD });
    sessions.set(name, await login(fixture.gateway, `x-${name}`, PASSWORD));
  }
  for (const [at, right] of [...new Set(Object.values(SITE_EXPORTS))].entries()) {
    const username = `x-holder-${at}`;
    const { id } = await root.post("/api/user/", { username, password: PASSWORD });
    await root.post("/api/admin_role/", { name: right, rights: [right] });
    const role = (await root.get("/api/admin_role/")).find(({ name }: { name: string }) => name === right);
    await root.put(`/api/admin_role/users/${id}`, { role_id: role.id });
    holders.set(right, await login(fixture.gateway, username, PASSWORD));
  }
  const owner = sessionOf("owner");
  organization = (await owner.post("/api/organization/", { username: "ours" })).id;
  const theirs = (await sessionOf("outsider").post("/api/organization/", { username: "theirs" })).id;
  for (const role of ROLES.slice(1)) {
    const { link } = await owner.post(`/api/organization/${organization}/invitations`, { role });
    const token = new URL(link).searchParams.get("token");
    await sessionOf(role).post("/api/organization/invitation/accept", { token });
  }
  const createProject = async (session: Session, id: number) =>
    (await session.post(`/api/organization/${id}/projects`, { name: "Website" })).id;
  const people = Object.fromEntries(CALLERS.map((name) => [name, sessionOf(name).userId]));
  const project = await createProject(owner, organization);
  const theirProject = await createProject(sessionOf("outsider"), theirs);
  ids = { ...(people as Record<CallerName, number>), project, theirProject, theirs };
  const use = async (session: Session, account: number, name: string, tag: string, project_id = 0) => {
    await root.put("/api/user/", { id: account, quota_delta: 1_000_000 });
    const { key } = (await ask(session, "POST", "/api/token/", { name, unlimited_quota: true, project_id }, account))
      .data;
    const reply = await fetch(`${fixture.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json", "x-sluice-tags": tag },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hi" }] }),
    });
    expect(reply.status).toBe(200);
  };
  await use(owner, organization, "at-large", "beta");
  await use(sessionOf("developer"), organization, "in-project", "alpha", project);
  await use(sessionOf("outsider"), theirs, "foreign", "alpha", theirProject);
  await until(async () => (await root.get("/api/log/?type=2")).total === 3);
}, 120_000);
afterAll(() => fixture.stop());

const keysIn = (csv: string): string[] => ["at-large", "in-project", "foreign"].filter((name) => csv.includes(name));

describe.each(Object.keys(EXPORTS))("%s", (name) => {
  const { address, right, keys } = EXPORTS[name] as Export;
  test.each(CALLERS)("for %s", async (caller) => {
    const session = sessionOf(caller);
    const path = address(ids);
    const role = ROLES.find((one) => one === caller);
    const replies = [await ask(session, "GET", path, undefined, organization)];
    // Nobody else can ask for a link.
    if (role) replies.push(await ask(session, "GET", await linkTo(session, path, organization)));
    for (const reply of replies) {
      if (!role) expect([reply.status, reply.code]).toEqual([403, "organization_not_member"]);
      else if (!hasRight(role, right)) expect([reply.status, reply.code]).toEqual([403, "organization_right_missing"]);
      else {
        expect([reply.status, reply.isFile]).toEqual([200, true]);
        if (keys) expect(keysIn(reply.text)).toEqual([...keys]);
        expect(reply.text).not.toContain("foreign");
      }
    }
    // For themselves: what is theirs, which is nothing.
    const own = await ask(session, "GET", path);
    expect([own.status, own.isFile]).toEqual([200, true]);
    expect(keysIn(own.text)).toEqual([]);
  });
});

test("a link does not outlive the right: with another role, or without one, it opens nothing", async () => {
  const owner = sessionOf("owner");
  const viewer = sessionOf("viewer");
  const place = `/api/organization/${organization}/members/${viewer.userId}`;
  const [movements, requests] = [
    await linkTo(viewer, "/api/user/movements", organization),
    await linkTo(viewer, "/api/log/self/export", organization),
  ];
  await owner.put(place, { role: "developer" });
  expect((await ask(viewer, "GET", movements)).code).toBe("organization_right_missing");
  await owner.delete(place);
  expect((await ask(viewer, "GET", requests)).code).toBe("organization_not_member");
});

describe.each(Object.entries(SITE_EXPORTS))("%s of the site", (path, right) => {
  test("is for no role of an organization, neither for itself nor for the organization", async () => {
    for (const role of ROLES.slice(0, 4)) {
      const session = sessionOf(role);
      expect((await ask(session, "GET", path)).code).toBe("permission_denied");
      expect((await ask(session, "GET", path, undefined, organization)).code).toBe("organization_not_here");
      expect((await ask(session, "GET", await linkTo(session, path, organization))).code).toBe("permission_denied");
    }
  });

  test.each([...new Set(Object.values(SITE_EXPORTS))])("for an administrator with the right %s", async (held) => {
    const holder = holders.get(held);
    if (!holder) throw new Error(`nobody has ${held}`);
    for (const reply of [await ask(holder, "GET", path), await ask(holder, "GET", await linkTo(holder, path))]) {
      if (held === right) expect([reply.status, reply.isFile]).toEqual([200, true]);
      else expect([reply.status, reply.code]).toEqual([403, "right_missing"]);
    }
  });
});
