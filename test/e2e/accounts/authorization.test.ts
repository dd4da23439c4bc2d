/** Who may call what, asked of every route there is: a new route without a guard, or with the wrong one, fails here. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { login, type Session } from "../../support/e2e/console-client.ts";
import { CHEAPEST_ENGINE, type Gateway, setUp, startOn } from "../../support/e2e/fixture.ts";
import { ROUTES_OF_RIGHTS } from "../../support/e2e/route-rights.ts";

type Role = "user" | "admin" | "root";
type Call = Readonly<{ method: string; path: string; role: Role | null }>;

/** Open to everybody, each for its reason: what comes before signing in, public texts, services that call back, and what API keys ask. */
const OPEN: readonly string[] = [
  "GET /api/about",
  "GET /api/configuration/schema.json",
  "GET /api/doctor/stream",
  "GET /api/home_page_content",
  "GET /api/log/token",
  "GET /api/notice",
  "GET /api/oauth/providers",
  "GET /api/oauth/state",
  "GET /api/oauth/telegram/login",
  "GET /api/oauth/telegram/start",
  "GET /api/oauth/wechat",
  "GET /api/oauth/{provider}",
  "GET /api/oauth/{provider}/start",
  "GET /api/pricing",
  "GET /api/pricing/changes",
  "GET /api/pricing/groups",
  "GET /api/pricing/model",
  "GET /api/pricing/models",
  "GET /api/reset_password",
  "GET /api/setup/",
  "GET /api/status",
  "GET /api/status/models",
  "GET /api/usage/token",
  "GET /api/user/epay/notify",
  "GET /api/user/groups",
  "GET /api/user/logout",
  "GET /api/verification",
  "POST /api/device/code",
  "POST /api/device/revoke",
  "POST /api/device/token",
  "POST /api/key-leaks/report",
  "POST /api/paypal/webhook",
  "POST /api/setup/",
  "POST /api/stripe/webhook",
  "POST /api/user/alipay/notify",
  "POST /api/user/epay/notify",
  "POST /api/user/login",
  "POST /api/user/login/2fa",
  "POST /api/user/logout",
  "POST /api/user/passkey/login/begin",
  "POST /api/user/passkey/login/finish",
  "POST /api/user/register",
  "POST /api/user/reset",
  "POST /api/user/wechat/notify",
];

/** Whoever may call these is signed out by them. */
const ENDS_SESSIONS: readonly string[] = ["DELETE /api/user/self", "DELETE /api/user/sessions/{id}"];

/** Outside the management API, each for its reason: health, metrics, documents, results by their own secret address, responses that prove themselves. */
const OPEN_PATHS: readonly string[] = [
  ...["/healthz", "/readyz", "/metrics", "/mj/notify/{signed}", "/mj/image/{signed}"],
  ...["/saml/{provider}/metadata", "/saml/{provider}/acs"],
  // Applications authenticate with what they registered, redeem or give back.
  ...["/oauth/register", "/oauth/token", "/oauth/revoke", "/oauth/jwks"],
  ...["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"],
];

const RANK: Readonly<Record<Role, number>> = { user: 1, admin: 10, root: 100 };
const PASSWORD = "some-password-1";

