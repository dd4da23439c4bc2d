/** A super administrator changes settings on every tab in a real browser. */
import { afterAll, describe, expect } from "bun:test";
import type { Locator } from "playwright";
import { SECTIONS } from "../../../ui/features/settings/sections.ts";
import { TABS } from "../../../ui/features/settings/setting-field.ts";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login, setOption } from "../../support/e2e/console-client.ts";
import {
  fillPlaceholders,
  openConsolePage,
  startConsoleFixture,
  startSeeded,
  VIEWPORTS,
} from "../../support/e2e/console-page.ts";
import { until } from "../../support/lib/until.ts";

const words = WORDS.en.settings;
const DOLLAR = 500_000;
const LOGS = 300;

/** What the page has saved, in order. */
const saved: { key: string; value: string }[] = [];

/** What the address of release information answers with. */
const release = { status: 200 };

/** An identity provider that publishes its addresses, and releases next to it. */
function startProvider() {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      new URL(url).pathname === "/release"
        ? Response.json({ tag_name: "v987.1.0", html_url: "https://example.test/987", body: "Faster." }, release)
        : new URL(url).pathname === "/.well-known/openid-configuration"
          ? Response.json({
              authorization_endpoint: "https://id.example.test/authorize",
              token_endpoint: "https://id.example.test/token",
              userinfo_endpoint: "https://id.example.test/me",
            })
          : new Response("not here", { status: 404 }),
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

const section = (id: string) => consolePage.page.locator(`[id="section-${id}"]`);
const field = (key: string) => consolePage.page.locator(`[id="setting-${key}"]`);
const optionOf = async (key: string): Promise<string | undefined> => {
  const options: { key: string; value: string }[] = await root.get("/api/option/");
  return options.find((option) => option.key === key)?.value;
};
const saveButton = () => consolePage.page.getByRole("tabpanel").getByRole("button", { name: /^Save( \d+ changes?)?$/ });
/** Saves what was changed and returns the keys that were sent, in order. `notice` is the text of an expected error. */
const savedKeys = async (notice?: string | RegExp): Promise<string[]> => {
  saved.length = 0;
  await saveButton().click();
  if (notice) await consolePage.waitForNotice(notice);
  // Nothing is left to be saved once everything is.
  else await consolePage.page.getByRole("button", { name: words.save, exact: true }).waitFor();
  return saved.map(({ key }) => key);
};
const openSection = async (tab: string, id: string) => {
  await consolePage.open(`/setting?tab=${tab}&section=${id}`);
  await section(id).getByRole("heading").first().waitFor();
};
/** Opens another section of the open tab; drafts stay. */
const selectSection = async (title: string) => {
  await consolePage.page.getByRole("navigation", { name: words.sectionsLabel }).getByText(title).click();
};
const toggle = (control: Locator) => control.click({ force: true });

const provider = startProvider();
afterAll(provider.stop);
const { browser, gateway, root } = await startConsoleFixture(() =>
  startSeeded({ channels: 1, users: 2, tokens: 2, logs: LOGS }, { UPDATE_CHECK_URL: `${provider.url}/release` }),
);
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);
consolePage.page.on("request", (request) => {
  if (request.method() === "PUT" && request.url().endsWith("/api/option")) saved.push(request.postDataJSON());
});

