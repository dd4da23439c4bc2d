import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ENGINES, emptyDatabase, type Gateway, startGateway } from "../../support/e2e/fixture.ts";
import { announceBody, exchange } from "../../support/lib/raw-requests.ts";

describe.each([...ENGINES])("a fresh gateway, %s database", (engine) => {
  let gateway: Gateway;
  let env: Record<string, string> = {};
  beforeAll(async () => {
    if (engine === "postgres") env = { DATABASE_URL: await emptyDatabase() };
    gateway = await startGateway({ env, isFirstStart: true });
  });
  afterAll(async () => expect(await gateway.stop()).toBe(0));

  test("is live and ready", async () => {
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  });

  test("answers in the caller's format what says to be too large", async () => {
    for (const [path, status, answered] of [
      ["/api/user/login", 413, { success: false, code: "request_too_large" }],
      ["/v1/chat/completions", 401, { error: { type: expect.any(String) } }],
      ["/v1/messages", 401, { type: "error", error: { type: "authentication_error" } }],
    ] as const) {
      const answer = await announceBody(gateway.url + path, 200 * 1024 ** 2);
      expect([path, answer.status]).toEqual([path, status]);
      expect(JSON.parse(answer.text)).toMatchObject(answered);
    }
  });

  test("shows its measurements to Prometheus", async () => {
    const reply = await fetch(`${gateway.url}/metrics`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toStartWith("text/plain");
    expect(await reply.text()).toMatch(/^process_\w+ [\d.e+]+$/m);
  });

  test("gives every answer an id, the caller's own where it has one", async () => {
    for (const path of ["/healthz", "/api/setup", "/api/no-such-call", "/v1/models", "/"]) {
      const own = await fetch(gateway.url + path);
      expect(own.headers.get("x-request-id")).toMatch(/^[\w-]{8,}$/);
      const reply = await fetch(gateway.url + path, { headers: { "x-request-id": "from-the-caller.1" } });
      expect(reply.headers.get("x-request-id")).toBe("from-the-caller.1");
      const bad = await fetch(gateway.url + path, { headers: { "x-request-id": "not acceptable <>" } });
      expect(bad.headers.get("x-request-id")).not.toBe("not acceptable <>");
    }
  });

  test("serves the console on every page address, compressed, and asks to be set up", async () => {
    for (const [path, status] of [
      ["/", 200],
      ["/setup", 200],
      ["/login", 200],
      ["/no/such/page", 404],
      ["/wp-login.php", 404],
      ["/.well-known/unknown", 404],
    ] as const) {
      const reply = await fetch(gateway.url + path, { headers: { "accept-encoding": "br", accept: "text/html" } });
      expect([path, reply.status]).toEqual([path, status]);
      expect(reply.headers.get("content-type")).toStartWith("text/html");
      expect(reply.headers.get("content-security-policy")).toContain("default-src");
    }
    const { data } = (await (await fetch(`${gateway.url}/api/setup`)).json()) as { data: { status: boolean } };
    expect(data.status).toBe(false);
  });

  test("answers programs in JSON where there is nothing, and calls by other services' paths", async () => {
    const json = { accept: "application/json" };
    for (const [method, path, status, answered] of [
      ["GET", "/.well-known/unknown", 404, { error: { code: "unknown_url" } }],
      ["GET", "/.well-known/oauth-authorization-server", 200, { issuer: gateway.url }],
      ["GET", "/.well-known/oauth-protected-resource", 200, { resource: `${gateway.url}/mcp` }],
      ["GET", "/api/unknown", 404, { success: false, code: "unknown_route" }],
      ["POST", "/wp-login.php", 404, { error: { code: "unknown_url" } }],
      [
        "POST",
        "/proxy/v1/messages",
        404,
        { error: { message: expect.stringContaining("Did you mean POST /v1/messages?") } },
      ],
      ["GET", "/models", 401, { error: { code: "missing_api_key" } }],
      ["GET", "/api/v1/models", 401, { error: { code: "missing_api_key" } }],
      ["POST", "/anthropic/v1/messages", 401, { type: "error", error: { type: "authentication_error" } }],
    ] as const) {
      const reply = await fetch(gateway.url + path, { method, headers: json });
      expect([path, reply.status, await reply.json()]).toMatchObject([path, status, answered]);
    }
    expect((await fetch(`${gateway.url}/models`, { headers: { accept: "text/html" } })).status).toBe(404);
  });

  test("serves no source, no list of a folder, and knows no TRACE", async () => {
    for (const path of [
      "/.git/HEAD",
      "/.git/config",
      "/package.json",
      "/src/main.ts",
      "/.env",
      "/assets/",
      "/docs/..",
    ]) {
      const reply = await fetch(gateway.url + path);
      const text = await reply.text();
      // The console answers for every path that may be a page of its own.
      if (reply.status === 200) expect([path, text.startsWith("<!doctype html>")]).toEqual([path, true]);
      expect(text).not.toMatch(/ref: refs|"dependencies"|import .* from|Index of/);
    }
    const answer = await exchange(
      gateway.url,
      "TRACE /api/status HTTP/1.1\r\nHost: gateway.test\r\nX-Echo: received\r\nConnection: close\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 [45]\d\d /);
    expect(answer).not.toContain("received");
  });

  test.if(engine === "embedded")("a second process on the same data is refused with a clear message", async () => {
    const second = await startGateway({ env, dataDir: gateway.dataDir }).catch((error: Error) => error);
    expect(second).toBeInstanceOf(Error);
    expect((second as Error).message).toMatch(/in use|another|already/i);
  });

  test("starts again on the data it left behind", async () => {
    expect(await gateway.stop()).toBe(0);
    gateway = await startGateway({ env, dataDir: gateway.dataDir });
  });
});
