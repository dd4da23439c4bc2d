/** Acting for an organization: who may, by which route, and that nothing of anybody else is seen, changed or charged. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hasRight, type OrganizationRight } from "../../../src/domain/accounts/organizations/rights.ts";
import { isForOrganizations } from "../../../ui/api/request.ts";
import { createChannel, login, type Session, setOptions } from "../../support/e2e/console-client.ts";
import {
  CHEAPEST_ENGINE,
  ENGINES,
  type FakeUpstream,
  type Gateway,
  setUp,
  startFakeUpstream,
  startOn,
} from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const PASSWORD = "some-password-1";
const MODEL = "gpt-4o";
const ROLES = ["owner", "admin", "billing", "developer", "viewer"] as const;
type Role = (typeof ROLES)[number];

/** Every route that can act for an organization. All others refuse the header: a new one needs a decision, and a line here. */
const ACCOUNT_ROUTES: Readonly<Record<string, OrganizationRight | readonly OrganizationRight[]>> = {
  "GET /api/token/": "keys.read",
  "GET /api/token/search": "keys.read",
  "GET /api/token/{id}": "keys.read",
  "GET /api/device/request": "keys.write",
  "POST /api/device/approve": "keys.write",
  "POST /api/device/deny": "keys.write",
  "POST /api/applications/request": "keys.write",
  "POST /api/applications/approve": "keys.write",
  "POST /api/applications/deny": "keys.write",
  "POST /api/token/": "keys.write",
  "PUT /api/token/": "keys.write",
  "POST /api/token/{id}/rotate": "keys.write",
  "DELETE /api/token/{id}": "keys.write",
  "GET /api/provider_keys/": "keys.read",
  "GET /api/provider_keys/offer": "keys.read",
  "POST /api/provider_keys/": "keys.all",
  "PUT /api/provider_keys/{id}": "keys.all",
  "DELETE /api/provider_keys/{id}": "keys.all",
  "POST /api/provider_keys/{id}/test": "keys.all",
  "GET /api/mcp_sign_ins/": "keys.read",
  "POST /api/mcp_sign_ins/{id}/start": "keys.all",
  "DELETE /api/mcp_sign_ins/{id}": "keys.all",
  "GET /api/alerts/destinations": "alerts.manage",
  "POST /api/alerts/destinations": "alerts.manage",
  "PUT /api/alerts/destinations/{id}": "alerts.manage",
  "DELETE /api/alerts/destinations/{id}": "alerts.manage",
  "POST /api/alerts/destinations/{id}/test": "alerts.manage",
  "GET /api/alerts/deliveries": "alerts.manage",
  "POST /api/alerts/deliveries/{id}/resend": "alerts.manage",
  "GET /api/alerts/rules/": "alerts.manage",
  "POST /api/alerts/rules/": "alerts.manage",
  "PUT /api/alerts/rules/{id}": "alerts.manage",
  "DELETE /api/alerts/rules/{id}": "alerts.manage",
  "GET /api/audit/self": "audit.read",
  "GET /api/audit/self/export": ["audit.read", "exports.download"],
  "GET /api/log/self": "requests.read",
  "GET /api/failures/self": "requests.read",
  "POST /api/failures/self": "alerts.manage",
  "GET /api/sessions/self": "requests.read",
  "GET /api/sessions/self/one": "requests.read",
  "GET /api/user/plans": "wallet.read",
  "GET /api/user/subscriptions": "wallet.read",
  "GET /api/user/subscriptions/change": "wallet.read",
  "GET /api/user/coupon": "wallet.topUp",
  "POST /api/user/subscriptions/checkout": "wallet.topUp",
  "POST /api/user/subscriptions/order": "wallet.topUp",
  "POST /api/user/subscriptions/next": "wallet.topUp",
  "POST /api/user/subscriptions/portal": "wallet.topUp",
  "POST /api/user/subscriptions": "wallet.topUp",
  "PUT /api/user/subscriptions": "wallet.topUp",
  "GET /api/user/statements": "wallet.read",
  "GET /api/user/statements/draft": "wallet.read",
  "GET /api/user/statements/one": "wallet.read",
  "GET /api/user/statements/file": ["wallet.read", "exports.download"],
  "GET /api/user/movements": ["wallet.read", "exports.download"],
  "GET /api/user/billing_profile": "wallet.read",
  "PUT /api/user/billing_profile": "wallet.topUp",
  "GET /api/log/self/search": "requests.read",
  "GET /api/log/self/stat": "usage.read",
  "GET /api/log/self/histogram": "usage.read",
  "GET /api/log/self/export": ["requests.read", "exports.download"],
  "GET /api/log-archives/self": "requests.read",
  "GET /api/log-archives/self/rows": "requests.read",
  "GET /api/log-archives/self/export": ["requests.read", "exports.download"],
  "GET /api/data/self": "usage.read",
  "GET /api/data/self/overview": "usage.read",
  "GET /api/data/self/series": "usage.read",
  "GET /api/data/self/pace": "usage.read",
  "GET /api/response_cache/self": "usage.read",
  "GET /api/mj/self": "requests.read",
  "GET /api/task/self": "requests.read",
  "POST /api/user/self/download": "organization.read",
  "GET /api/user/self/groups": "organization.read",
  "GET /api/user/models": "organization.read",
  "GET /api/user/topup/ways": "wallet.read",
  "GET /api/user/topup/orders": "wallet.read",
  "GET /api/user/auto_top_up": "wallet.read",
  "PUT /api/user/auto_top_up": "wallet.topUp",
  "POST /api/user/auto_top_up/resume": "wallet.topUp",
  "POST /api/user/auto_top_up/card": "wallet.topUp",
  "POST /api/user/auto_top_up/card/confirm": "wallet.topUp",
  "DELETE /api/user/auto_top_up/card": "wallet.topUp",
  "POST /api/user/amount": "wallet.topUp",
  "POST /api/user/pay": "wallet.topUp",
  "POST /api/user/topup": "wallet.topUp",
};