describe("settings", () => {
  test("only what was changed is saved, switches first; an unchanged form says so", async () => {
    await openSection("operation", "quota");
    expect(await savedKeys(words.nothingChanged)).toEqual([]);
    await field("QuotaForNewUser").fill("2");
    await field("PreConsumedQuota").fill("a few");
    await field("PreConsumedQuota").blur();
    await section("quota").getByText(words.errors.number).waitFor();
    expect(await savedKeys(words.checkInput)).toEqual([]);
    await field("PreConsumedQuota").fill("600");
    await toggle(field("RebateEnabled"));
    expect(await savedKeys()).toEqual(["RebateEnabled", "QuotaForNewUser", "PreConsumedQuota"]);
    expect([await optionOf("QuotaForNewUser"), await optionOf("RebateEnabled")]).toEqual([String(2 * DOLLAR), "true"]);
    await root.post("/api/user/", { username: "newcomer", password: "lock-keeper-9" });
    expect((await root.get("/api/user/search?keyword=newcomer")).items[0].quota).toBe(2 * DOLLAR);
  }, 120_000);

  test("a failure among several saves is shown, and what worked stays saved", async () => {
    await openSection("system", "login");
    await toggle(field("GitHubOAuthEnabled"));
    await toggle(field("RegisterEnabled"));
    const partly = words.partly.split(":")[0] ?? "";
    expect(await savedKeys(new RegExp(partly))).toEqual(["RegisterEnabled", "GitHubOAuthEnabled"]);
    expect([await optionOf("RegisterEnabled"), await optionOf("GitHubOAuthEnabled")]).toEqual(["false", "false"]);
    // What was refused is still there to be corrected.
    expect(await field("GitHubOAuthEnabled").isChecked()).toBe(true);
    await consolePage.button(words.discard).click();
    expect(await field("GitHubOAuthEnabled").isChecked()).toBe(false);
    await toggle(field("PasswordLoginEnabled"));
    await consolePage.button(WORDS.en.components.cancel, consolePage.dialog(words.passwordLogin.title)).click();
    expect(await field("PasswordLoginEnabled").isChecked()).toBe(true);
  }, 120_000);

  test("secrets are sent when typed, never shown again, and can be removed", async () => {
    await openSection("system", "smtp");
    await field("SMTPServer").fill("mail.example.test");
    await field("SMTPToken").fill("mail-secret-1");
    expect((await savedKeys()).sort()).toEqual(["SMTPServer", "SMTPToken"]);
    await section("smtp").getByText(words.secret.set).waitFor();
    expect(await field("SMTPToken").inputValue()).toBe("");
    expect(JSON.stringify(await root.get("/api/option/"))).not.toContain("mail-secret-1");
    await field("SMTPServer").fill("mail2.example.test");
    expect(await savedKeys()).toEqual(["SMTPServer"]);
    await section("smtp").getByRole("button", { name: words.secret.remove }).click();
    await consolePage.button(words.secret.remove, consolePage.dialog()).click();
    await section("smtp").getByText(words.secret.unset).waitFor();
  }, 120_000);

  test("payment wants the server's address; trailing slashes go; domains are checked one by one", async () => {
    // Set-up has stored the browser's.
    await setOption(root, "ServerAddress", "");
    await openSection("system", "payment");
    await field("EpayId").fill("1001");
    expect(await savedKeys(words.needsServerAddress)).toEqual([]);
    // The section of the missing option opens; the other's draft stays and is saved with it.
    await field("ServerAddress").fill("https://gate.example.test/");
    expect((await savedKeys()).sort()).toEqual(["EpayId", "ServerAddress"]);
    expect([await optionOf("ServerAddress"), await optionOf("EpayId")]).toEqual(["https://gate.example.test", "1001"]);
    await selectSection(words.sections.emailDomains.title);
    for (const [domain, notice] of [
      ["not a domain", words.domains.errors.invalid],
      ["example.test", words.domains.added],
      ["example.test", words.domains.errors.duplicate],
    ] as const) {
      await field("EmailDomainWhitelist").fill(domain);
      await section("emailDomains").getByRole("button", { name: words.domains.add }).click();
      await consolePage.waitForNotice(notice);
    }
    expect(await savedKeys()).toEqual(["EmailDomainWhitelist"]);
    expect(await optionOf("EmailDomainWhitelist")).toContain("example.test");
  }, 120_000);

  test("an identity provider's addresses are filled in by the server", async () => {
    await openSection("system", "oidc");
    const fillIn = () => section("oidc").getByRole("button", { name: words.discovery.action }).click();
    await field("oidc.well_known").fill("id.example.test");
    await fillIn();
    await consolePage.waitForNotice(words.discovery.address);
    await field("oidc.well_known").fill(`${provider.url}/nowhere`);
    await fillIn();
    await consolePage.waitForNotice(/^Failed to get the OIDC configuration/);
    await field("oidc.well_known").fill(`${provider.url}/.well-known/openid-configuration`);
    await fillIn();
    await consolePage.waitForNotice(words.discovery.done);
    expect(await field("oidc.token_endpoint").inputValue()).toBe("https://id.example.test/token");
    expect((await savedKeys()).sort()).toEqual([
      "oidc.authorization_endpoint",
      "oidc.token_endpoint",
      "oidc.user_info_endpoint",
      "oidc.well_known",
    ]);
    consolePage.complaints.length = 0;
  }, 120_000);

  test("limits of requests and habits of models: ranges, JSON with the place of its error, defaults", async () => {
    await openSection("ratelimit", "rateLimit");
    await field("ModelRequestRateLimitSuccessCount").fill("0");
    await field("ModelRequestRateLimitSuccessCount").blur();
    await section("rateLimit").getByRole("alert").waitFor();
    expect(await savedKeys(words.checkInput)).toEqual([]);
    await field("ModelRequestRateLimitSuccessCount").fill("900");
    expect(await savedKeys()).toEqual(["ModelRequestRateLimitSuccessCount"]);

    await openSection("models", "global");
    const interval = field("general_setting.ping_interval_seconds");
    expect(await interval.isDisabled()).toBe(true);
    await toggle(field("general_setting.ping_interval_enabled"));
    await interval.fill("20");
    expect(await savedKeys()).toEqual([
      "general_setting.ping_interval_enabled",
      "general_setting.ping_interval_seconds",
    ]);
    await selectSection(words.sections.claude.title);
    await field("claude.default_max_tokens").fill('{\n  "default": 8192,,\n}');
    await field("claude.default_max_tokens").blur();
    await section("claude")
      .getByText(fillPlaceholders(words.json.invalid, { line: 2, column: 19 }))
      .waitFor();
    expect(await savedKeys(words.checkInput)).toEqual([]);
    await section("claude").getByRole("button", { name: words.useDefault }).last().click();
    await field("claude.thinking_adapter_budget_tokens_percentage").fill("1.5");
    await field("claude.thinking_adapter_budget_tokens_percentage").blur();
    await section("claude").getByRole("alert").waitFor();
    await field("claude.thinking_adapter_budget_tokens_percentage").fill("0.5");
    expect(await savedKeys()).toEqual(["claude.thinking_adapter_budget_tokens_percentage"]);
  }, 120_000);

  test("the site's name, texts and links change for everybody at once", async () => {
    await openSection("other", "systemInfo");
    await section("systemInfo").getByText(words.system.databases.embedded).waitFor();
    await selectSection(words.sections.identity.title);
    await field("SystemName").fill("Lockside");
    expect(await savedKeys()).toEqual(["SystemName"]);
    await consolePage.page.waitForFunction(() => document.title.includes("Lockside"));
    await selectSection(words.sections.about.title);
    await field("About").fill("# Who we are\n<script>alert(1)</script>**lock keepers**");
    expect(await savedKeys()).toEqual(["About"]);
    await consolePage.open("/about");
    await consolePage.page.getByRole("heading", { name: "Who we are" }).waitFor();
    expect(await consolePage.page.locator("main script").count()).toBe(0);

    await openSection("operation", "chats");
    await consolePage.button(fillPlaceholders(words.chats.addUsual_other, { count: 5 }), section("chats")).click();
    await section("chats")
      .getByLabel(fillPlaceholders(words.chats.linkOf, { place: 5 }))
      .waitFor();
    await consolePage.button(words.discard).click();
    const add = consolePage.button(words.chats.add, section("chats"));
    for (const [at, name] of ["First", "Second"].entries()) {
      await add.click();
      await section("chats")
        .getByLabel(fillPlaceholders(words.chats.nameOf, { place: at + 1 }))
        .fill(name);
      const link = section("chats").getByLabel(fillPlaceholders(words.chats.linkOf, { place: at + 1 }));
      await link.fill(`https://${name.toLowerCase()}.example.test/?key={key}`);
    }
    await section("chats")
      .getByRole("button", { name: fillPlaceholders(words.chats.raise, { name: "Second" }) })
      .click();
    expect(await savedKeys()).toEqual(["Chats"]);
    expect(JSON.parse((await optionOf("Chats")) ?? "").map((entry: object) => Object.keys(entry)[0])).toEqual([
      "Second",
      "First",
    ]);
  }, 120_000);

  test("a default that is too long for a line is counted there, and shown when asked for", async () => {
    await openSection("operation", "monitoring");
    await section("monitoring")
      .getByText(fillPlaceholders(words.defaultEntries_other, { count: 7 }))
      .waitFor();
    await field("AutomaticDisableKeywords").fill("out of coal");
    await consolePage.button(words.showDefault, section("monitoring")).click();
    const label = words.fields.AutomaticDisableKeywords.label;
    const shown = consolePage.page.getByRole("region", { name: fillPlaceholders(words.defaultOf, { name: label }) });
    await shown.getByText("credit balance is too low").waitFor();
    await consolePage.button(words.useDefault, section("monitoring")).click();
    await shown.waitFor({ state: "detached" });
    expect(await field("AutomaticDisableKeywords").inputValue()).toContain("credit balance is too low");
  }, 120_000);

  test("any setting is found by its words and jumped to", async () => {
    await consolePage.open("/setting");
    await consolePage.page.getByLabel(words.search.label).fill("check-in quota");
    await consolePage.page.getByRole("option").first().waitFor();
    // Also when it is looked for once more.
    for (const _ of ["first", "again"]) {
      await consolePage.page.getByLabel(words.search.label).fill("budget");
      await consolePage.page.getByRole("option").filter({ hasText: "Claude" }).first().click();
      await consolePage.page.getByRole("tab", { name: words.tabs.models, selected: true }).waitFor();
      await section("claude").waitFor();
      await consolePage.page.waitForFunction(() => document.activeElement?.id.startsWith("setting-claude."));
    }
    await consolePage.page.getByLabel(words.search.label).fill("zzzz");
    await consolePage.page.getByText(words.search.none).waitFor();
  }, 120_000);

  test("all settings leave as a file and come back after a look at what would change", async () => {
    await openSection("other", "transfer");
    const panel = section("transfer");
    const { name, text } = await consolePage.download(() =>
      panel.getByRole("button", { name: words.transfer.export }).click(),
    );
    expect(name).toMatch(/^settings-\d{4}-\d\d-\d\d\.json$/);
    const content = JSON.parse(text);
    expect(content.options).toMatchObject({ SystemName: "Lockside", RetryTimes: expect.any(String) });
    expect(text).not.toContain("SMTPToken");
    const give = (options: object) =>
      panel.locator("input[type=file]").setInputFiles({
        name: "settings.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify({ ...content, options: { ...content.options, ...options } })),
      });
    await give({ RetryTimes: "many" });
    const drawer = consolePage.dialog(words.transfer.previewTitle);
    await drawer.getByText(fillPlaceholders(words.transfer.problems_one, { count: 1 })).waitFor();
    await consolePage.button(WORDS.en.components.cancel, drawer).click();
    await give({ RetryTimes: "7", SystemName: "Sluice" });
    await drawer.getByText("Lockside").waitFor();
    await consolePage.expectAccessible();
    await consolePage.button(fillPlaceholders(words.transfer.apply_other, { count: 2 }), drawer).click();
    await consolePage.waitForNotice(fillPlaceholders(words.transfer.imported_other, { count: 2 }));
    expect([await optionOf("RetryTimes"), await optionOf("SystemName")]).toEqual(["7", "Sluice"]);
  }, 120_000);

  test("what runs here is shown, and a newer release is looked for", async () => {
    await openSection("other", "systemInfo");
    const panel = section("systemInfo");
    const { version, commit } = await root.get("/api/system/info");
    await panel.getByText(version, { exact: true }).waitFor();
    await panel.getByText(commit, { exact: true }).waitFor();
    await panel.getByText(words.system.databases.embedded, { exact: true }).waitFor();
    await panel.getByRole("button", { name: words.system.check }).click();
    // What was built from source has no number to compare.
    await panel.getByRole("status").filter({ hasText: "987.1.0" }).waitFor();
    release.status = 503;
    await panel.getByRole("button", { name: words.system.check }).click();
    await consolePage.page.getByRole("alert").first().waitFor();
    release.status = 200;
  }, 120_000);

  test("deleting old log rows says how far it is and is stopped: what was not deleted stays", async () => {
    const total = async () => (await root.get("/api/log/?p=1&page_size=1")).total as number;
    const before = await total();
    await openSection("operation", "logging");
    const panel = section("logging");
    await consolePage.page.route("**/api/log/clear", () => {});
    await panel.getByRole("button", { name: words.clearLogs.action }).click();
    await consolePage.button(words.clearLogs.action, consolePage.dialog()).click();
    await panel.getByRole("progressbar").waitFor();
    await panel.getByText(fillPlaceholders(words.clearLogs.running, { count: 0 })).waitFor();
    await panel.getByRole("button", { name: words.clearLogs.stop }).click();
    await consolePage.waitForNotice(fillPlaceholders(words.clearLogs.stopped, { count: 0 }));
    await panel.getByRole("progressbar").waitFor({ state: "detached" });
    await consolePage.page.unroute("**/api/log/clear");
    expect(await total()).toBe(before);
  }, 120_000);

  test("old log rows are deleted, and the number is shown", async () => {
    const total = async () => (await root.get("/api/log/?p=1&page_size=1")).total as number;
    const before = await total();
    await openSection("operation", "logging");
    const panel = section("logging");
    await panel.getByRole("button", { name: words.clearLogs.action }).click();
    await consolePage.button(words.clearLogs.action, consolePage.dialog()).click();
    const notice = consolePage.page.getByText(/^[\d,]+ log (entry|entries) deleted$/);
    await notice.waitFor();
    const deletedCount = Number((await notice.textContent())?.replace(/\D/g, ""));
    expect(deletedCount).toBeGreaterThan(LOGS / 2);
    const after = await until(total, (count) => count < before);
    // The deletion itself is a row of the log.
    expect(before - after).toBe(deletedCount - 1);
  }, 120_000);

  test("administrators who are not the highest see no settings", async () => {
    const account = { username: "helper", password: "lock-keeper-9" };
    await root.post("/api/user/", account);
    const { userId } = await login(gateway, account.username, account.password);
    await root.post("/api/user/manage", { id: userId, action: "promote" });
    const admin = await openConsolePage(browser, gateway, VIEWPORTS.en, account);
    await admin.open("/setting");
    await admin.page.getByText(WORDS.en.shell.notPermitted.superAdminTitle).waitFor();
    expect(await admin.page.locator('[id^="setting-"]').count()).toBe(0);
    await admin.close();
  }, 120_000);

  test("nothing complained", () => {
    // Refused values are answered with statuses that browsers list as errors.
    expect(consolePage.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});

describe("settings in Chinese on a phone", () => {
  test("every tab fits and is readable, and saves", async () => {
    const chinese = WORDS.zh.settings;
    const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
    const titles = new Map(Object.entries(chinese.sections).map(([id, { title }]) => [id, title]));
    const select = async (title: string) => {
      await phone.page.getByRole("combobox", { name: chinese.sectionsLabel }).click();
      await phone.page.getByRole("option", { name: title, exact: true }).click();
      await phone.page.locator(".MuiMenu-root").waitFor({ state: "detached" });
    };
    for (const tab of TABS) {
      await phone.open(`/setting?tab=${tab}`);
      await phone.page.getByRole("tab", { name: chinese.tabs[tab], selected: true }).waitFor();
      // Sections without anything of their own have the same kinds of fields as the first one.
      const sections = SECTIONS.filter((section) => section.tab === tab);
      for (const [at, { id }] of sections.filter(({ extra }, at) => at === 0 || extra).entries()) {
        if (at > 0) await select(titles.get(id) ?? "");
        await phone.page.locator(`[id="section-${id}"]`).waitFor();
        await phone.expectAccessible();
      }
    }
    await select(chinese.sections.identity.title);
    await phone.page.locator('[id="setting-SystemName"]').fill("船闸");
    await phone.page.getByRole("button", { name: /^保存/ }).click();
    await phone.waitForNotice(chinese.saved);
    expect(await optionOf("SystemName")).toBe("船闸");
    expect(phone.complaints).toEqual([]);
    await phone.close();
  }, 180_000);
});
