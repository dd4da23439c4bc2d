import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
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
