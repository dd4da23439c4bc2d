import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { passkeys } from "../../../db/schema/accounts/sign-in.ts";
import { identities } from "../../../db/schema/accounts/users.ts";
import { options } from "../../../db/schema/settings.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { checkEncryptionKey } from "../../settings/key-check.ts";
import { createSettings } from "../../settings/settings.ts";

let app: TestConsole;
let root: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole();
  await app.addUser("boss", "root");
  root = await app.login("boss");
});
afterAll(() => app.close());

const put = (key: string, value: unknown, headers = {}) =>
  app.ask("PUT", "/api/option/", { key, value }, { ...root, ...headers });
const list = async () => {
  const { body, text } = await app.ask("GET", "/api/option", undefined, root);
  return {
    body,
    text,
    values: new Map((body.data as { key: string; value: string }[]).map(({ key, value }) => [key, value])),
  };
};

describe("options", () => {
  test("sign-in by password stays on until a super admin has another way", async () => {
    const refused = { success: false, code: "option_password_login_needed" };
    expect((await put("PasswordLoginEnabled", false)).body).toMatchObject(refused);
    const imported = { options: { PasswordLoginEnabled: "false" } };
    expect((await app.ask("POST", "/api/option/import", imported, root)).body).toMatchObject(refused);
    const userId = Number(root["Sluice-User"]);
    await app.db.insert(identities).values({ provider: "discord", subject: "7", userId, createdAt: 1 });
    expect((await put("PasswordLoginEnabled", false)).body).toMatchObject(refused);
    await put("DiscordClientId", "id");
    await put("DiscordOAuthEnabled", true);
    expect((await put("PasswordLoginEnabled", false)).body).toMatchObject({ success: true });
    const last = { success: false, code: "option_last_sign_in_needed" };
    expect((await put("DiscordOAuthEnabled", false)).body).toMatchObject(last);
    const without = { options: { DiscordOAuthEnabled: "false" } };
    expect((await app.ask("POST", "/api/option/import", without, root)).body).toMatchObject(last);
    await put("GitHubClientId", "id");
    await put("GitHubOAuthEnabled", true);
    expect((await put("DiscordOAuthEnabled", false)).body).toMatchObject(last);
    expect((await put("GitHubOAuthEnabled", false)).body).toMatchObject({ success: true });
    await put("GitHubClientId", "");
    await put("PasswordLoginEnabled", true);
    expect((await put("DiscordOAuthEnabled", false)).body).toMatchObject({ success: true });
    await app.db.insert(passkeys).values({ id: "k", userId, name: "key", publicKey: "", createdAt: 1 });
    expect((await put("PasswordLoginEnabled", "false")).body).toMatchObject({ success: true });
    await put("PasswordLoginEnabled", true);
  });

  test("are listed as text, defaults included", async () => {
    const { values } = await list();
    expect(values.get("QuotaPerUnit")).toBe("500000");
    expect(values.get("RegisterEnabled")).toBe("true");
    expect(JSON.parse(values.get("GroupRatio") ?? "")).toEqual({ default: 1, vip: 1, svip: 1 });
    expect(JSON.parse(values.get("ModelRatio") ?? "")).toMatchObject({ "gpt-4o": 1.25 });
  });

  test("text, numbers and booleans are taken, and are in force at once", async () => {
    const version = app.settings.version;
    for (const [key, value] of [
      ["SystemName", "My gate"],
      ["RetryTimes", 3],
      ["DrawingEnabled", false],
    ] as const) {
      expect((await put(key, value)).body).toMatchObject({ success: true });
    }
    expect(app.settings.get("SystemName")).toBe("My gate");
    expect(app.settings.get("RetryTimes")).toBe(3);
    expect(app.settings.version).toBeGreaterThan(version);
    const status = await app.ask("GET", "/api/status");
    expect(status.body.data).toMatchObject({
      system_name: "My gate",
      enable_drawing: false,
      price: 7.3,
      quota_per_unit: 500000,
      quota_remind_threshold: 500_000,
      chat_link: "",
    });
    await put("Chats", JSON.stringify([{ One: "https://one.example.com/#{key}" }, { Two: "https://two.example.com" }]));
    expect((await app.ask("GET", "/api/status")).body.data).toMatchObject({
      chat_link: "https://one.example.com/#{key}",
      chat_link2: "https://two.example.com",
    });
    expect((await put("CheckInMaxQuota", 999)).body.code).toBe("option_below_other");
    expect((await put("CheckInMaxQuota", 1000)).body).toMatchObject({ success: true });
    expect((await put("CheckInMaxQuota", 0)).body).toMatchObject({ success: true });
  });

  test("secrets never come back and are not readable in the database", async () => {
    const secrets = [
      "SMTPToken",
      "oidc.client_secret",
      "EpayKey",
      "TelegramBotToken",
      "GitHubClientSecret",
      "TurnstileSecretKey",
    ];
    for (const key of secrets) expect((await put(key, `hush-${key}`)).body.success).toBe(true);
    const { text, body, values } = await list();
    expect(text).not.toContain("hush-");
    for (const key of secrets) expect(values.has(key)).toBe(false);
    expect(body.secrets_set).toEqual(expect.arrayContaining(secrets));
    expect((await app.ask("GET", "/api/status")).text).not.toContain("hush-");
    expect(JSON.stringify(await app.db.select().from(options))).not.toContain("hush-");
    expect(app.settings.get("SMTPToken")).toBe("hush-SMTPToken");
    await put("SMTPToken", "");
    expect((await list()).body.secrets_set).not.toContain("SMTPToken");
  });

  test.each([
    ["ModelRatio", '{"gpt-4o": }', "option_json"],
    ["GroupRatio", '{"default": "one"}', "option_json_entry"],
    ["Chats", "null", "option_json_shape"],
    ["QuotaPerUnit", "0", "option_integer"],
    ["NoSuchOption", "1", "option_unknown"],
    ["_encryption_key_check", "1", "option_unknown"],
    ["constructor", "1", "option_unknown"],
  ])("%s = %s is refused and the old value stays", async (key, value, code) => {
    const before = (await list()).text;
    const rows = await app.db.select().from(options);
    expect(await put(key, value)).toMatchObject({ status: 200, body: { success: false, code } });
    expect((await put(key, value, { "accept-language": "zh" })).body.message).toMatch(/[\u4e00-\u9fff]/);
    expect((await list()).text).toBe(before);
    expect(await app.db.select().from(options)).toEqual(rows);
  });

  test.each([
    ["GitHubOAuthEnabled", "GitHubClientId"],
    ["oidc.enabled", "oidc.client_id"],
    ["WeChatAuthEnabled", "WeChatServerAddress"],
    ["TurnstileCheckEnabled", "TurnstileSiteKey"],
  ])("%s needs %s first", async (key, needed) => {
    const refused = await put(key, true);
    expect(refused.body).toMatchObject({ success: false, code: "option_needs" });
    expect(refused.body.message).toContain(needed);
    expect((await put(key, false)).body.success).toBe(true);
    await put(needed, needed === "WeChatServerAddress" ? "https://wx.example.com/" : "an id");
    expect((await put(key, "true")).body.success).toBe(true);
  });

  test("self-use and demo mode exclude each other", async () => {
    expect((await put("DemoSiteEnabled", true)).body.success).toBe(true);
    expect((await put("SelfUseModeEnabled", true)).body.code).toBe("option_modes_exclusive");
    await put("DemoSiteEnabled", false);
  });

  test("model ratios go back to the shipped ones", async () => {
    await put("ModelRatio", '{"mine": 1}');
    expect([...app.settings.get("ModelRatio").keys()]).toEqual(["mine"]);
    expect((await app.ask("POST", "/api/option/rest_model_ratio", undefined, root)).body).toMatchObject({
      success: true,
    });
    expect(app.settings.get("ModelRatio").has("gpt-4o")).toBe(true);
  });

  test("an invalid row in the database is ignored, the default rules", async () => {
    await app.db.insert(options).values({ key: "CompletionRatio", value: "{broken" });
    const log = createLogger({ logLevel: "silent", logFormat: "json" });
    const restarted = await createSettings({ db: app.db, changes: app.changes, vault: app.vault, log });
    expect(restarted.get("CompletionRatio").size).toBeGreaterThan(0);
    expect(restarted.get("RetryTimes")).toBe(3);
    restarted.close();
  });
});

describe("the encryption key", () => {
  test("the key that a database began with is accepted, another one is refused by name", async () => {
    await checkEncryptionKey(app.db, app.vault, "ENCRYPTION_KEY");
    await checkEncryptionKey(app.db, app.vault, "ENCRYPTION_KEY");
    const other = createVault({ encryptionKey: "the key of somebody else" });
    expect(checkEncryptionKey(app.db, other, "the key file /data/secret.key")).rejects.toThrow(
      "/data/secret.key is not",
    );
    expect((await list()).text).not.toContain("_encryption_key_check");
  });
});
