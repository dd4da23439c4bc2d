/** Somebody adds destinations and rules of alerts, tries them and reads the delivery log, in a real browser. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { generateKeyPairSync, sign } from "node:crypto";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createApiKey, setOption } from "../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  type ConsolePage,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startConsoleFixture,
} from "../../support/e2e/console-page.ts";
import { startFakeReceivers } from "../../support/e2e/fake-receivers.ts";
import { startGateway } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const PASSWORD = "lock-keeper-9";
const TITLES = {
  en: { test: "Test alert", leaked: "An API key was found in public" },
  zh: { test: "测试告警", leaked: "令牌已公开泄露" },
} as const;
const receivers = await startFakeReceivers();
afterAll(receivers.stop);
const { browser, gateway, root } = await startConsoleFixture(() =>
  startGateway({ env: { ALLOW_PRIVATE_WEBHOOKS: "true", NODE_EXTRA_CA_CERTS: receivers.certificate } }),
);

/** Reports API keys as found in public, as GitHub's scanner does. Resolves with its verdicts. */
const scanner = generateKeyPairSync("ec", { namedCurve: "P-256" });
receivers.state.publicKeys = {
  public_keys: [{ key_identifier: "current", key: scanner.publicKey.export({ type: "spki", format: "pem" }) }],
};
async function reportLeak(token: string, url: string): Promise<unknown> {
  const body = JSON.stringify([{ token, type: "sluice", url }]);
  const headers = {
    "github-public-key-identifier": "current",
    "github-public-key-signature": sign("sha256", Buffer.from(body), scanner.privateKey).toString("base64"),
  };
  return (await fetch(`${gateway.url}/api/key-leaks/report`, { method: "POST", headers, body })).json();
}

