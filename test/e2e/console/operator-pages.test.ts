/** An administrator checks the books, asks the router and the doctor, reads the audit log and jumps about, in a real browser. */
import { afterAll, describe, expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { recordText } from "../../../src/billing/journal/apply/record-text.ts";
import { RejectedRecords } from "../../../src/billing/journal/rejected/rejected.ts";
import { usageRecord } from "../../support/billing/start-billing.ts";
import { startFakeStripe } from "../../support/console/fake-stripe.ts";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createApiKey, createChannel, setOptions } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openConsolePage, startBrowserFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { ENGINES, emptyDatabase, setUp, startGateway } from "../../support/e2e/fixture.ts";
import { makeCertificate } from "../../support/lib/certificate.ts";
import { until } from "../../support/lib/until.ts";
import { gatewayCommand } from "../../support/processes/gateway.ts";

const MODEL = "usage-1000-500";

const stripe = startFakeStripe();
afterAll(() => stripe.stop());
const { browser, fixture } = await startBrowserFixture([MODEL], { env: { STRIPE_API_URL: stripe.url } });
const { root, gateway, upstream, key } = fixture;
const spare = await createChannel(root, upstream.url, [MODEL], { name: "spare", priority: -1 });
await createChannel(root, upstream.url, [MODEL], { name: "for friends", group: "vip" });
const { id: ferry } = await root.post("/api/user/", { username: "ferry", password: "lock-keeper-9" });
const { id: token } = await createApiKey(root, { name: "my program" });
const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
});
expect(reply.status).toBe(200);
await reply.text();
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);

