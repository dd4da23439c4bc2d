/** Who gets which file of an organization, its projects, members and tags: by each role, directly and by a download link. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Right } from "../../../src/domain/accounts/access/access-rules.ts";
import { ACCESS_RIGHTS, type AccessRight, hasRight } from "../../../src/domain/accounts/organizations/rights.ts";
import { login, type Session, setOptions } from "../../support/e2e/console-client.ts";
import { CHEAPEST_ENGINE, type Fixture, startFixture } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { CALLERS, type CallerName, EXPORTS, type Export, type Ids, ROLES, SITE_EXPORTS } from "./listed-exports.ts";

const PASSWORD = "some-password-1";
const MODEL = "gpt-4o";
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

type Caller = Pick<Session, "cookie" | "userId"> | string;

/** `caller`: a session, or the token of a service account. */
async function ask(caller: Caller, method: string, path: string, body?: object, header?: number) {
  const reply = await fetch(fixture.gateway.url + path, {
    method,
    headers: {
      ...(typeof caller === "string"
        ? { authorization: `Bearer ${caller}` }
        : { cookie: caller.cookie, "sluice-user": String(caller.userId) }),
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
  fixture = await startFixture([MODEL], { engine: CHEAPEST_ENGINE, env: { CRITICAL_RATE_LIMIT_ENABLE: "false" } });
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
  const { address, rights, keys } = EXPORTS[name] as Export;
  test.each(CALLERS)("for %s", async (caller) => {
    const session = sessionOf(caller);
    const path = address(ids);
    const role = ROLES.find((one) => one === caller);
    const replies = [await ask(session, "GET", path, undefined, organization)];
    // Nobody else can ask for a link.
    if (role) replies.push(await ask(session, "GET", await linkTo(session, path, organization)));
    for (const reply of replies) {
      if (!role) expect([reply.status, reply.code]).toEqual([403, "organization_not_member"]);
      else if (!rights.every((right) => hasRight(role, right)))
        expect([reply.status, reply.code]).toEqual([403, "organization_right_missing"]);
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

/** Each right that has its own places, and one of them. */
const PLACES = {
  "usage.read": ["/api/data/self/overview", "/api/log/self/stat", "/api/data/self/series?by=project"],
  "requests.read": ["/api/log/self?type=2", "/api/sessions/self", "/api/log-archives/self"],
  "audit.read": ["/api/audit/self"],
} as const;
const READS = Object.keys(PLACES) as (keyof typeof PLACES)[];
const SCOPES = {
  "usage.read": "organization_usage:read",
  "requests.read": "organization_requests:read",
  "audit.read": "organization_audit:read",
  "exports.download": "organization_exports:read",
} as const satisfies Record<AccessRight, Right>;

/** The codes of all these places and of files, for somebody who asks for the organization. */
async function codesOf(session: Caller) {
  const codes: Record<string, string | undefined> = {};
  const files = ["/api/log/self/export", "/api/audit/self/export", "/api/user/movements?charges=call"];
  for (const path of [...READS.flatMap((right) => PLACES[right]), ...files]) {
    codes[path] = (await ask(session, "GET", path, undefined, organization)).code;
  }
  return codes;
}

/** What those see who may do only this. */
function expectedCodes(may: (right: AccessRight) => boolean, code: string) {
  const codes: Record<string, string | undefined> = {};
  for (const right of READS) for (const path of PLACES[right]) codes[path] = may(right) ? undefined : code;
  const file = (right: AccessRight) => (may(right) && may("exports.download") ? undefined : code);
  return {
    ...codes,
    "/api/log/self/export": file("requests.read"),
    "/api/audit/self/export": file("audit.read"),
    "/api/user/movements?charges=call": file("requests.read"),
  };
}

test.each(ACCESS_RIGHTS)("%s can be withheld from a member alone, and is given back", async (right) => {
  const owner = sessionOf("owner");
  const billing = sessionOf("billing");
  const place = `/api/organization/${organization}/members/${billing.userId}/access`;
  await owner.put(place, { withheld: [right] });
  expect(await codesOf(billing)).toEqual(expectedCodes((one) => one !== right, "organization_right_missing"));
  const [{ rights }] = await billing.get("/api/organization/");
  expect(rights).not.toContain(right);
  await owner.put(place, { withheld: [] });
  expect(await codesOf(billing)).toEqual(expectedCodes(() => true, ""));
});

test("nobody withholds from owners, from themselves, or without the right to", async () => {
  const refused = async (by: CallerName, of: CallerName, withheld = ["usage.read"]) => {
    const place = `/api/organization/${organization}/members/${sessionOf(of).userId}/access`;
    return (await ask(sessionOf(by), "PUT", place, { withheld })).code;
  };
  expect(await refused("owner", "owner")).toBe("organization_owner_access");
  expect(await refused("admin", "owner")).toBe("organization_owners_only");
  expect(await refused("admin", "admin")).toBe("organization_own_access");
  expect(await refused("billing", "viewer")).toBe("organization_right_missing");
  expect(await refused("outsider", "viewer")).toBe("organization_not_found");
  expect(await refused("owner", "outsider")).toBe("organization_member_not_found");
  expect(await refused("owner", "viewer", ["wallet.read"])).toBe("invalid_request");
});

test.each(ACCESS_RIGHTS)("a service account has %s by a right of its own", async (right) => {
  const { root } = fixture;
  const only = await root.post("/api/service_account/", {
    ...{ name: `only-${right}`, rights: [SCOPES[right]], expires_time: 0 },
  });
  expect(await codesOf(only.token)).toEqual(expectedCodes((one) => one === right, "right_missing"));
  const others = await root.post("/api/service_account/", {
    name: `not-${right}`,
    rights: ["organizations:write", ...ACCESS_RIGHTS.filter((one) => one !== right).map((one) => SCOPES[one])],
    expires_time: 0,
  });
  expect(await codesOf(others.token)).toEqual(expectedCodes((one) => one !== right, "right_missing"));
});

test("the log of those without the right to the audit log has no entry of it, in no way of asking", async () => {
  for (const caller of ["developer", "owner"] as const) {
    const session = sessionOf(caller);
    const entries = async (path: string) => (await ask(session, "GET", path, undefined, organization)).data;
    const isSeen = caller === "owner";
    expect((await entries("/api/log/self?type=3")).total > 0).toBe(isSeen);
    expect((await entries("/api/log/self?type=3")).items.length > 0).toBe(isSeen);
    expect((await entries("/api/log/self/search?keyword=3")).length > 0).toBe(isSeen);
    const all = (await entries("/api/log/self?page_size=100")).items.map(({ type }: { type: number }) => type);
    expect(all.includes(3)).toBe(isSeen);
    const file = await ask(session, "GET", "/api/log/self/export", undefined, organization);
    expect(file.text.includes("created the API key")).toBe(isSeen);
  }
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
