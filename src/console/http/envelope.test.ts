import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia, t } from "elysia";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { openTestDatabase } from "../../../test/support/database.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { envelope } from "./envelope.ts";

describe("failures that are nobody's fault", () => {
  test("an unforeseen error is 500 with the request id and nothing else of it", async () => {
    const app = new Elysia()
      .use(envelope({ log: createLogger({ logLevel: "silent", logFormat: "json" }) }))
      .get("/api/x", () => {
        throw new Error("select * from users where password = 'hush'");
      });
    const headers = { "x-request-id": "my-id-1", "accept-language": "zh-CN" };
    const response = await app.handle(new Request("http://gateway.test/api/x", { headers }));
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).toContain("my-id-1");
    expect(text).toContain("服务器内部错误");
    expect(text).not.toContain("hush");
  });

  test("routes outside /api keep their own failures", async () => {
    const app = new Elysia().use(envelope({ log: createLogger({ logLevel: "silent", logFormat: "json" }) }));
    const response = await app.handle(new Request("http://gateway.test/v1/nothing"));
    expect(response.headers.get("cache-control")).toBeNull();
    expect(await response.text()).not.toContain("success");
  });
});

describe("a database that does not answer", () => {
  let app: TestConsole;
  beforeAll(async () => {
    const database = await openTestDatabase();
    app = await startTestConsole(database);
    await app.addUser("alice");
    await database.close();
  });
  afterAll(() => app.close());

  test("is 503, while what is in memory is still answered", async () => {
    const login = await app.ask("POST", "/api/user/login", { username: "alice", password: "whatever" });
    expect(login).toMatchObject({ status: 503, body: { success: false, code: "database_unavailable" } });
    expect((await app.ask("GET", "/api/notice")).body).toMatchObject({ success: true });
    expect((await app.ask("GET", "/api/user/groups")).status).toBe(200);
  });
});

describe("a database that does no work", () => {
  test.each([
    ["refuses connections", "ECONNREFUSED"],
    ["is silent", "STATEMENT_TIMEOUT"],
    ["starts", "57P03"],
    ["has no connection left", "53300"],
    ["has no space left", "53100"],
    ["waits for a lock", "55P03"],
    ["took too long", "57014"],
    ["takes no writes", "25006"],
    ["broke off", "08006"],
  ])("is 503: %s", async (_, code) => {
    const app = new Elysia()
      .use(envelope({ log: createLogger({ logLevel: "silent", logFormat: "json" }) }))
      .get("/api/x", () => {
        throw new Error("failed query", { cause: Object.assign(new Error("from the driver"), { code }) });
      });
    const response = await app.handle(new Request("http://gateway.test/api/x"));
    expect([response.status, await response.json()]).toMatchObject([503, { code: "database_unavailable" }]);
  });

  test("what the statement itself did wrong is no outage", async () => {
    const app = new Elysia()
      .use(envelope({ log: createLogger({ logLevel: "silent", logFormat: "json" }) }))
      .get("/api/x", () => {
        throw Object.assign(new Error("duplicate key"), { code: "23505" });
      });
    expect((await app.handle(new Request("http://gateway.test/api/x"))).status).toBe(500);
  });
});

describe("text that Postgres cannot hold", () => {
  let app: TestConsole;
  beforeAll(async () => {
    app = await startTestConsole();
  });
  afterAll(() => app.close());

  test("is the caller's mistake, reported in their language", async () => {
    const body = { username: "a\u0000b", password: "whatever" };
    expect(await app.ask("POST", "/api/user/login", body, { "accept-language": "en" })).toMatchObject({
      status: 400,
      body: { success: false, code: "text_unstorable", message: expect.stringContaining("U+0000") },
    });
  });
});

const app = new Elysia()
  .use(envelope({ log: createLogger({ logLevel: "silent", logFormat: "json" }) }))
  .post("/api/x", () => "ok", {
    body: t.Object({
      name: t.String({ maxLength: 3 }),
      count: t.Optional(t.Integer({ minimum: 1, maximum: 5 })),
      share: t.Optional(t.Number()),
      on: t.Optional(t.Boolean()),
      note: t.Optional(t.Union([t.String(), t.Null()])),
      ids: t.Optional(t.Array(t.Integer(), { minItems: 1, maxItems: 2 })),
      period: t.Optional(t.UnionEnum(["day", "week"])),
      month: t.Optional(t.String({ pattern: "^\\d{4}-\\d{2}$" })),
      mode: t.Optional(t.Union([t.Literal("a"), t.Literal("b")])),
      inner: t.Optional(t.Object({ x: t.String() })),
    }),
  })
  .get("/api/x/:id", () => "ok", { params: t.Object({ id: t.Integer({ minimum: 1 }) }) });

const send = async (body: unknown, language = "en") => {
  const headers = { "content-type": "application/json", "accept-language": language };
  const request = new Request("http://gateway.test/api/x", { method: "POST", headers, body: JSON.stringify(body) });
  const response = await app.handle(request);
  return { status: response.status, ...((await response.json()) as { message: string; code: string }) };
};

describe("invalid input", () => {
  test.each([
    [{}, "name is required."],
    [{ name: 5 }, "name must be text."],
    [{ name: "long" }, "name must have 0 to 3 characters."],
    [{ name: "a", count: "x" }, "count must be a whole number from 1 to 5."],
    [{ name: "a", count: 9 }, "count must be a whole number from 1 to 5."],
    [{ name: "a", share: "x" }, "share must be a number."],
    [{ name: "a", on: "yes" }, "on must be true or false."],
    [{ name: "a", note: 4 }, "note must be text."],
    [{ name: "a", ids: "x" }, "ids.0 must be a whole number."],
    [{ name: "a", ids: [] }, "ids must have at least one entry."],
    [{ name: "a", ids: null }, "ids must be a list."],
    [{ name: "a", ids: [1, 2, 3] }, "ids can have at most 2 entries."],
    [{ name: "a", ids: [1, "x"] }, "ids.1 must be a whole number."],
    [{ name: "a", mode: "c" }, "mode must be one of: a, b."],
    [{ name: "a", period: "year" }, "period must be one of: day, week."],
    [{ name: "a", period: 1 }, "period must be one of: day, week."],
    [{ name: "a", month: "May" }, "month is not in the required format."],
    [{ name: "a", month: 5 }, "month must be text."],
    [{ name: "a", inner: {} }, "inner.x is required."],
  ])("%j: %s", async (body, detail) => {
    expect(await send(body)).toMatchObject({
      status: 400,
      code: "invalid_request",
      message: `Invalid parameter: ${detail}`,
    });
  });

  test("is reported in Chinese too, and the value is not repeated", async () => {
    expect((await send({ name: 123456 }, "zh")).message).toBe("参数无效：name 必须是文本。");
  });

  test("addresses are checked like bodies", async () => {
    const response = await app.handle(new Request("http://gateway.test/api/x/abc"));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("id must be a whole number from 1 to ∞.");
  });
});