describe("the pages of an operator", () => {
  test("the books are added up again and nothing is off", async () => {
    const words = WORDS.en.ledgerCheck;
    await consolePage.open("/books");
    await consolePage.button(words.check).click();
    const books = Object.keys(words.names).length;
    await consolePage.page
      .getByText(words.right, { exact: true })
      .nth(books - 1)
      .waitFor();
    expect(await consolePage.page.getByText(/\d off$/).count()).toBe(0);
    await consolePage.expectAccessible();
  }, 120_000);

  test("charges that the database refused are shown with the reason, charged again and dismissed", async () => {
    const words = WORDS.en.ledgerCheck.setAside;
    const { page } = consolePage;
    const { id: userId, used_quota: before } = await root.get("/api/user/self");
    const rejected = new RejectedRecords(path.join(gateway.dataDir, "journal"));
    const setAside = (modelName: string, isCharged: boolean) => {
      const text = recordText(usageRecord({ userId, quota: 777, modelName }));
      return rejected.add("a process", { text, end: 0 }, { reason: `no room for ${modelName}`, isCharged });
    };
    await consolePage.open("/books");
    await page.getByText(words.none, { exact: true }).waitFor();
    await setAside("model-a", false);
    await consolePage.load("/books");
    await page.getByText("no room for model-a").waitFor();
    await page.getByText(words.uncharged, { exact: true }).waitFor();
    await consolePage.expectAccessible();
    await consolePage.button(words.charge).click();
    await page.getByText(words.none, { exact: true }).waitFor();
    await until(
      async () => (await root.get("/api/user/self")).used_quota,
      (used) => used === before + 777,
    );
    await setAside("model-b", true);
    await consolePage.load("/books");
    await page.getByText(words.charged, { exact: true }).waitFor();
    await consolePage.button(words.dismiss).click();
    await page.getByRole("dialog").getByRole("button", { name: words.dismiss }).click();
    await page.getByText(words.none, { exact: true }).waitFor();
  }, 120_000);

  test("logged requests are set aside, replayed against a model, and shown side by side", async () => {
    const { set, form, status, replay, before } = WORDS.en.replays;
    const { page, button } = consolePage;
    await setOptions(root, { LogChatContentEnabled: "true" });
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "What is a lock?" }] }),
    });
    await until(async () => {
      const [row] = (await root.get("/api/log/?p=1&page_size=1")).items;
      return row?.other.includes("What is a lock?");
    });
    await consolePage.open("/replays");
    await button(set.create).click();
    await page.getByRole("dialog").getByRole("button", { name: set.create }).click();
    await button(replay).click();
    await page.getByLabel(form.model).fill(MODEL);
    await button(form.start).click();
    await page.getByRole("link", { name: MODEL }).click();
    await page.getByText(status.complete, { exact: true }).waitFor();
    await page.getByText(before, { exact: true }).first().waitFor();
    await consolePage.expectAccessible();
    await setOptions(root, { LogChatContentEnabled: "false" });
  }, 120_000);

  test("a visitor reads a model's page; the brand is seen before it is saved", async () => {
    const words = WORDS.en;
    const { page } = consolePage;
    await consolePage.open("/setting?tab=other&section=identity");
    await page.getByLabel(words.settings.fields.HomeTitle.label).fill("Models of the harbor");
    await page.getByLabel(words.settings.fields.BrandColor.label).fill("#1d4ed8");
    const preview = page.frameLocator("main iframe");
    await preview.getByRole("heading", { name: "Models of the harbor" }).waitFor();
    await consolePage.button(/^Save/).click();
    await consolePage.expectAccessible();
    await until(
      async () => (await fetch(`${gateway.url}/`)).text(),
      (html) => html.includes("<h1>Models of the harbor</h1>") && html.includes("/brand.css"),
    );
    await consolePage.load(`/model/${MODEL}`);
    await page.getByRole("heading", { name: MODEL }).waitFor();
    const main = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--sl-palette-primary-main"));
    expect(await until(main, (color) => color !== "")).toContain("#1d4ed8");
    await page.getByLabel(words.model.workload.requests).fill("0");
    await page.getByRole("status").getByText("$0.00", { exact: true }).waitFor();
    await consolePage.expectAccessible();
    const raw = await (await fetch(`${gateway.url}/model/${MODEL}`)).text();
    expect(raw).toContain(`<h1>${MODEL}</h1>`);
  }, 120_000);

  test("the router says where a call would go, and why not elsewhere", async () => {
    const words = WORDS.en.explain;
    await consolePage.open("/router");
    await consolePage.waitForNotice(words.idleTitle);
    await consolePage.page.getByLabel(words.model).fill(MODEL);
    await consolePage.button(words.ask).click();
    await consolePage.row("spare").getByText(words.reasons.later).waitFor();
    await consolePage.row("for friends").getByText(words.reasons.other_group).waitFor();
    await consolePage.row(words.reasons.none).waitFor();
    await consolePage.expectAccessible();
    await consolePage.page.getByLabel(words.model).fill("nobody-has-this");
    await consolePage.button(words.ask).click();
    await consolePage.waitForNotice(words.emptyTitle);
  }, 120_000);

  test("the doctor examines everything, and says the fix for what it finds", async () => {
    const words = WORDS.en.diagnostics;
    await consolePage.open("/doctor");
    const { checks } = await fixture.root.get("/api/doctor/");
    const again = consolePage.button(words.again);
    await consolePage.page.getByText(words.waits, { exact: true }).first().waitFor({ state: "detached" });
    await consolePage.page.getByText(/^(No problems found|\d+ problems? found)$/).waitFor();
    for (const { title } of checks) await consolePage.page.getByRole("heading", { name: title, exact: true }).waitFor();
    expect(await consolePage.page.getByText(words.states.fail, { exact: true }).count()).toBe(0);
    await until(() => again.isEnabled());
    await consolePage.expectAccessible();
  }, 120_000);

  test("the jobs are listed with their last run, and one is run at once", async () => {
    const words = WORDS.en.jobs;
    await consolePage.open("/jobs");
    const row = consolePage.row(words.names["unpaid orders"]);
    await row.getByText(words.states.never, { exact: true }).waitFor();
    await row.getByRole("button", { name: words.run }).click();
    await row.getByText(words.states.succeeded, { exact: true }).waitFor();
    const { jobs } = await fixture.root.get("/api/jobs/");
    expect(jobs.find(({ name }: { name: string }) => name === "unpaid orders")).toMatchObject({
      state: "succeeded",
      holder: expect.stringMatching(/:\d+$/),
    });
    // Every process runs it for itself: there is nothing to begin.
    const own = consolePage.row(words.names.notifications);
    await own.waitFor();
    expect(await own.getByRole("button").count()).toBe(0);
    await consolePage.expectAccessible();
  }, 120_000);

  test("the audit log shows who did what, with before and after, and is filtered", async () => {
    const words = WORDS.en.audit;
    const { items } = await fixture.root.get("/api/user/search?keyword=ferry");
    await fixture.root.put("/api/user/", { id: items[0].id, note: "pays late" });
    await consolePage.open("/audit");
    await consolePage.page.getByRole("searchbox", { name: words.filters.search }).fill("ferry");
    await consolePage.page.waitForURL("**search=ferry**");
    await consolePage.row(/ferry/).first().click();
    const entry = consolePage.dialog(/ferry/);
    await entry.getByText("pays late").waitFor();
    await consolePage.expectAccessible();
    await consolePage.button(WORDS.en.components.close, entry).click();
    const file = await consolePage.download(() => consolePage.button(WORDS.en.components.exportCsv).click());
    expect(file.name).toMatch(/^audit-log-[\d-]+\.csv$/);
    expect(file.text).toContain("pays late");
    await consolePage.button(words.filters.action).click();
    await consolePage.page.getByText(words.actions.promote, { exact: true }).click();
    await consolePage.waitForNotice(words.none.title);
    expect(new URL(consolePage.page.url()).searchParams.get("action")).toBe("promote");
  }, 120_000);

  test("the audit log shows what an edit of a channel changed, and only that", async () => {
    const form = WORDS.en.channels.form;
    await consolePage.open(`/channel/edit/${spare}`);
    const drawer = consolePage.dialog(fillPlaceholders(form.editTitle, { name: "spare" }));
    await drawer.getByLabel(form.weight, { exact: true }).fill("7");
    await drawer.getByLabel(form.tag, { exact: true }).fill("north");
    await consolePage.button(form.save, drawer).click();
    await drawer.waitFor({ state: "detached" });
    await consolePage.open(`/audit?action=update&search=(%23${spare})`);
    const { fields, empty } = WORDS.en.audit;
    const row = consolePage.row("spare").filter({ hasText: `${fields.weight}: 0 → 7` });
    await row.getByText(`${fields.tag}: ${empty} → north`).waitFor();
    await row.click();
    const entry = consolePage.dialog(/spare/);
    const lines = entry.getByRole("listitem");
    await lines.filter({ hasText: fields.weight }).locator("del", { hasText: "0" }).waitFor();
    await lines.filter({ hasText: fields.weight }).locator("ins", { hasText: "7" }).waitFor();
    expect(await lines.count()).toBe(2);
    await consolePage.button(WORDS.en.components.close, entry).click();
  }, 120_000);

  test("single keys are shortcuts until they are switched off, which the palette can undo", async () => {
    const { page, dialog } = consolePage;
    const { keyboard, palette } = WORDS.en.shell;
    const help = dialog(keyboard.title);
    await consolePage.open("/user");
    await consolePage.row("ferry").waitFor();
    await page.keyboard.press("j");
    expect(await page.locator("[data-row]:focus").count()).toBe(1);
    await page.keyboard.press("?");
    await help.getByText(keyboard.move).waitFor();
    await consolePage.expectAccessible();
    await help.getByRole("switch", { name: keyboard.single }).uncheck();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.reload();
    await consolePage.row("ferry").waitFor();
    for (const key of ["j", "/", "?"]) await page.keyboard.press(key);
    expect(await page.locator("[data-row]:focus, input:focus, [role=dialog]").count()).toBe(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: palette.placeholder }).fill(keyboard.title);
    await page.keyboard.press("Enter");
    await help.getByRole("switch", { name: keyboard.single }).check();
    await page.keyboard.press("Escape");
  }, 120_000);

  test("the palette jumps to pages, users, channels, keys and settings by keyboard", async () => {
    const { page } = consolePage;
    const words = WORDS.en.shell.palette;
    /** `place`: where the choice must stand, if that matters. */
    const jump = async (text: string, choice: string, place?: number) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: words.placeholder }).fill(text);
      const option = page.getByRole("option", { name: choice, exact: true });
      await option.waitFor();
      if (place !== undefined) {
        expect(await page.getByRole("option").nth(place).getAttribute("aria-label")).toBe(choice);
      }
      while ((await option.getAttribute("aria-selected")) !== "true") await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
    };
    await consolePage.open("/token");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await jump("diagnostics", fillPlaceholders(words.goTo, { page: WORDS.en.shell.doctor }));
    await page.waitForURL("**/doctor");
    for (const [name, path] of [
      [WORDS.en.shell.prices, "/pricing"],
      [WORDS.en.shell.reference, "/reference"],
      [WORDS.en.keyUsage.title, "/key"],
    ] as const) {
      await jump(name, fillPlaceholders(words.goTo, { page: name }));
      await page.waitForURL(`**${path}`);
    }
    await jump("ferry", fillPlaceholders(words.find.users, { text: "ferry" }));
    await page.waitForURL("**/user?search=ferry");
    await consolePage.row("ferry").waitFor();
    await jump("spare", fillPlaceholders(words.find.channels, { text: "spare" }));
    await page.waitForURL("**/channel?search=spare");
    await consolePage.row("spare").waitFor();
    await jump("ferr", fillPlaceholders(words.hit.user, { name: "ferry", id: ferry }));
    await page.waitForURL(`**/user/edit/${ferry}`);
    await consolePage.dialog(/ferry/).waitFor();
    await jump("spar", fillPlaceholders(words.hit.channel, { name: "spare", id: spare }));
    await page.waitForURL(`**/channel/edit/${spare}`);
    await consolePage.dialog(/spare/).waitFor();
    await jump("program", fillPlaceholders(words.hit.token, { name: "my program", id: token }));
    await page.waitForURL("**/token?search=my*program");
    await consolePage.row("my program").waitFor();
    await jump(String(ferry), fillPlaceholders(words.hit.user, { name: "ferry", id: ferry }));
    await page.waitForURL(`**/user/edit/${ferry}`);
    await page.keyboard.press("Escape");
    // What is named exactly comes first, and actions need no page.
    await jump("channels", fillPlaceholders(words.goTo, { page: WORDS.en.shell.channels }), 0);
    await page.waitForURL("**/channel");
    await jump("create key", WORDS.en.apiKeys.add, 0);
    await consolePage.dialog(WORDS.en.apiKeys.form.createTitle).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/token");
    await jump("new user", WORDS.en.users.form.add, 0);
    await page.waitForURL("**/user/add");
    await page.keyboard.press("Escape");
    await jump("new codes", WORDS.en.codes.add, 0);
    await consolePage.dialog(WORDS.en.codes.form.createTitle).waitFor();
    await page.keyboard.press("Escape");
    const id = "01a1fccd-8c35-7205-b224-8376fd1c373f";
    await jump(id, fillPlaceholders(words.hit.request, { id }), 0);
    await page.waitForURL(`**/log/${id}`);
    const { fields, sections } = WORDS.en.settings;
    const setting = (section: "general" | "linuxdo", key: "RetryTimes" | "LinuxDOClientId") =>
      fillPlaceholders(words.setting, { name: `${sections[section].title} · ${fields[key].label}` });
    await jump("retry", setting("general", "RetryTimes"));
    await page.waitForURL("**/setting?**RetryTimes**");
    await page.waitForFunction(() => document.activeElement?.id === "setting-RetryTimes");
    await jump("client id", setting("linuxdo", "LinuxDOClientId"));
    await page.waitForFunction(() => document.activeElement?.id === "setting-LinuxDOClientId");
    const { origin } = new URL(page.url());
    const opened = page
      .context()
      .waitForEvent("request", (request) => request.url() === `${origin}/docs/contributing/kill-test`);
    const popup = page.waitForEvent("popup");
    await jump("kill test", fillPlaceholders(words.docs, { page: "The kill test" }));
    await opened;
    await (await popup).close();
    // The page's own documentation, and that of a form.
    await consolePage.open("/channel/add");
    const help = page.getByRole("link", { name: WORDS.en.components.documentation, includeHidden: true });
    await help.nth(1).waitFor({ state: "attached" });
    for (const link of await help.all()) expect(await link.getAttribute("href")).toBe("/docs/guide/channels");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: words.placeholder }).fill("zzzz zzzz zzzz");
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: words.placeholder }).waitFor({ state: "detached" });
  }, 120_000);

  test("no key is lost while the palette is loaded, and none gets to the page", async () => {
    const { page } = consolePage;
    const { palette } = WORDS.en.shell;
    await consolePage.load("/channel");
    await consolePage.row("spare").waitFor();
    const held = Promise.withResolvers<void>();
    await page.route("**/*.js", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("jx live", { delay: 20 });
    for (let count = 0; count < 7; count += 1) await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("live re");
    held.resolve();
    const field = page.getByRole("combobox", { name: palette.placeholder });
    await field.waitFor();
    await field.press("q");
    expect(await field.inputValue()).toBe("live req");
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/live");
    await page.unroute("**/*.js");
  }, 60_000);

  test("an entry that stands for several pages shows them while one of them is open", async () => {
    const { page } = consolePage;
    const { shell } = WORDS.en;
    const menu = page.getByRole("navigation", { name: shell.nav, exact: true });
    const link = (name: string) => menu.getByRole("link", { name, exact: true });
    await consolePage.open("/channel");
    await link(shell.channels).waitFor();
    expect(await menu.getByRole("link").count()).toBeLessThanOrEqual(16);
    const monitoring = link(shell.groups.monitoring);
    expect(await monitoring.getAttribute("aria-expanded")).toBe("false");
    await monitoring.click();
    await page.waitForURL("**/live");
    expect(await monitoring.getAttribute("aria-expanded")).toBe("true");
    expect(await link(shell.live).getAttribute("aria-current")).toBe("page");
    await link(shell.audit).click();
    await page.reload();
    await link(shell.audit).waitFor();
    await link(shell.live).hover();
    await page.getByRole("tooltip", { name: shell.hints.live }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("tooltip").waitFor({ state: "detached" });
    await link(shell.channels).focus();
    await page.getByRole("tooltip", { name: shell.hints.channels }).waitFor();
    await consolePage.expectAccessible();
    await link(shell.channels).click();
    await link(shell.audit).waitFor({ state: "detached" });
  }, 60_000);

  test("nothing is wider than the window, from phones to screens, in the languages with the longest words", async () => {
    const { page } = consolePage;
    const wider: string[] = [];
    for (const language of ["fr", "ru"]) {
      await page.evaluate((code) => localStorage.setItem("i18nextLng", code), language);
      await consolePage.load("/channel");
      await page.locator("[data-row]").first().waitFor();
      for (const width of [320, 599, 640, 768, 834, 1000, 1001, 1100, 1239, 1240, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        const fits = page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, null, {
          timeout: 3000,
        });
        await fits.catch(() => wider.push(`${language} ${width}`));
      }
    }
    await page.evaluate(() => localStorage.setItem("i18nextLng", "en"));
    await page.setViewportSize({ width: VIEWPORTS.en.width, height: 900 });
    await consolePage.load("/channel");
    expect(wider).toEqual([]);
  }, 60_000);

  test("the console of an administrator begins with what the site does", async () => {
    await consolePage.load("/console");
    await consolePage.page.waitForURL("**/detail");
  }, 60_000);

  test("a company's provider signs its people in, and may manage them with a token", async () => {
    const { page, button, dialog, row, waitForNotice } = consolePage;
    const { identityProviders: providers, access } = WORDS.en;
    const folder = await mkdtemp(path.join(tmpdir(), "sluice-idp-"));
    const file = path.join(folder, "certificate.pem");
    await makeCertificate(file, path.join(folder, "key.pem"));
    const certificate = await Bun.file(file).text();
    await rm(folder, { recursive: true });
    await consolePage.open("/identity-providers");
    await button(providers.add).first().click();
    const form = dialog(providers.add);
    await form.getByRole("combobox", { name: providers.type, exact: true }).click();
    await page.getByRole("option", { name: providers.types.saml }).click();
    await form.getByLabel(providers.columns.name, { exact: true }).fill("Harbor SSO");
    await button(providers.add, form).click();
    await form.getByText(providers.required).first().waitFor();
    await form.getByLabel(providers.fields.entry_point).fill("https://idp.example.com/sso");
    await form.getByLabel(providers.fields.idp_issuer).fill("https://idp.example.com");
    await form.getByLabel(providers.fields.certificate).fill("not a certificate");
    await button(providers.add, form).click();
    await page.getByText(/can't be read/).waitFor();
    await form.getByLabel(providers.fields.certificate).fill(certificate);
    await form.getByRole("combobox", { name: providers.columns.domains }).fill("harbor.example");
    await page.keyboard.press("Enter");
    await consolePage.expectAccessible();
    await button(providers.add, form).click();
    await waitForNotice(providers.saved.replace("{{name}}", "Harbor SSO"));
    await row("Harbor SSO").getByText("harbor.example").waitFor();
    await consolePage.chooseRowAction("Harbor SSO", providers.scim.create);
    const issued = dialog(providers.scim.tokenTitle.replace("{{name}}", "Harbor SSO"));
    const scimToken = (await issued.locator("code").textContent()) ?? "";
    await consolePage.expectAccessible();
    await button(access.token.done, issued).click();
    const people = await fetch(`${gateway.url}/scim/v2/Users`, { headers: { authorization: `Bearer ${scimToken}` } });
    expect(people.status).toBe(200);
    await row("Harbor SSO").getByText(providers.scim.on, { exact: true }).waitFor();
  }, 120_000);

  test("a page that is older than the server still asks before it deletes, and says what it did", async () => {
    const old = await openConsolePage(browser, gateway, VIEWPORTS.en);
    const { identityProviders: providers, components } = WORDS.en;
    await old.open("/identity-providers");
    await old.button(components.table.actionsFor.replace("{{name}}", "Harbor SSO")).click();
    const item = old.page.getByRole("menuitem", { name: providers.delete, exact: true });
    await item.waitFor();
    await old.page.route("**/assets/**", (route) => route.fulfill({ status: 404 }));
    const questions: string[] = [];
    old.page.once("dialog", (dialog) => {
      questions.push(dialog.message());
      void dialog.accept();
    });
    await item.click();
    await old.page.getByText(providers.deleted.replace("{{name}}", "Harbor SSO")).waitFor();
    expect(questions).toEqual([
      `${providers.deleteTitle.replace("{{name}}", "Harbor SSO")}\n\n${providers.deleteBody}`,
    ]);
    await old.close();
  }, 60_000);

  test("a plan with a coupon is sold by card, with the customer's tax", async () => {
    const [rate, name, code] = [19, "Captain", "ANCHOR"] as const;
    const { page, button, dialog, row, waitForNotice } = consolePage;
    const { plans, settings } = WORDS.en;
    await setOptions(root, {
      ...{ ServerAddress: gateway.url, StripeSecretKey: "sk_test", StripeWebhookSecret: "whsec_test" },
    });
    await consolePage.open("/setting?tab=system&section=taxes");
    const rates = page.locator(`#setting-TaxRates .cm-content, #setting-TaxRates.cm-content`).first();
    await rates.fill(`{"DE": ${rate}}`);
    await page.getByLabel(settings.fields.TaxCountry.label).fill("DE");
    await button(new RegExp(`^${settings.save}`)).click();
    await until(
      async () => (await root.get("/api/option/")) as { key: string; value: string }[],
      (options) => options.some(({ key, value }) => key === "TaxRates" && value.includes(String(rate))),
    );
    await consolePage.open("/plan");
    await button(plans.form.add).first().click();
    const form = dialog(plans.form.add);
    await button(plans.form.save, form).click();
    await form.getByText(plans.form.nameMissing).waitFor();
    await form.getByLabel(plans.form.name, { exact: true }).fill(name);
    await form.getByLabel(plans.form.price, { exact: true }).fill("10");
    await form.getByLabel(plans.form.windowQuota, { exact: true }).fill("20");
    await consolePage.expectAccessible();
    await button(plans.form.save, form).click();
    await waitForNotice(plans.form.done);
    await row(name).getByText("$10.00").waitFor();
    await page.getByRole("tab", { name: plans.coupons.title }).click();
    await button(plans.coupons.add).first().click();
    const coupon = dialog(plans.coupons.add);
    await coupon.getByLabel(plans.coupons.code, { exact: true }).fill("a");
    await button(plans.coupons.add, coupon).click();
    await coupon.getByText(plans.coupons.codeInvalid).waitFor();
    await coupon.getByLabel(plans.coupons.code, { exact: true }).fill(code);
    await coupon.getByLabel(plans.coupons.percent, { exact: true }).fill("50");
    await consolePage.expectAccessible();
    await button(plans.coupons.add, coupon).click();
    await waitForNotice(plans.coupons.created);
    await row(code).getByText("50%").waitFor();

    const buyer = await openConsolePage(browser, gateway, VIEWPORTS.en, {
      username: "ferry",
      password: "lock-keeper-9",
    });
    await buyer.page.route("https://checkout.test/**", (route) => route.fulfill({ body: "Pay here" }));
    await buyer.open("/topup");
    await buyer.page.getByText(new RegExp(`${rate}%.*DE|DE.*${rate}%`)).waitFor();
    await buyer.page.getByRole("tab", { name: plans.title, exact: true }).click();
    await buyer.button(plans.subscribe).last().click();
    const sale = buyer.dialog(plans.subscribeTitle.replace("{{name}}", name));
    await sale.getByLabel(plans.coupons.coupon).fill(code.toLowerCase());
    await buyer.button(plans.coupons.check, sale).click();
    await sale.getByText(plans.coupons.applied.once.replace("{{price}}", "$5.00")).waitFor();
    await sale.getByRole("combobox", { name: plans.payWith }).click();
    await buyer.page.getByRole("option", { name: plans.payCard }).click();
    await buyer.expectAccessible();
    await buyer.button(plans.toCard, sale).click();
    await buyer.page.getByText("Pay here").waitFor();
    expect(buyer.complaints).toEqual([]);
    await buyer.close();
  }, 120_000);

  test("nothing complained", () => expect(consolePage.complaints).toEqual([]));

  test("they are readable and clean in Chinese on a phone", async () => {
    const phone = await openConsolePage(browser, fixture.gateway, VIEWPORTS.zh);
    const changed = fillPlaceholders(WORDS.zh.logNotes.texts.user_changed, { name: "ferry", id: ferry });
    for (const [path, title] of [
      ["/books", WORDS.zh.ledgerCheck.title],
      ["/plan", WORDS.zh.plans.title],
      ["/router", WORDS.zh.explain.title],
      ["/doctor", WORDS.zh.diagnostics.title],
      ["/jobs", WORDS.zh.jobs.title],
      ["/exports", WORDS.zh.sinks.title],
      ["/service-accounts", WORDS.zh.access.accounts.title],
      ["/admin-roles", WORDS.zh.access.roles.title],
      ["/experiments", WORDS.zh.experiments.title],
      ["/guardrails", WORDS.zh.guardrails.title],
      ["/replays", WORDS.zh.replays.title],
      ["/channel-checks", WORDS.zh.authenticity.title],
      ["/identity-providers", WORDS.zh.identityProviders.title],
      ["/sessions", WORDS.zh.sessions.title],
      ["/audit?search=修改了用户", WORDS.zh.audit.title],
      ["/notice", WORDS.zh.notifications.broadcast.page],
      ["/reference", WORDS.zh.shell.reference],
    ] as const) {
      await phone.open(path);
      await phone.page.getByRole("heading", { name: title, level: 1 }).waitFor();
      if (path === "/doctor")
        await phone.page.getByText(WORDS.zh.diagnostics.waits).first().waitFor({ state: "detached" });
      if (path.startsWith("/audit")) await phone.page.getByText(changed).first().waitFor();
      await phone.expectAccessible();
    }
    expect(phone.complaints).toEqual([]);
    await phone.close();
  }, 180_000);
});

describe("the doctor's command", () => {
  const examine = async (environment: Readonly<Record<string, string>>) => {
    const { DATABASE_URL, SQL_DSN, REDIS_URL, REDIS_CONN_STRING, ...rest } = process.env;
    const child = Bun.spawn([...gatewayCommand(), "doctor"], {
      env: { ...rest, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const text = await new Response(child.stdout).text();
    return { code: await child.exited, text };
  };
  const measured = /the gateway adds \d+\.\d\d ms \(median\) and \d+\.\d\d ms .* handles \d+ requests per second/;

  test("asks the gateway that runs, which measures itself and charges nobody", async () => {
    const before = (await fixture.root.get("/api/log/?p=1&page_size=1")).total;
    const { code, text } = await examine({ DATA_DIR: fixture.gateway.dataDir });
    expect(text).toMatch(measured);
    expect(text).toContain("In the last");
    expect(code).toBe(0);
    expect((await fixture.root.get("/api/log/?p=1&page_size=1")).total).toBe(before);
  }, 120_000);

  test.if(ENGINES.includes("postgres"))(
    "examines the data on a Postgres server while no gateway runs",
    async () => {
      const DATABASE_URL = await emptyDatabase();
      const gateway = await startGateway({ env: { DATABASE_URL } });
      await setUp(gateway);
      await gateway.stop();
      const { text } = await examine({ DATABASE_URL, DATA_DIR: gateway.dataDir });
      expect(text).toMatch(measured);
      expect(text).not.toContain("FAIL The database");
    },
    120_000,
  );
});