test("the console acts for the organization with every one of them", () => {
  const paths = Object.keys(ACCOUNT_ROUTES).map((route) => (route.split(" ")[1] ?? "").replace(/\{[^}]+\}/g, "7"));
  // Pages with alerts say themselves whose they show.
  const others = paths.filter((path) => !path.startsWith("/api/alerts/"));
  expect(others.filter((path) => !isForOrganizations(path))).toEqual([]);
});

type Reply = { status: number; success: boolean | undefined; code: string | undefined; text: string };

describe.each(ENGINES)("organizations on %s", (engine) => {
  let gateway: Gateway;
  let upstream: FakeUpstream;
  let root: Session;
  let organization: number;
  let elsewhere: number;
  const members = new Map<Role, Session>();
  let outsider: Session;

  const as = async (session: Session | null, method: string, path: string, body?: object, header?: number | string) => {
    const reply = await fetch(gateway.url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(session && { cookie: session.cookie, "sluice-user": String(session.userId) }),
        ...(body && { "content-type": "application/json" }),
        ...(header !== undefined && { "Sluice-Organization": String(header) }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    const isJson = reply.headers.get("content-type")?.startsWith("application/json") ?? false;
    const { success, code } = isJson ? (JSON.parse(text) as { success?: boolean; code?: string }) : {};
    return { status: reply.status, success, code, text } satisfies Reply;
  };
  const dataOf = ({ text }: Reply) => JSON.parse(text).data;
  const member = (role: Role): Session => {
    const session = members.get(role);
    if (!session) throw new Error(`there is no ${role}`);
    return session;
  };
  const addPerson = async (name: string): Promise<Session> => {
    await root.post("/api/user/", { username: name, password: PASSWORD });
    return login(gateway, name, PASSWORD);
  };
  const giveQuota = (id: number, quota: number) => root.put("/api/user/", { id, quota_delta: quota });
  const quotaOf = async (id: number): Promise<number> => (await root.get(`/api/user/${id}`)).quota;
  const chat = (key: string, model = MODEL) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
    });

  beforeAll(async () => {
    const unlimited = { GLOBAL_API_RATE_LIMIT_ENABLE: "false", CRITICAL_RATE_LIMIT_ENABLE: "false" };
    upstream = startFakeUpstream();
    gateway = await startOn(engine, { env: unlimited });
    root = await setUp(gateway);
    await createChannel(root, upstream.url, [MODEL]);
    await setOptions(root, { Organizations: "on", ModelRatio: { [MODEL]: 1 } });
    for (const role of ROLES) members.set(role, await addPerson(`o-${role}`));
    outsider = await addPerson("o-outsider");
    organization = (await member("owner").post("/api/organization/", { username: "ours" })).id;
    elsewhere = (await outsider.post("/api/organization/", { username: "theirs" })).id;
    for (const role of ROLES.slice(1)) {
      const { link } = await member("owner").post(`/api/organization/${organization}/invitations`, { role });
      await member(role).post("/api/organization/invitation/accept", {
        token: new URL(link).searchParams.get("token"),
      });
    }
  }, 120_000);
  afterAll(async () => {
    upstream.release();
    await upstream.stop();
    await gateway.stop();
  });

  // The guard of a route decides before the database has a say.
  test.if(engine === CHEAPEST_ENGINE)(
    "every route either names a right or refuses to act for an organization",
    async () => {
      const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { security?: Record<string, unknown>[] }>>;
      };
      const guarded = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { security }]) =>
          path.startsWith("/api/") && security?.[0] ? [`${method.toUpperCase()} ${path}`] : [],
        ),
      );
      expect(Object.keys(ACCOUNT_ROUTES).filter((route) => !guarded.includes(route))).toEqual([]);
      const callers: readonly (readonly [string, Session | null, Role | null])[] = [
        ["nobody", null, null],
        ["somebody else", outsider, null],
        ["an administrator", root, null],
        ...ROLES.map((role) => [role, member(role), role] as const),
      ];
      const wrong: string[] = [];
      for (const route of guarded) {
        const [method = "", path = ""] = route.split(" ");
        const address = path.replace(/\{[^}]+\}/g, "999999999");
        const right = ACCOUNT_ROUTES[route];
        for (const [name, session, role] of callers) {
          const reply = await as(session, method, address, method === "GET" ? undefined : {}, organization);
          const note = `${name}: ${route} → ${reply.status} ${reply.code}`;
          if (!session) {
            if (reply.status !== 401) wrong.push(note);
          } else if (!right) {
            if (reply.status !== 400 || reply.code !== "organization_not_here") wrong.push(note);
          } else if (!role) {
            if (reply.status !== 403 || reply.code !== "organization_not_member") wrong.push(note);
          } else if ([right].flat().every((one) => hasRight(role, one))) {
            if (reply.status === 401 || reply.status === 403 || reply.status >= 500) wrong.push(note);
          } else if (reply.status !== 403 || reply.code !== "organization_right_missing") wrong.push(note);
        }
      }
      expect(wrong).toEqual([]);
      expect(guarded.length).toBeGreaterThan(120);
    },
    240_000,
  );

  test("an organization that does not exist, or is none, looks like one that somebody else has", async () => {
    const person = member("viewer").userId;
    for (const id of [elsewhere, 999_999_999, person, root.userId]) {
      const reply = await as(member("owner"), "GET", "/api/log/self", undefined, id);
      expect([reply.status, reply.code]).toEqual([403, "organization_not_member"]);
    }
    for (const header of ["", "0", "-1", "1.5", "x", "1,2", "99999999999"]) {
      const reply = await as(member("owner"), "GET", "/api/log/self", undefined, header);
      expect([header, reply.status, reply.code]).toEqual([header, 400, "organization_header_malformed"]);
    }
  });

  test("keys of an organization are its own: not of the members, and of no other organization", async () => {
    const mine = dataOf(await as(member("owner"), "POST", "/api/token/", { name: "personal" }));
    const theirs = dataOf(await as(outsider, "POST", "/api/token/", { name: "theirs" }, elsewhere));
    const ours = dataOf(await as(member("owner"), "POST", "/api/token/", { name: "ours" }, organization));
    expect(ours).toMatchObject({ user_id: organization, created_by: member("owner").userId });
    expect(mine).toMatchObject({ user_id: member("owner").userId, created_by: 0 });
    const names = async (session: Session, header?: number) =>
      dataOf(await as(session, "GET", "/api/token/?p=0&size=100", undefined, header)).map(
        ({ name }: { name: string }) => name,
      );
    expect(await names(member("owner"))).toEqual(["personal"]);
    expect(await names(member("owner"), organization)).toEqual(["ours"]);
    for (const id of [mine.id, theirs.id]) {
      for (const [method, path, body] of [
        ["GET", `/api/token/${id}`, undefined],
        ["PUT", "/api/token/", { id, name: "changed" }],
        ["PUT", "/api/token/?status_only=1", { id, status: 2 }],
        ["POST", `/api/token/${id}/rotate`, { grace_seconds: 0 }],
        ["DELETE", `/api/token/${id}`, undefined],
      ] as const) {
        const reply = await as(member("owner"), method, path, body, organization);
        expect([method, reply.code]).toEqual([method, "token_not_found"]);
      }
    }
    for (const session of [member("owner"), outsider]) {
      expect((await as(session, "GET", `/api/token/${ours.id}`)).code).toBe("token_not_found");
    }
  });

  test("provider keys of an organization are its own, and only who manages all keys changes them", async () => {
    await setOptions(root, { ProviderKeys: "stored" });
    const key = { provider: "openai", key: "sk-a-provider-key", models: ["*"], mode: "first", enabled: true };
    const add = (session: Session, name: string, header?: number) =>
      as(session, "POST", "/api/provider_keys/", { ...key, name }, header);
    const mine = dataOf(await add(member("owner"), "personal"));
    const theirs = dataOf(await add(outsider, "theirs", elsewhere));
    const ours = dataOf(await add(member("owner"), "ours", organization));
    for (const role of ["developer", "viewer", "billing"] as const)
      expect((await add(member(role), "no", organization)).status).toBe(403);
    const names = async (session: Session, header?: number) =>
      dataOf(await as(session, "GET", "/api/provider_keys/", undefined, header)).map(
        ({ name }: { name: string }) => name,
      );
    expect(await names(member("owner"))).toEqual(["personal"]);
    expect(await names(member("developer"), organization)).toEqual(["ours"]);
    expect(await names(outsider, elsewhere)).toEqual(["theirs"]);
    for (const [session, id, header] of [
      [member("owner"), mine.id, organization],
      [member("owner"), theirs.id, organization],
      [outsider, ours.id, elsewhere],
      [member("owner"), ours.id, undefined],
    ] as const) {
      for (const [method, path, body] of [
        ["PUT", `/api/provider_keys/${id}`, { ...key, name: "changed" }],
        ["POST", `/api/provider_keys/${id}/test`, undefined],
        ["DELETE", `/api/provider_keys/${id}`, undefined],
      ] as const) {
        const reply = await as(session, method, path, body, header);
        expect([method, reply.code]).toEqual([method, "provider_key_not_found"]);
      }
    }
    await setOptions(root, { ProviderKeys: "off" });
  });

  test("developers reach their own keys, admins all, and others see no secret", async () => {
    const owned = dataOf(await as(member("owner"), "POST", "/api/token/", { name: "owned" }, organization));
    const developed = dataOf(await as(member("developer"), "POST", "/api/token/", { name: "developed" }, organization));
    const seen = async (role: Role) => {
      const items = dataOf(await as(member(role), "GET", "/api/token/?p=0&size=100", undefined, organization));
      return new Map<string, string>(items.map(({ name, key }: { name: string; key: string }) => [name, key]));
    };
    expect([...(await seen("developer")).keys()]).toEqual(["developed"]);
    expect((await as(member("developer"), "GET", `/api/token/${owned.id}`, undefined, organization)).code).toBe(
      "token_not_found",
    );
    const update = { id: owned.id, name: "taken" };
    expect((await as(member("developer"), "PUT", "/api/token/", update, organization)).code).toBe("token_not_found");
    expect((await as(member("developer"), "DELETE", `/api/token/${owned.id}`, undefined, organization)).code).toBe(
      "token_not_found",
    );
    expect((await seen("admin")).get("developed")).toBe(developed.key);
    for (const role of ["billing", "viewer"] as const) {
      const list = await as(member(role), "GET", "/api/token/?p=0&size=100", undefined, organization);
      expect((await seen(role)).size).toBeGreaterThanOrEqual(2);
      const one = await as(member(role), "GET", `/api/token/${owned.id}`, undefined, organization);
      for (const secret of [owned.key, developed.key]) expect(list.text + one.text).not.toContain(secret);
    }
    const rotated = await as(
      member("admin"),
      "POST",
      `/api/token/${developed.id}/rotate`,
      { grace_seconds: 0 },
      organization,
    );
    expect(rotated.success).toBe(true);
  });

  test("calls with its key are charged to it, are in its log for members, and in nobody's own", async () => {
    await giveQuota(organization, 1_000_000);
    const { id, key } = dataOf(
      await as(member("developer"), "POST", "/api/token/", { name: "calls", unlimited_quota: true }, organization),
    );
    const before = await quotaOf(organization);
    expect((await chat(key)).status).toBe(200);
    await until(async () => (await quotaOf(organization)) < before);
    const charged = before - (await quotaOf(organization));
    for (const role of ROLES) {
      const page = dataOf(await as(member(role), "GET", "/api/log/self?type=2", undefined, organization));
      expect(page.items).toMatchObject([{ user_id: organization, token_id: id, quota: charged, username: "ours" }]);
      expect(dataOf(await as(member(role), "GET", "/api/log/self?type=2")).items).toEqual([]);
      expect(await quotaOf(member(role).userId)).toBe(0);
    }
    const elsewhereLog = dataOf(await as(outsider, "GET", "/api/log/self?type=2", undefined, elsewhere));
    expect(elsewhereLog.items).toEqual([]);
    const { address } = dataOf(
      await as(member("viewer"), "POST", "/api/user/self/download", { address: "/api/log/self/export" }, organization),
    );
    const file = await as(member("viewer"), "GET", address);
    expect(file.text).toContain("calls");
    expect((await as(member("viewer"), "GET", address)).status).toBe(401);
    // The ticket of one member is no other's.
    const again = dataOf(
      await as(member("viewer"), "POST", "/api/user/self/download", { address: "/api/log/self/export" }, organization),
    );
    expect((await as(outsider, "GET", again.address)).status).toBe(401);
  });

  test("what calls cost the operator is in no answer to members, only in those to administrators", async () => {
    await createChannel(root, upstream.url, ["costly"], { setting: JSON.stringify({ cost_ratio: 0.123 }) });
    await setOptions(root, { ModelRatio: { [MODEL]: 1, costly: 1000 } });
    await giveQuota(organization, 100_000_000);
    const { key } = dataOf(
      await as(member("owner"), "POST", "/api/token/", { name: "costs", unlimited_quota: true }, organization),
    );
    const reply = await chat(key, "costly");
    expect(reply.status).toBe(200);
    expect((await reply.text()) + JSON.stringify([...reply.headers])).not.toContain("cost_");
    const logged = () => as(root, "GET", "/api/log/?type=2&model_name=costly");
    await until(async () => dataOf(await logged()).items.length > 0);
    const cost = /"upstream_cost":(\d{3,})/.exec(JSON.parse((await logged()).text).data.items[0].other)?.[1] ?? "";
    expect(Number(cost)).toBeGreaterThan(0);
    expect(dataOf(await as(root, "GET", "/api/data/margins"))).toMatchObject([{ cost: Number(cost) }]);
    for (const route of Object.keys(ACCOUNT_ROUTES).filter((each) => each.startsWith("GET ") && !each.includes("{"))) {
      const { text } = await as(member("owner"), "GET", route.slice(4), undefined, organization);
      expect({ route, tells: text.includes("upstream_cost") || text.includes(cost) }).toEqual({ route, tells: false });
    }
    expect((await as(member("owner"), "GET", "/api/data/margins")).code).toBe("permission_denied");
  });

  test("a ticket for an organization opens no file of administrators", async () => {
    const { address } = dataOf(
      await as(member("owner"), "POST", "/api/user/self/download", { address: "/api/user/export" }, organization),
    );
    expect((await as(member("owner"), "GET", address)).code).toBe("permission_denied");
    const users = await as(root, "POST", "/api/user/self/download", { address: "/api/user/export" });
    expect((await as(root, "GET", dataOf(users).address)).text).toContain("o-owner");
  });

  test("the playground charges the organization, for those who may use it", async () => {
    const ask = (session: Session, header?: number) =>
      as(
        session,
        "POST",
        "/pg/chat/completions",
        { model: MODEL, messages: [{ role: "user", content: "Hi" }] },
        header,
      );
    const before = await quotaOf(organization);
    expect((await ask(member("developer"), organization)).status).toBe(200);
    await until(async () => (await quotaOf(organization)) < before);
    for (const role of ["billing", "viewer"] as const) expect((await ask(member(role), organization)).status).toBe(403);
    expect((await ask(outsider, organization)).status).toBe(403);
    expect((await ask(member("owner"), elsewhere)).status).toBe(403);
    expect((await ask(member("developer"))).status).toBe(429);
  });

  test("whoever is removed is out at once, and so are their keys", async () => {
    const leaver = await addPerson("o-leaver");
    const { link } = await member("admin").post(`/api/organization/${organization}/invitations`, { role: "developer" });
    await leaver.post("/api/organization/invitation/accept", { token: new URL(link).searchParams.get("token") });
    const { key } = dataOf(
      await as(leaver, "POST", "/api/token/", { name: "leaver", unlimited_quota: true }, organization),
    );
    const before = await quotaOf(organization);
    expect((await chat(key)).status).toBe(200);
    await until(async () => (await quotaOf(organization)) < before);
    await member("admin").delete(`/api/organization/${organization}/members/${leaver.userId}`);
    expect((await as(leaver, "GET", "/api/log/self", undefined, organization)).status).toBe(403);
    expect((await as(leaver, "POST", "/api/token/", { name: "late" }, organization)).status).toBe(403);
    await until(async () => (await chat(key)).status === 401);
  });

  test("wallets: codes and transfers go to the organization, gift codes to people", async () => {
    const [code] = await root.post("/api/redemption/", { name: "code", quota: 5000, count: 1 });
    const [gift] = await root.post("/api/redemption/", { name: "gift", quota: 7000, count: 1, is_gift: true });
    const redeem = (session: Session, key: string, header?: number) =>
      as(session, "POST", "/api/user/topup", { key }, header);
    const before = await quotaOf(organization);
    expect((await redeem(member("admin"), code, organization)).status).toBe(403);
    expect((await redeem(member("billing"), gift, organization)).code).toBe("redeem_gift_for_people");
    expect((await redeem(member("billing"), code, organization)).success).toBe(true);
    expect(await quotaOf(organization)).toBe(before + 5000);
    await giveQuota(member("owner").userId, 3000);
    const move = (direction: string, quota: number) =>
      member("owner").post(`/api/organization/${organization}/transfer`, { direction, quota });
    await move("in", 3000);
    await move("out", 1000);
    expect(await quotaOf(organization)).toBe(before + 7000);
    expect(await quotaOf(member("owner").userId)).toBe(1000);
  });

  test("a banned organization neither acts nor calls", async () => {
    const owner = await addPerson("o-banned");
    const { id } = await owner.post("/api/organization/", { username: "banned" });
    await giveQuota(id, 100_000);
    const { key } = dataOf(await as(owner, "POST", "/api/token/", { name: "b", unlimited_quota: true }, id));
    expect((await chat(key)).status).toBe(200);
    await root.post("/api/user/manage", { id, action: "disable" });
    await until(async () => (await chat(key)).status === 403);
    expect(await as(owner, "GET", "/api/log/self", undefined, id)).toMatchObject({
      status: 403,
      code: "organization_banned",
    });
  });

  test("where they are required, people create keys in organizations only; where they are off, nobody acts for one", async () => {
    await setOptions(root, { Organizations: "required" });
    expect((await as(member("owner"), "POST", "/api/token/", { name: "mine" })).code).toBe("organization_required");
    expect((await as(member("owner"), "POST", "/api/token/", { name: "ours" }, organization)).success).toBe(true);
    await setOptions(root, { Organizations: "off" });
    const reply = await as(member("owner"), "GET", "/api/log/self", undefined, organization);
    expect([reply.status, reply.code]).toEqual([400, "organizations_off"]);
    expect((await as(member("owner"), "POST", "/api/token/", { name: "mine" })).success).toBe(true);
    await setOptions(root, { Organizations: "on" });
  });
});
