/** Every management route under odd spellings of its path: none opens what the plain one does not, and no id has two. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TSchema } from "elysia";
import { accessTokens } from "../../db/schema/accounts/security/access-tokens.ts";
import { RESOURCES } from "../../src/domain/accounts/access/access-rules.ts";
import { ROLE } from "../../src/domain/accounts/access/roles.ts";
import { requiredRight } from "../../src/domain/accounts/access/route-rights.ts";
import { createAccount } from "../../src/domain/accounts/identity/create-user.ts";
import { createServiceAccount } from "../../src/domain/accounts/users/service-accounts.ts";
import { createLogger } from "../../src/lib/runtime/log.ts";
import { type App, createApp } from "../../src/server/app.ts";
import { readConfig } from "../../src/server/config.ts";
import { openServices, type Services } from "../../src/server/services.ts";

type Hooks = { detail?: { hide?: boolean; security?: Record<string, string[]>[] }; params?: TSchema };
type Route = Readonly<{ method: string; path: string; role: string; params: Readonly<Record<string, TSchema>> }>;

const RIGHTS = Object.entries(RESOURCES).flatMap(([resource, verbs]) => verbs.map((verb) => `${resource}:${verb}`));
/** The one spelling of a row's id is `1`. */
const NO_IDS = [
  ...["1.0", "1.", "+1", "%2B1", "%31", "1e0", "1E0", "01", "0x1", "0b1", "%201", "1%20", "1%09", "1%0A", "1%00", "-1"],
  ...[
    "0",
    "1_0",
    "1,0",
    "1;a=b",
    "%EF%BC%91",
    "1%2F",
    "1n",
    "Infinity",
    "NaN",
    "null",
    "true",
    "[1]",
    "1%25",
    "2147483648",
  ],
];