describe("every route of the management API", () => {
  let gateway: Gateway;
  let calls: readonly Call[];
  /** Calls for API keys: everything outside the management API. */
  let relayed: readonly Omit<Call, "role">[];
  const sessions = new Map<Role, Session>();

  beforeAll(async () => {
    const unlimited = { GLOBAL_API_RATE_LIMIT_ENABLE: "false", CRITICAL_RATE_LIMIT_ENABLE: "false" };
    gateway = await startOn(CHEAPEST_ENGINE, { env: unlimited });
    const root = await setUp(gateway);
    for (const role of ["user", "admin"] as const) {
      await root.post("/api/user/", { username: `a-${role}`, display_name: role, password: PASSWORD });
      const session = await login(gateway, `a-${role}`, PASSWORD);
      if (role === "admin") await root.post("/api/user/manage", { id: session.userId, action: "promote" });
      sessions.set(role, role === "admin" ? await login(gateway, "a-admin", PASSWORD) : session);
    }
    sessions.set("root", root);
    const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security?: Record<string, unknown>[] }>>;
    };
    relayed = Object.entries(document.paths).flatMap(([path, methods]) =>
      path.startsWith("/api/") ? [] : Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    );
    calls = Object.entries(document.paths).flatMap(([path, methods]) =>
      path.startsWith("/api/")
        ? Object.entries(methods).map(([method, { security }]) => ({
            method: method.toUpperCase(),
            path,
            role: (Object.keys(security?.[0] ?? {})[0] as Role | undefined) ?? null,
          }))
        : [],
    );
  });
  afterAll(() => gateway.stop());

  test("has a guard, or is known to be open", () => {
    const open = calls.filter(({ role }) => role === null).map(({ method, path }) => `${method} ${path}`);
    expect(open.sort()).toEqual([...OPEN].sort());
    expect(calls.length).toBeGreaterThan(120);
  });

  test("lets in everybody whose role is high enough", async () => {
    const wrong: string[] = [];
    for (const { method, path, role } of calls) {
      if (!role || ENDS_SESSIONS.includes(`${method} ${path}`)) continue;
      const address = path.replace(/\{[^}]+\}/g, "1");
      for (const [name, session] of sessions) {
        if (RANK[name] < RANK[role]) continue;
        const reply = await session.send(method, address, method === "GET" ? undefined : {});
        const isJson = reply.headers.get("content-type")?.startsWith("application/json") ?? false;
        const { code } = isJson ? ((await reply.json()) as { code?: string }) : {};
        // Streams go on until nobody reads them.
        if (!isJson) await reply.body?.cancel();
        if (reply.status === 401 || reply.status >= 500 || code === "permission_denied")
          wrong.push(`${name}: ${method} ${path} → ${reply.status} ${code}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 180_000);

  test("rejects unauthenticated requests with 401, and everybody whose role is too low", async () => {
    const wrong: string[] = [];
    for (const { method, path, role } of calls) {
      if (!role) continue;
      const address = path.replace(/\{[^}]+\}/g, "1");
      const unauthenticated = await fetch(gateway.url + address, {
        method,
        ...(method !== "GET" && { body: "{}", headers: { "content-type": "application/json" } }),
      });
      if (unauthenticated.status !== 401) wrong.push(`unauthenticated: ${method} ${path} → ${unauthenticated.status}`);
      await unauthenticated.body?.cancel();
      for (const [name, session] of sessions) {
        if (RANK[name] >= RANK[role]) continue;
        const reply = await session.send(method, address, method === "GET" ? undefined : {});
        const { success, code } = (await reply.json()) as { success: boolean; code?: string };
        if (success || code !== "permission_denied") wrong.push(`${name}: ${method} ${path} → ${reply.status} ${code}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  test("opens to a service account with its right, to none without it, and else to no service account", async () => {
    const root = sessions.get("root");
    if (!root) throw new Error("nobody is signed in");
    const create = async (name: string, rights: readonly string[]): Promise<string> =>
      (await root.post("/api/service_account/", { name, rights, expires_time: 0 })).token;
    const ask = async (token: string, method: string, path: string) => {
      const reply = await fetch(gateway.url + path.replace(/\{[^}]+\}/g, "1"), {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(method !== "GET" && { body: "{}" }),
      });
      const isJson = reply.headers.get("content-type")?.startsWith("application/json") ?? false;
      const { code } = isJson ? ((await reply.json()) as { code?: string }) : {};
      if (!isJson) await reply.body?.cancel();
      return { status: reply.status, code };
    };
    const rights = Object.keys(ROUTES_OF_RIGHTS);
    const organizations = ["organizations:read", "organizations:write"];
    const wrong: string[] = [];
    const check = async (
      name: string,
      token: string,
      route: string,
      isRight: (s: number, code?: string) => boolean,
    ) => {
      const [method = "", path = ""] = route.split(" ");
      const { status, code } = await ask(token, method, path);
      if (!isRight(status, code)) wrong.push(`${name}: ${route} → ${status} ${code}`);
    };
    for (const right of rights) {
      const name = right.replace(":", ".");
      const only = await create(`only.${name}`, [right]);
      const others = await create(
        `not.${name}`,
        [...rights, ...organizations].filter((other) => other !== right),
      );
      for (const route of ROUTES_OF_RIGHTS[right] ?? []) {
        await check(`without ${right}`, others, route, (status, code) => status === 403 && code === "right_missing");
        await check(`with ${right}`, only, route, (status, code) => {
          return status !== 401 && status < 500 && code !== "permission_denied" && !code?.startsWith("right_missing");
        });
      }
    }
    const listed = Object.values(ROUTES_OF_RIGHTS).flat();
    const closed = calls.filter(({ role, method, path }) => role && !listed.includes(`${method} ${path}`));
    const every = await create("every-right", [...rights, ...organizations]);
    for (const { method, path } of closed) {
      const isClosed = (status: number, code?: string) => status === 403 && code === "service_account_not_here";
      await check("every right", every, `${method} ${path}`, isClosed);
    }
    expect(wrong).toEqual([]);
    const administrators = closed.filter(({ role }) => role !== "user").map(({ method, path }) => `${method} ${path}`);
    // Who may do what is for people alone.
    const forPeople = /\/api\/(service_account|identity_provider|admin_role)\//;
    expect(administrators.filter((route) => !forPeople.test(route))).toEqual([]);
    const known = calls.map(({ method, path }) => `${method} ${path}`);
    expect(listed.filter((route) => !known.includes(route))).toEqual([]);
  }, 240_000);

  test("for API keys refuses nobody, wrong keys, access tokens and the console's cookies with 401", async () => {
    const root = sessions.get("root");
    const cookies = { cookie: root?.cookie ?? "", "sluice-user": String(root?.userId) };
    const callers: Readonly<Record<string, Record<string, string>>> = {
      nobody: {},
      "a wrong key": { authorization: "Bearer sk-wrong" },
      "a wrong key of Anthropic's clients": { "x-api-key": "sk-wrong" },
      "a wrong key of Google's clients": { "x-goog-api-key": "sk-wrong" },
      "the console's cookie": cookies,
    };
    const wrong: string[] = [];
    for (const { method, path } of relayed) {
      if (OPEN_PATHS.includes(path)) continue;
      const address = path
        .replace("{mode}", "mj-fast")
        .replace("{service}", "google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent")
        .replace(/\{[^}]+\}|\*/g, "1");
      for (const [name, headers] of Object.entries(callers)) {
        // The playground is for the console's cookie, and says so to keys.
        if (path.startsWith("/pg/") && name !== "nobody") continue;
        const reply = await fetch(gateway.url + address, {
          method,
          ...(method !== "GET" && { body: "{}" }),
          headers: { "content-type": "application/json", ...headers },
          redirect: "manual",
        });
        // Asked without an upgrade, addresses of WebSockets answer that they need one.
        const isSocket =
          path.endsWith("/realtime") || path.startsWith("/ws/") || (method === "GET" && path.endsWith("/v1/responses"));
        const isRefused = reply.status === (isSocket ? 426 : 401);
        if (!isRefused) wrong.push(`${name}: ${method} ${path} → ${reply.status} ${(await reply.text()).slice(0, 80)}`);
        else await reply.body?.cancel();
      }
    }
    expect(wrong).toEqual([]);
    expect(relayed.length).toBeGreaterThan(40);
  }, 120_000);
});