describe("alerts", () => {
  const all = WORDS.en;
  const words = all.alerts;
  const { form, rules, log } = words;
  const hook = words.fields.webhook;
  let consolePage: ConsolePage;
  beforeAll(async () => {
    consolePage = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
  });
  afterAll(() => consolePage.close());

  const fill = (label: string, value: string) => consolePage.page.getByLabel(label, { exact: true }).fill(value);
  const choose = async (label: string, option: string) => {
    await consolePage.page.getByRole("combobox", { name: label, exact: true }).click();
    await consolePage.page.getByRole("option", { name: option, exact: true }).click();
  };
  const name = "night-east";

  test("a destination is added, tried, and its delivery stands in the log", async () => {
    const { page } = consolePage;
    await consolePage.open("/alerts");
    await page.getByText(words.empty.title).waitFor();
    await page.getByText(rules.empty.title).waitFor();
    await consolePage.expectAccessible();

    await consolePage.button(words.add).first().click();
    const drawer = consolePage.dialog(form.addTitle);
    await choose(form.type, words.types.webhook);
    await consolePage.button(form.add, drawer).click();
    await drawer.getByText(form.errors.required).first().waitFor();
    await fill(hook.url.label, `${receivers.secureUrl}/hook`);
    await consolePage.button(form.generate, drawer).click();
    await fill(words.columns.name, name);
    await consolePage.expectAccessible();
    await consolePage.button(form.add, drawer).click();
    await consolePage.waitForNotice(fillPlaceholders(words.saved, { name }));
    const row = consolePage.row(name).first();
    await row.getByText(words.states.on).waitFor();

    const count = receivers.count();
    await consolePage.chooseRowAction(name, words.test);
    await consolePage.waitForNotice(fillPlaceholders(words.sentToast, { name }));
    const received = await receivers.after(count);
    expect(received.headers["webhook-signature"]).toStartWith("v1,");
    expect(received.body).toMatchObject({ type: "test" });
    await consolePage.row(log.states.delivered).filter({ hasText: name }).first().waitFor();
    await consolePage.expectAccessible();
  }, 120_000);

  test("the destination is edited without its secret, a failure is shown, and the delivery is sent again", async () => {
    const { page } = consolePage;
    await page.getByRole("heading", { name: words.destinations }).waitFor();
    await consolePage.chooseRowAction(name, words.edit);
    const drawer = consolePage.dialog(fillPlaceholders(form.editTitle, { name }));
    expect(await page.getByLabel(hook.secret.label, { exact: true }).inputValue()).toBe("");
    await drawer.getByText(form.stored).waitFor();
    await fill(hook.url.label, "https://127.0.0.1:1/closed");
    await consolePage.button(form.save, drawer).click();
    await consolePage.waitForNotice(fillPlaceholders(words.saved, { name }));
    await consolePage.chooseRowAction(name, words.test);
    await page
      .getByText(fillPlaceholders(words.notSent, { name, error: "" }), { exact: false })
      .first()
      .waitFor();
    const failed = consolePage.row(log.states.failed).filter({ hasText: name }).first();
    await failed.waitFor();

    await consolePage.chooseRowAction(name, words.edit);
    await fill(hook.url.label, `${receivers.secureUrl}/hook`);
    await consolePage.button(form.save, consolePage.dialog()).click();
    await consolePage.waitForNotice(fillPlaceholders(words.saved, { name }));
    const count = receivers.count();
    const title = fillPlaceholders(all.components.table.actionsFor, {
      name: `${TITLES.en.test}, ${name}`,
    });
    await consolePage.button(title, failed).click();
    await page.getByRole("menuitem", { name: log.resend, exact: true }).click();
    await receivers.after(count);
    await failed.waitFor({ state: "detached" });
  }, 120_000);

  test("a rule says in money from when on a user spends too much", async () => {
    const { form } = rules;
    await consolePage.button(rules.add).first().click();
    const drawer = consolePage.dialog(form.addTitle);
    await choose(rules.columns.event, all.alertEvents.names.spending);
    expect(await drawer.getByLabel(form.units.quota, { exact: true }).inputValue()).toBe("50");
    await fill(form.units.quota, "12*10");
    await consolePage.button(form.periods.week, drawer).click();
    await choose(form.per, form.spenders.user);
    await fill(form.subject, "barge");
    await consolePage.expectAccessible();
    await consolePage.button(form.add, drawer).click();
    await consolePage.waitForNotice(rules.saved);
    const event = all.alertEvents.names.spending;
    const { spendingOne, periods } = rules.when;
    const when = fillPlaceholders(spendingOne, { threshold: "$120.00", period: periods.week, subject: "barge" });
    await consolePage.row(event).getByText(when).waitFor();
    const spending = { threshold: 60_000_000, period: "week", per: "user", subject: "barge" };
    expect(await root.get("/api/alerts/rules/?scope=site")).toMatchObject([{ event: "spending", ...spending }]);
    await consolePage.chooseRowAction(event, rules.delete);
    await consolePage.button(rules.delete, consolePage.dialog(rules.deleteTitle)).click();
    await consolePage.waitForNotice(rules.deletedToast);
  }, 120_000);

  test("a rule is added, switched off and deleted, then the destination is", async () => {
    await consolePage.button(rules.add).first().click();
    const drawer = consolePage.dialog(rules.form.addTitle);
    await choose(rules.columns.event, all.alertEvents.names.error_rate);
    await fill(rules.form.units.percent, "101");
    await consolePage.button(rules.form.add, drawer).click();
    await drawer.getByText(fillPlaceholders(rules.form.errors.threshold, { min: 1, max: 100 })).waitFor();
    await fill(rules.form.units.percent, "30");
    await drawer.getByRole("checkbox", { name }).check();
    await consolePage.expectAccessible();
    await consolePage.button(rules.form.add, drawer).click();
    await consolePage.waitForNotice(rules.saved);
    const event = all.alertEvents.names.error_rate;
    await consolePage.row(event).getByText(name).first().waitFor();
    expect(await root.get("/api/alerts/rules/?scope=site")).toMatchObject([{ event: "error_rate", threshold: 30 }]);
    await consolePage.chooseRowAction(event, rules.disable);
    await consolePage.waitForNotice(rules.disabledToast);
    await consolePage.chooseRowAction(event, rules.delete);
    await consolePage.button(rules.delete, consolePage.dialog(rules.deleteTitle)).click();
    await consolePage.waitForNotice(rules.deletedToast);

    await consolePage.chooseRowAction(name, words.edit);
    await choose(form.digest, fillPlaceholders(form.everyMinutes, { minutes: 60 }));
    await consolePage.page.getByRole("switch", { name: form.quiet }).click();
    await fill(form.quietFrom, "22:00");
    await fill(form.quietUntil, "07:30");
    await fill(form.timeZone, "Asia/Shanghai");
    await consolePage.expectAccessible();
    await consolePage.button(form.save, consolePage.dialog()).click();
    await consolePage.waitForNotice(fillPlaceholders(words.saved, { name }));
    expect(await root.get("/api/alerts/destinations?scope=site")).toMatchObject([
      { digest_minutes: 60, quiet_from: "22:00", quiet_until: "07:30", time_zone: "Asia/Shanghai" },
    ]);

    await consolePage.chooseRowAction(name, words.delete);
    await consolePage.button(words.delete, consolePage.dialog(fillPlaceholders(words.deleteTitle, { name }))).click();
    await consolePage.waitForNotice(fillPlaceholders(words.deletedToast, { name }));
    expect(await root.get("/api/alerts/destinations?scope=site")).toEqual([]);
  }, 120_000);

  test("a key that was found in public is disabled, marked, logged and reported", async () => {
    const { settings, apiKeys, logNotes } = all;
    const { page, button, row } = consolePage;
    await consolePage.open("/setting?tab=system&section=keyLeaks");
    const address = page.getByLabel(settings.fields.LeakReportKeysUrl.label, { exact: true });
    await address.fill(`${receivers.secureUrl}/public_keys`);
    await consolePage.expectAccessible();
    await button(/^(Save|保存)/).click();
    await until(
      async () => (await root.get("/api/option/")) as { key: string; value: string }[],
      (options) => options.some(({ key, value }) => key === "LeakReportKeysUrl" && value !== ""),
    );
    const config = { url: `${receivers.secureUrl}/hook`, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };
    const destination = { type: "webhook", name, language: "en", enabled: true, config };
    const { id } = await root.post("/api/alerts/destinations?scope=site", destination);
    const rule = { event: "key_leaked", threshold: 5, window_minutes: 10, destination_ids: [id], enabled: true };
    const { id: ruleId } = await root.post("/api/alerts/rules/?scope=site", rule);
    const leaked = await createApiKey(root, { name });
    const url = "https://github.com/o/r/blob/1/a.env";
    expect(await reportLeak(leaked.key, url)).toMatchObject([{ label: "true_positive" }]);
    const count = receivers.count();
    await root.post("/api/jobs/alert%20rules/run");
    expect((await receivers.after(count)).body).toMatchObject({ type: "key_leaked" });
    await consolePage.open("/token");
    const mark = row(name).getByText(apiKeys.status.leaked, { exact: true });
    await mark.hover();
    await page.getByRole("tooltip").getByText(url).waitFor();
    await consolePage.expectAccessible();
    const toggle = { name: fillPlaceholders(apiKeys.toggle, { name }) };
    await page.getByRole("switch", { ...toggle, checked: false }).click();
    await page.getByRole("switch", { ...toggle, checked: true }).waitFor();
    await mark.waitFor();
    await consolePage.open("/log?type=4");
    await page.getByText(fillPlaceholders(logNotes.texts.key_leaked_disabled, { name, url })).first().waitFor();
    await consolePage.open("/alerts");
    const title = TITLES.en.leaked;
    await row(log.states.delivered).filter({ hasText: name }).filter({ hasText: title }).first().waitFor();
    await root.delete(`/api/alerts/rules/${ruleId}?scope=site`);
    await root.delete(`/api/alerts/destinations/${id}?scope=site`);
    await setOption(root, "LeakReportKeysUrl", "");
    expect(consolePage.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  }, 120_000);

  test("a user has destinations and rules of their own among the personal settings", async () => {
    const username = "keeper-east";
    await root.post("/api/user/", { username, password: PASSWORD });
    const own = await openConsolePage(browser, gateway, BOTH_VIEWPORTS, { username, password: PASSWORD });
    await own.open("/personal?tab=alerts");
    await own.page.getByText(words.empty.own).waitFor();
    await own.button(rules.add).first().click();
    await own.page.getByRole("combobox", { name: rules.columns.event, exact: true }).click();
    const events = await own.page.getByRole("option").allTextContents();
    expect(events).toContain(all.alertEvents.names.key_budget);
    expect(events).not.toContain(all.alertEvents.names.channel_disabled);
    await own.page.keyboard.press("Escape");
    await own.expectAccessible();
    await own.close();
  }, 120_000);

  test("its pages can be read in Chinese on a phone", async () => {
    await expectChinesePages(browser, gateway, ["/alerts", "/setting?tab=system&section=keyLeaks", "/token"]);
    const keeper = { username: "keeper-east", password: PASSWORD };
    await expectChinesePages(browser, gateway, ["/personal?tab=alerts"], keeper);
  }, 120_000);
});