let dataDir: string;
let services: Services;
let app: App;
let apis: App["apis"];
let routes: readonly Route[];
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sluice-spellings-"));
  const off = { GLOBAL_API_RATE_LIMIT_ENABLE: "false", CRITICAL_RATE_LIMIT_ENABLE: "false" };
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "fatal", ...off }, false);
  services = await openServices(config, createLogger(config));
  app = createApp(services, () => false);
  apis = app.apis;
  routes = apis.flatMap(({ routes: all }) =>
    all.flatMap(({ method, path, hooks }) => {
      const { detail, params } = hooks as Hooks;
      const role = Object.keys(detail?.security?.[0] ?? {})[0];
      if (!path.startsWith("/api/") || path.includes("*") || !role) return [];
      return [{ method, path, role, params: (params?.properties ?? {}) as Record<string, TSchema> }];
    }),
  );
}, 60_000);
afterAll(async () => {
  await services.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A call's status and code. */
async function ask(token: string, method: string, path: string) {
  const request = new Request(`http://gateway.test${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(method !== "GET" && method !== "HEAD" && { body: "{}" }),
  });
  const response = await app.fetch(request);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  const text = isJson ? await response.text() : "";
  if (!isJson) await response.body?.cancel();
  const { code = "" } = text ? (JSON.parse(text) as { code?: string }) : {};
  return { status: response.status, code };
}

const withId = (path: string, id: string): string => path.replace(/:\w+\??/g, id);
const isRowId = (schema: TSchema | undefined): boolean => schema?.type === "integer";

/** Other spellings of a path, some of which lead to the same route. */
function spellings(path: string): string[] {
  const plain = withId(path, "1");
  const last = plain.split("/").at(-1) ?? "";
  const code = (text: string) => `%${text.charCodeAt(0).toString(16)}`;
  return [
    ...[`${plain}/`, `${plain}//`, `/${plain}`, plain.replace("/api/", "/api//"), plain.replace("/api/", "/api/./")],
    ...[plain.replace("/api/", "/x/../api/"), plain.replace("/api/", "/%2e/api/"), plain.replace("/api/", "/api/%2e/")],
    ...[plain.replace("/api/", "/API/"), plain.toUpperCase(), plain.replace("/api/", "/%61pi/")],
    ...[
      `${plain}?a=/api/status`,
      `${plain}#x`,
      `${plain}?`,
      `${plain};a=b`,
      `${plain}%3f`,
      `${plain}%23`,
      `${plain}%00`,
    ],
    ...[`${plain}.json`, `${plain}%20`, `${plain}%2f`, plain.replace(/\/(\w)([^/]*)$/, (_, a, b) => `/${code(a)}${b}`)],
    plain.replace("/api/", "/api\\"),
    ...(last === "1" ? NO_IDS.map((id) => withId(path, id)) : []),
  ];
}

test("no spelling opens a route to a caller without its right, and HEAD is GET", async () => {
  const root = await createAccount(services.database.db, { username: "chief", role: ROLE.root }, null);
  await services.changes.publish("users", [root]);
  const actor = await services.users.reread(root);
  if (!actor) throw new Error("no root");
  const deps = { ...services, db: services.database.db };
  const tokens = new Map<string | null, string>();
  for (const right of [null, ...RIGHTS]) {
    const rights = RIGHTS.filter((other) => other !== right);
    const name = `not.${(right ?? "none").replace(":", ".")}`;
    tokens.set(right, (await createServiceAccount(deps, actor, { name, rights, expires_time: 0 })).token);
  }
  const wrong: string[] = [];
  const administrative = routes.filter(({ role }) => role !== "user");
  let requests = 0;
  for (const { method, path } of administrative) {
    const token = tokens.get(requiredRight(method, path)) ?? "";
    const methods = method === "GET" ? ["GET", "HEAD"] : [method];
    for (const verb of methods) {
      for (const spelling of [withId(path, "1"), ...spellings(path)]) {
        requests += 1;
        const { status, code } = await ask(token, verb, spelling);
        // Refused, or another route's answer: the console's page for what is no management path.
        const isRefused = status === 403 || status === 400 || status === 404;
        const isPage = !/^\/api(?:\/|$)/.test(new URL(`http://gateway.test${spelling}`).pathname);
        if (!isRefused && !isPage) wrong.push(`${verb} ${spelling} → ${status} ${code}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(administrative.length).toBeGreaterThan(100);
  expect(requests).toBeGreaterThan(4000);
}, 240_000);

test("the id of a row has one spelling, whoever asks", async () => {
  const root = await createAccount(services.database.db, { username: "root-2", role: ROLE.root }, null);
  const token = "an access token of the tests";
  await services.database.db
    .insert(accessTokens)
    .values({ userId: root, tokenHash: services.vault.keyedHash(token), sessionVersion: 1, createdAt: 1 });
  await services.changes.publish("users", [root]);
  await services.users.reread(root);
  const withIds = routes.filter(({ params }) => Object.values(params).some(isRowId));
  const wrong: string[] = [];
  for (const { method, path, params } of withIds) {
    for (const id of NO_IDS) {
      const address = path.replace(/:(\w+)\??/g, (_, name: string) => (isRowId(params[name]) ? id : "1"));
      const { status, code } = await ask(token, method, address);
      // An encoded slash is part of the parameter, never another segment.
      if (status !== 400) wrong.push(`${method} ${address} → ${status} ${code}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(withIds.length).toBeGreaterThan(40);
  expect((await ask(token, "GET", `/api/user/${root}`)).status).toBe(200);
}, 240_000);

test("no route reads an integer of its path by the framework's lenient parser", () => {
  const lenient = apis.flatMap(({ routes: all }) =>
    all.flatMap(({ method, path, hooks }) => {
      const fields = ((hooks as Hooks).params?.properties ?? {}) as Record<string, TSchema>;
      return Object.values(fields).some((schema) => /Integer|Numeric|Number/.test(kindOf(schema)))
        ? [`${method} ${path}`]
        : [];
    }),
  );
  expect(lenient).toEqual([]);
});

/** The schema's type; `CanonicalInteger` is the strict one. */
function kindOf(schema: TSchema): string {
  const kind = Object.getOwnPropertySymbols(schema).find(({ description }) => description === "TypeBox.Kind");
  const name = kind ? String(Reflect.get(schema, kind)) : "";
  return name === "CanonicalInteger" ? "" : name;
}
