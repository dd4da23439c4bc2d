import { describe, expect, test } from "bun:test";
import pino from "pino";
import { CONSOLE_PAGES } from "../../../console/system/web-assets/console-pages.ts";
import { ByteBudget } from "../../../lib/limits/byte-budget.ts";
import type { GatewayContext } from "../context.ts";
import type { ResponseSockets } from "../realtime/responses/sockets.ts";
import type { RealtimeSessions } from "../realtime/sessions.ts";
import type { RouteGroup } from "../route.ts";
import { PREFIX_ALIASES } from "./path-aliases.ts";
import { createRouter } from "./router.ts";
import { gatewayRoutes } from "./table.ts";

const context = {
  services: { log: pino({ level: "silent" }) },
  bodies: new ByteBudget(0, 0),
} as unknown as GatewayContext;
const unused = {} as unknown as RealtimeSessions & ResponseSockets;

/** The real table, whose handlers answer with their route, its variable parts and the address that they see. */
const groups: readonly RouteGroup[] = gatewayRoutes(context, unused, unused).map((group) => ({
  ...group,
  routes: group.routes.map((row) => ({
    ...row,
    handle: async ({ request, param }) => {
      const parts = [...row.path.matchAll(/:(\w+)|\*/g)].map(([, name = "*"]) => param(name));
      const { pathname, search } = new URL(request.url);
      return Response.json({ route: `${row.method} ${group.prefix}${row.path}`, parts, address: pathname + search });
    },
  })),
}));
const router = createRouter(context, groups);

async function send(method: string, path: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://gateway.test${path}`, { method, headers });
  router.resolve(request, new URL(request.url).pathname);
  const response = await router.app.handle(request);
  return { status: response.status, body: await response.text() };
}

/** Every route with values for its variable parts. */
const paths = groups.flatMap(({ prefix, routes }) =>
  routes.map(({ method, path }) => ({
    method,
    path: (prefix + path).replace("/:mode/mj", "/fast/mj").replace(/:\w+/g, "part-1").replace("*", "org/name"),
  })),
);

describe("every route", () => {
  test.each(PREFIX_ALIASES)("below %s answers as below %s", async (alias, canonical) => {
    const below = paths.filter(({ path }) => path.startsWith(`${canonical}/`));
    expect(below.length).toBeGreaterThan(0);
    for (const { method, path } of below) {
      const direct = await send(method, `${path}?a=1`);
      const spelled = alias + path.slice(canonical.length);
      expect([spelled, await send(method, `${spelled}?a=1`)]).toEqual([spelled, direct]);
      expect((await send("OPTIONS", spelled)).status).toBe(204);
      expect(router.owns(spelled)).toBe(true);
    }
  });

  test("of version 1 answers without the version, unless another API has the path", async () => {
    const below = paths.filter(({ path }) => path.startsWith("/v1/"));
    let answered = 0;
    for (const { method, path } of below) {
      const spelled = path.slice("/v1".length);
      if (router.owns(spelled)) continue;
      answered += 1;
      expect([spelled, await send(method, `${spelled}?a=1`)]).toEqual([spelled, await send(method, `${path}?a=1`)]);
    }
    expect(answered).toBeGreaterThan(below.length - 10);
  });

  test.each([
    ["/openai/v1/v1/chat/completions", "/v1/chat/completions"],
    ["/api/v1/v1/messages", "/v1/messages"],
    ["/anthropic/messages", "/v1/messages"],
    ["//v1/responses", "/v1/responses"],
    ["/openai/deployments/my%2Fm/chat/completions", "/v1/engines/my%2Fm/chat/completions"],
    ["/v1/v1beta/models/gemini-pro:generateContent", "/v1beta/models/gemini-pro:generateContent"],
    ["/models/gemini-pro:generateContent", "/v1/models/gemini-pro:generateContent"],
    ["/v1beta/openai/chat/completions/", "/v1/chat/completions/"],
  ])("%s is %s", async (spelled, path) => {
    const answer = await send("POST", spelled);
    expect(answer).toEqual(await send("POST", path));
    expect(answer.status).toBe(200);
  });
});

