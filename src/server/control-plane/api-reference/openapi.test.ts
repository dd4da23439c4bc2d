import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../../lib/runtime/log.ts";
import { type App, createApp } from "../../app.ts";
import { readConfig } from "../../config.ts";
import { openServices, type Services } from "../../services.ts";
import { openApiDocument, withoutUnions } from "./openapi.ts";
import { TASKS } from "./tasks.ts";

let dataDir: string;
let services: Services;
let apis: App["apis"];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sluice-openapi-"));
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "error" }, false);
  services = await openServices(config, createLogger(config));
  apis = createApp(services, () => false).apis;
}, 60_000);
afterAll(async () => {
  await services.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** `GET /api/user/{id}` of a route, the way of the document; an optional part of a path makes two. */
const namesOf = ({ method, path }: { method: string; path: string }): string[] => {
  const optional = /\/:\w+\?$/;
  const paths = optional.test(path) ? [path.slice(0, -1), path.replace(optional, "")] : [path];
  return paths.map((one) => `${method} ${one.replace(/:(\w+)/g, "{$1}")}`);
};

/** Besides wildcards: browsers' preflight requests, and routes that respond 404. */
const isListed = ({ method, path, hooks }: { method: string; path: string; hooks: { detail?: { hide?: boolean } } }) =>
  !path.includes("*") && method !== "OPTIONS" && hooks.detail?.hide !== true;

test("the document lists every route that is no wildcard, and no other", () => {
  const listed = Object.entries(openApiDocument(apis, "1.2.3").paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = apis.flatMap(({ routes }) => routes.filter(isListed).flatMap(namesOf));
  expect(served.filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed.filter((name) => !served.includes(name))).toEqual([]);
  expect(served).toContain("POST /v1/chat/completions");
  expect(served).toContain("GET /api/status");
});

test("every operation has a task and a summary, and no summary is without its operation", () => {
  const { paths, tags, "x-tagGroups": groups } = openApiDocument(apis, "1.2.3");
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
  );
  const tasks = tags.map(({ name }) => name);
  for (const { name, tags: own, summary } of operations) {
    expect([name, own?.length, summary]).toEqual([name, 1, expect.stringMatching(/^[A-Z].{5,}[^.]$/)]);
    expect(tasks).toContain(own?.[0] ?? "");
  }
  const described = TASKS.flatMap((task) => Object.keys(task.operations));
  expect(described.length).toBe(new Set(described).size);
  expect(described.filter((name) => !operations.some((operation) => operation.name === name))).toEqual([]);
  expect(groups.flatMap((group) => group.tags)).toEqual(tasks);
  expect(tasks.length).toBeLessThan(25);
});

test("the only authorization server is the one of /mcp, and there is no OpenID provider", () => {
  const paths = apis.flatMap(({ routes }) => routes.map(({ path }) => path));
  expect(paths.length).toBeGreaterThan(300);
  const OF_SERVERS =
    /well-known|back-?channel|\/(?:oauth2?|oidc|connect|saml)\/(?:authorize|token|introspect|revoke|userinfo|register|device|end_session|slo|sso)\b/;
  const OF_MCP = new Set([
    ...["/oauth/register", "/oauth/token", "/oauth/revoke"],
    // The second says the same for clients that look for OpenID providers: it names no key and no endpoint for user data.
    ...["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"],
  ]);
  const ofMcp = /^\/\.well-known\/oauth-protected-resource(?:\/|$)/;
  expect(paths.filter((path) => OF_SERVERS.test(path) && !ofMcp.test(path) && !OF_MCP.has(path))).toEqual([]);
});

test("for generators that know no unions the document has none, and the same operations", () => {
  const document = openApiDocument(apis, "1.2.3");
  const plain = withoutUnions(document);
  expect(JSON.stringify(plain)).not.toMatch(/"(?:anyOf|oneOf)":|"type":\[/);
  const operations = ({ paths }: typeof document) =>
    Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)]);
  expect(operations(plain)).toEqual(operations(document));
  const schema = {
    properties: {
      type: { anyOf: [{ type: "number" }, { type: "null" }] },
      one: {
        oneOf: [{ type: "array", items: { type: "string" } }, { properties: { id: { type: ["number", "null"] } } }],
      },
    },
  };
  expect(withoutUnions<object>(schema)).toEqual({
    properties: { type: { type: "number" }, one: { properties: { id: { type: "number" } } } },
  });
});
