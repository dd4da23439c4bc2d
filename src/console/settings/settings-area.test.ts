import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { isNewer } from "../../settings/check-update.ts";

let app: TestConsole;
let root: Record<string, string>;
let admin: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole();
  await app.addUser("boss", "root");
  await app.addUser("helper", "admin");
  root = await app.login("boss");
  admin = await app.login("helper");
});
afterAll(() => app.close());

const post = (path: string, body: unknown, headers = root) => app.ask("POST", path, body, headers);

test.each([
  ["POST", "/api/option/oidc_discovery", { well_known: "https://id.example" }],
  ["POST", "/api/option/export", {}],
  ["POST", "/api/option/import", { options: {} }],
  ["POST", "/api/option/import/preview", { options: {} }],
  ["POST", "/api/ratio/preview", { model: "gpt-4o", group: "default" }],
  ["GET", "/api/system/info", undefined],
  ["GET", "/api/system/update", undefined],
])("%s %s is for super admins", async (method, path, body) => {
  expect((await app.ask(method, path, body)).status).toBe(401);
  expect((await app.ask(method, path, body, admin)).body.code).toBe("permission_denied");
});

describe("discovery of an identity provider", () => {
  const document = {
    authorization_endpoint: "https://id.example/authorize",
    token_endpoint: "https://id.example/token",
    userinfo_endpoint: "https://id.example/me",
  };
  const serve = (body: string, status = 200) => Bun.serve({ port: 0, fetch: () => new Response(body, { status }) });

  test("reads the endpoints", async () => {
    const server = serve(JSON.stringify(document));
    const url = `http://127.0.0.1:${server.port}/.well-known/openid-configuration`;
    expect((await post("/api/option/oidc_discovery", { well_known: ` ${url} ` })).body).toMatchObject({
      success: true,
      data: {
        authorization_endpoint: document.authorization_endpoint,
        token_endpoint: document.token_endpoint,
        user_info_endpoint: document.userinfo_endpoint,
      },
    });
    await server.stop(true);
  });

  test.each([
    ["<html>", 200, "返回内容不是 JSON 文档"],
    ["null", 200, "返回内容不是 JSON 文档"],
    ["{}", 200, "文档中没有端点地址"],
    [JSON.stringify(document), 500, "HTTP 500"],
    [JSON.stringify({ ...document, token_endpoint: "javascript:alert(1)" }), 200, "文档中没有端点地址"],
  ])("%s with status %d is refused, in the caller's language", async (body, status, reported) => {
    const server = serve(body, status);
    const headers = { ...root, "accept-language": "zh" };
    const input = { well_known: `http://127.0.0.1:${server.port}/` };
    const answer = await app.ask("POST", "/api/option/oidc_discovery", input, headers);
    expect(answer.body.code).toBe("oidc_discovery_failed");
    expect(answer.body.message).toEndWith(`（${reported}）。`);
    await server.stop(true);
  });

  test.each(["id.example", "ftp://id.example", ""])("%p is no address", async (well_known) =>
    expect((await post("/api/option/oidc_discovery", { well_known })).body.code).toBe("oidc_well_known_address"),
  );
});

describe("the system", () => {
  test("shows what runs", async () => {
    expect((await app.ask("GET", "/api/system/info", undefined, root)).body.data).toMatchObject({
      version: "test",
      start_time: 1,
      database: "embedded",
      can_check_update: false,
    });
    expect((await app.ask("GET", "/api/system/update", undefined, root)).body.code).toBe("update_check_unset");
  });

  test.each([
    ["1.2.0", "1.1.9", true],
    ["v1.10.0", "1.9", true],
    ["1.1.9", "1.1.9", false],
    ["1.0", "1.0.1", false],
    ["2.0.0", "dev", false],
  ])("%s after %s: %p", (a, b, expected) => expect(isNewer(a, b)).toBe(expected));
});