describe("a path without route", () => {
  test.each([
    ["POST", "/v1/v1/message", "POST /v1/messages"],
    ["POST", "/api/v1/chat/completion", "POST /v1/chat/completions"],
    ["GET", "/v1/messages", "POST /v1/messages"],
    ["POST", "/v1/openai/chat/completions", "POST /v1/chat/completions"],
    ["POST", "/gateway/v3/embeddings", "POST /v1/embeddings"],
    ["POST", "/V1/Responses", "POST /v1/responses"],
    ["POST", "/proxy/v1beta/models/m:generateContent", "POST /v1beta/models/m:generateContent"],
  ])("%s %s: the error names %s", async (method, path, nearest) => {
    const { status, body } = await send(method, path);
    expect([status, JSON.parse(body)]).toMatchObject([
      404,
      { error: { message: expect.stringContaining(`Invalid URL (${method} ${path}). Did you mean ${nearest}?`) } },
    ]);
  });

  test.each(["/v1/nothing", `/v1/${"a".repeat(300)}`, "/hf/v1/files/a/b/c/d/e"])("%s is like none", async (path) => {
    const { status, body } = await send("POST", path);
    expect(status).toBe(404);
    expect(body).not.toContain("Did you mean");
  });

  test("is an error in the format of the API that it is below", async () => {
    expect(JSON.parse((await send("GET", "/v1/v1beta/nothing")).body)).toMatchObject({
      error: { status: "NOT_FOUND" },
    });
    const anthropic = await send("POST", "/anthropic/v1/nothing", { "anthropic-version": "2023-06-01" });
    expect(JSON.parse(anthropic.body)).toMatchObject({ type: "error", error: { type: "not_found_error" } });
    expect(JSON.parse((await send("POST", "/api/v1/nothing")).body)).toMatchObject({ error: { code: "unknown_url" } });
  });
});

describe("the console", () => {
  const visit = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const ofConsole = (path: string, headers: Record<string, string>, method = "GET") => {
    const request = new Request(`http://gateway.test${path}`, { method, headers });
    return !router.owns(router.resolve(request, path));
  };

  test("keeps its pages and its API: no path of theirs leads to a route", () => {
    const pages = CONSOLE_PAGES.map((page) => page.replaceAll(/\$\w*/g, "x"));
    for (const path of [
      ...pages,
      "/api/user/self",
      "/api/models",
      "/api",
      "/docs/guide",
      "/assets/app-1.js",
      "/healthz",
    ])
      expect([path, ofConsole(path, {})]).toEqual([path, true]);
  });

  test("opens a page for a browser, not for a key or a program", () => {
    expect(ofConsole("/models", visit)).toBe(true);
    expect(ofConsole("/models", { ...visit, authorization: "Bearer sk-test" })).toBe(false);
    expect(ofConsole("/models", {})).toBe(false);
    expect(ofConsole("/chat/completions", visit, "POST")).toBe(false);
  });

  test.each([
    ["/.well-known/oauth-protected-resource", { accept: "application/json" }, true],
    ["/.well-known/oauth-authorization-server", {}, false],
    ["/wp-login.php", visit, false],
    ["/wp-login.php", { accept: "*/*" }, false],
    ["/gateway/v1/models", { accept: "*/*" }, true],
    ["/gateway/v1/models", visit, false],
    ["/nothing", { "x-api-key": "sk-test" }, true],
  ] as const)("an unknown path %s with %j: error for a program %p", (path, headers, isProgram) => {
    const request = new Request(`http://gateway.test${path}`, { headers });
    expect(router.refuseProgram(request, path)?.status).toBe(isProgram ? 404 : undefined);
  });

  test("reaches nothing that acts on cookies", () => {
    const prefixes = [...PREFIX_ALIASES.map(([alias]) => alias), ""];
    for (const prefix of prefixes)
      for (const path of ["/pg/chat/completions", "/api/user/self", "/api/token"]) {
        const request = new Request(`http://gateway.test${prefix}${path}`, { method: "POST" });
        expect(router.resolve(request, prefix + path)).toMatch(new RegExp(`^(?:${prefix}${path}|/v1/engines/.*)$`));
      }
  });
});