describe("the price of an imagined call", () => {
  test("is what the charge would be, with its sums", async () => {
    const { body } = await post("/api/ratio/preview", {
      model: "gpt-4o",
      group: "default",
      prompt_tokens: 1000,
      completion_tokens: 500,
      cached_tokens: 200,
    });
    // 800 × 1.25 + 200 × 0.625 + 500 × 5
    expect(body.data).toMatchObject({ kind: "per_token", is_unset: false, quota: 3625 });
    expect(body.data).toMatchObject({ receipt: { subtotal: "3625", total: 3625 } });
  });

  test("follows the group and says when a model has no price", async () => {
    await app.settings.set("GroupRatio", '{"default":1,"vip":0.5}');
    const usage = { prompt_tokens: 100 };
    expect((await post("/api/ratio/preview", { model: "gpt-4o", group: "vip", ...usage })).body.data).toMatchObject({
      quota: 63,
      receipt: { groupRatio: "0.5" },
    });
    expect((await post("/api/ratio/preview", { model: "unheard", group: "vip", ...usage })).body.data).toMatchObject({
      is_unset: true,
      quota: 1875,
    });
    expect((await post("/api/ratio/preview", { model: "gpt-4o", group: "vip", prompt_tokens: -1 })).status).toBe(400);
  });
});

describe("export and import", () => {
  test("secrets leave only when they are asked for, and that is logged", async () => {
    await app.settings.set("SMTPToken", "hush");
    const without = await post("/api/option/export", {});
    expect(without.text).not.toContain("hush");
    expect(without.body.data).toMatchObject({ format: "sluice-settings", has_secrets: false });
    const { body } = await post("/api/option/export", { secrets: true });
    expect(body.data).toMatchObject({ has_secrets: true, options: { SMTPToken: "hush" } });
    const written = (await app.db.select().from(logs)).map(({ content }) => content);
    expect(written).toContain("Exported the settings with secrets");
    expect(written.join()).not.toContain("hush");
  });

  test("a preview shows what would change and what is wrong, and changes nothing", async () => {
    const options = {
      SystemName: "Imported",
      SMTPToken: "other",
      RetryTimes: "x",
      Nothing: "1",
      RegisterEnabled: "true",
    };
    const { body, text } = await post("/api/option/import/preview", { options });
    expect(body.data).toMatchObject({
      changes: [
        { key: "SystemName", before: "Sluice", after: "Imported", is_secret: false },
        { key: "SMTPToken", before: null, after: null, is_secret: true },
      ],
      problems: [{ key: "RetryTimes" }, { key: "Nothing" }],
    });
    expect(text).not.toContain("hush");
    expect(app.settings.get("SystemName")).toBe("Sluice");
    expect((await post("/api/option/import", { options })).body.code).toBe("option_integer");
    expect(app.settings.get("SystemName")).toBe("Sluice");
  });

  test("an import saves values before the switches that need them", async () => {
    const options = {
      GitHubOAuthEnabled: "true",
      GitHubClientId: "id",
      SystemName: "Imported",
      DemoSiteEnabled: "true",
    };
    const { body } = await post("/api/option/import", { options });
    expect(body.data).toMatchObject({
      saved: ["SystemName", "GitHubClientId", "DemoSiteEnabled", "GitHubOAuthEnabled"],
      refused: [],
    });
    expect(app.settings.get("GitHubOAuthEnabled")).toBe(true);
    const refused = await post("/api/option/import", { options: { SelfUseModeEnabled: "true" } });
    expect(refused.body.data).toMatchObject({ saved: [], refused: [{ key: "SelfUseModeEnabled" }] });
  });

  test("what was exported changes nothing when it is imported", async () => {
    const { body } = await post("/api/option/export", { secrets: true });
    const { options } = body.data as { options: Record<string, string> };
    expect((await post("/api/option/import/preview", { options })).body.data).toEqual({ changes: [], problems: [] });
  });
});
