/** Somebody sees to their account in a real browser: notices by every way, events, access token, prices, rewards, the end. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { createHmac } from "node:crypto";
import type { Page } from "playwright";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel, login, setOptions } from "../../support/e2e/console-client.ts";
import {
  type ConsolePage,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startConsoleFixture,
  VIEWPORTS,
} from "../../support/e2e/console-page.ts";
import { QR_IMAGE, startFakeReceivers } from "../../support/e2e/fake-receivers.ts";
import { CHEAPEST_ENGINE, type Session, setOption, startOn } from "../../support/e2e/fixture.ts";
import { zonesOfTwoDays } from "../../support/lib/time-zones.ts";
import { until } from "../../support/lib/until.ts";
import { startMailServer } from "../../support/notifications.ts";

const PASSWORD = "lock-keeper-9";
const DOLLAR = 500_000;
const ZONES = zonesOfTwoDays();
const MODELS = Array.from({ length: 12 }, (_, at) => `model-${at + 1}`);

const receivers = await startFakeReceivers();
const post = await startMailServer();
const { url, certificate } = receivers;
const env = {
  ...{ WECOM_BASE_URL: url, DINGTALK_BASE_URL: url, WXPUSHER_BASE_URL: url, BARK_BASE_URL: url },
  ALLOW_PRIVATE_WEBHOOKS: "true",
  NODE_EXTRA_CA_CERTS: certificate,
};
const { browser, gateway, root } = await startConsoleFixture(() => startOn(CHEAPEST_ENGINE, { env }));
afterAll(receivers.stop);
afterAll(post.stop);
await setOptions(root, {
  ServerAddress: gateway.url,
  SystemName: "Lock 7",
  SMTPServer: "127.0.0.1",
  SMTPPort: post.port,
  SMTPFrom: "gate@example.com",
  WxPusherAppToken: "app token",
  WxPusherEnabled: true,
  CheckInEnabled: true,
  CheckInTimeZone: ZONES.noon,
  CheckInQuota: DOLLAR,
  QuotaForInviter: 3 * DOLLAR,
  QuotaForInvitee: DOLLAR,
  RechargeCashbackRate: 5,
  MinRechargeCashbackQuota: 2 * DOLLAR,
});
await createChannel(root, receivers.url, MODELS);

const addUser = (username: string, more: object = {}) =>
  root.post("/api/user/", { username, password: PASSWORD, ...more });

const showQrCode = (page: Page) =>
  page.route(QR_IMAGE, (route) =>
    route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  );

describe("personal settings", () => {
  const words = WORDS.en;
  const { fields, methods } = words.notifications;
  const name = "owner";
  let consolePage: ConsolePage;
  let own: Session;

  beforeAll(async () => {
    await addUser(name);
    own = await login(gateway, name, PASSWORD);
    consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en, { username: name, password: PASSWORD });
    await consolePage.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await showQrCode(consolePage.page);
  });
  afterAll(() => consolePage.close());

  const settingOf = async () => JSON.parse((await own.get("/api/user/self")).setting);
  const qrCode = () => consolePage.page.getByRole("img", { name: words.notifications.push.image });
  const fill = (label: string, value: string) => consolePage.page.getByLabel(label, { exact: true }).fill(value);
  const choose = async (method: keyof typeof methods) => {
    await consolePage.page.getByRole("combobox", { name: words.notifications.method }).click();
    await consolePage.page.getByRole("option", { name: methods[method], exact: true }).click();
  };
  const save = async () => {
    await consolePage.button(words.notifications.save).click();
    await until(
      () => consolePage.button(words.notifications.test).isEnabled(),
      (isSaved) => isSaved,
    );
  };
  /** Saves the way that is filled in, and sends a test message. Returns what the service received. */
  const tryOut = async () => {
    await save();
    const before = receivers.count();
    await consolePage.button(words.notifications.test).click();
    return receivers.after(before);
  };

  test("notices go by mail, to another address than the account's", async () => {
    await consolePage.open("/personal?tab=notifications");
    await consolePage.page.getByText(words.notifications.noEmail).waitFor();
    await consolePage.page.getByText(words.notifications.thresholdHint, { exact: true }).waitFor();
    const threshold = consolePage.page.getByLabel(words.notifications.threshold, { exact: true });
    // What a new user starts with.
    expect(await threshold.inputValue()).toBe("0.20");
    await consolePage.button(words.notifications.test).click();
    await consolePage.waitForNotice(/No email address is set/);
    await fill(fields.notification_email.label, "bell@example.com");
    await save();
    expect(await settingOf()).toMatchObject({ quota_warning_threshold: 100_000 });
    await consolePage.page.getByText(words.notifications.thresholdHint, { exact: true }).waitFor();
    const mail = post.next();
    await consolePage.button(words.notifications.test).click();
    expect((await mail).to).toEqual(["bell@example.com"]);
    await consolePage.expectAccessible();
  });

  test("a webhook must be https, and is signed with its secret, which is never shown again", async () => {
    await choose("webhook");
    await consolePage.button(words.notifications.save).click();
    await consolePage.page.getByText(words.notifications.missing).waitFor();
    await fill(fields.webhook_url.label, `${receivers.url}/hook`);
    await fill(fields.webhook_secret.label, "hush");
    await consolePage.button(words.notifications.save).click();
    await consolePage.waitForNotice("The URL must be a valid https URL.");
    expect(await settingOf()).toMatchObject({ notify_type: "email" });
    await fill(fields.webhook_url.label, `${receivers.secureUrl}/hook`);
    const { path, headers, text, body } = await tryOut();
    expect(path).toBe("/hook");
    expect(body).toMatchObject({ type: "test", title: "Test notice" });
    expect(headers.authorization).toBe("Bearer hush");
    expect(headers["x-webhook-signature"]).toBe(createHmac("sha256", "hush").update(text).digest("hex"));
    await consolePage.page.reload();
    const secret = consolePage.page.getByLabel(fields.webhook_secret.label, { exact: true });
    expect(await secret.inputValue()).toBe("");
    expect(await secret.getAttribute("placeholder")).toBe(words.notifications.stored);
    await consolePage.button(words.notifications.remove).click();
    await save();
    expect(await settingOf()).toMatchObject({ notify_type: "webhook", webhook_secret_set: false });
  });

  test("robots of enterprise WeChat and DingTalk, with whom to mention; a rejection is shown", async () => {
    await choose("wecom");
    await fill(fields.wecom_key.label, "robot-key");
    expect(await tryOut()).toMatchObject({ path: "/cgi-bin/webhook/send", query: { key: "robot-key" } });
    await choose("dingtalk");
    await fill(fields.dingtalk_token.label, "ding-token");
    await fill(fields.dingtalk_secret.label, "SEC7");
    await fill(fields.dingtalk_mobiles.label, "13800000001, 13800000002");
    const { path, query, body } = await tryOut();
    expect(path).toBe("/robot/send");
    const { timestamp, sign } = query;
    expect(sign).toBe(createHmac("sha256", "SEC7").update(`${timestamp}\nSEC7`).digest("base64"));
    expect(body).toMatchObject({ at: { atMobiles: ["13800000001", "13800000002"] } });
    receivers.state.refusal = "keywords not in content";
    await consolePage.button(words.notifications.test).click();
    await consolePage.waitForNotice(/keywords not in content/);
    receivers.state.refusal = null;
    await consolePage.expectAccessible();
  });

  test("the push service, bound by a QR code and unbound", async () => {
    await choose("wxpusher");
    expect(await consolePage.button(words.notifications.save).isDisabled()).toBe(true);
    await consolePage.button(words.notifications.push.get).click();
    await qrCode().waitFor();
    await consolePage.expectAccessible();
    receivers.state.scannedBy = "UID_7";
    await consolePage.page.getByText(words.notifications.push.bound, { exact: true }).waitFor();
    receivers.state.scannedBy = null;
    expect(await tryOut()).toMatchObject({
      path: "/api/send/message",
      body: { appToken: "app token", uids: ["UID_7"] },
    });
    await consolePage.button(words.profile.bindings.unbind).click();
    await consolePage.button(words.profile.bindings.unbind, consolePage.dialog()).click();
    await consolePage.page.getByText(words.notifications.push.bound, { exact: true }).waitFor({ state: "detached" });
    expect(await settingOf()).toMatchObject({ notify_type: "email" });
  });

  test("Bark, Gotify and ntfy", async () => {
    await consolePage.open("/personal?tab=notifications");
    await choose("bark");
    await fill(fields.bark_key.label, "device");
    expect(await tryOut()).toMatchObject({ path: "/push", body: { device_key: "device" } });
    await choose("gotify");
    await fill(fields.gotify_url.label, receivers.secureUrl);
    await fill(fields.gotify_token.label, "app-7");
    expect(await tryOut()).toMatchObject({ path: "/message", headers: { "x-gotify-key": "app-7" } });
    await choose("ntfy");
    await fill(fields.ntfy_url.label, `${receivers.secureUrl}/bell`);
    await fill(fields.ntfy_token.label, "tk_7");
    expect(await tryOut()).toMatchObject({
      path: "/",
      headers: { authorization: "Bearer tk_7" },
      body: { topic: "bell" },
    });
    await consolePage.expectAccessible();
  });

  test("chooses what to be notified of, and from which balance on", async () => {
    const { events, threshold } = words.notifications;
    await consolePage.page.getByRole("checkbox", { name: events.promotion }).check();
    await consolePage.page.getByRole("checkbox", { name: events.announcement }).uncheck();
    await fill(threshold, "0");
    await consolePage.page.getByText(words.notifications.thresholdWrong).waitFor();
    expect(await settingOf()).not.toMatchObject({ quota_warning_threshold: 0 });
    await consolePage.button("$5").click();
    await save();
    expect(await settingOf()).toMatchObject({
      notify_type: "ntfy",
      notify_events: ["low_balance", "price_change", "promotion"],
      quota_warning_threshold: 5 * DOLLAR,
      language: "en",
    });
    await consolePage.page.getByRole("checkbox", { name: events.low_balance }).uncheck();
    await consolePage.page.getByLabel(threshold, { exact: true }).waitFor({ state: "detached" });
  });

  test("is called by a display name of at most 20 characters", async () => {
    const { profile } = words.profile;
    await consolePage.open("/personal");
    expect(await consolePage.button(profile.save).isDisabled()).toBe(true);
    await fill(profile.name, "守闸人".repeat(7));
    expect(await consolePage.page.getByLabel(profile.name, { exact: true }).inputValue()).toBe(
      "守闸人".repeat(7).slice(0, 20),
    );
    await fill(profile.name, " Keeper 7 ");
    await consolePage.button(profile.save).click();
    await consolePage.waitForNotice(profile.done);
    expect(await own.get("/api/user/self")).toMatchObject({ username: name, display_name: "Keeper 7" });
    await consolePage.page.reload();
    await consolePage.page.getByText("Keeper 7", { exact: true }).first().waitFor();
  });

  test("accepts models without a price, or no more", async () => {
    await consolePage.open("/personal?tab=prices");
    const { accept, done } = words.profile.prices;
    // Not check(): the switch shows the other state only once the change is on its way.
    await consolePage.page.getByLabel(accept).click();
    await consolePage.waitForNotice(done);
    expect(await settingOf()).toMatchObject({ accept_unset_model_ratio_model: true });
    await consolePage.expectAccessible();
    await consolePage.open("/personal?tab=prices");
    await consolePage.page.locator('input[role="switch"]:checked').click();
    await until(settingOf, (setting) => setting.accept_unset_model_ratio_model === false);
  });

  test("makes system access tokens with names, manages the gateway with them, revokes one, and ends the rest by signing out", async () => {
    const { tokens, sessions, password: passwordLabel } = words.security;
    const make = async (name: string, password = "") => {
      await consolePage.button(tokens.make).click();
      await consolePage.dialog().getByLabel(tokens.name, { exact: true }).fill(name);
      await consolePage.button(tokens.make, consolePage.dialog()).click();
      if (password !== "") {
        await consolePage.dialog().getByLabel(passwordLabel, { exact: true }).fill(password);
        await consolePage.button(tokens.make, consolePage.dialog()).click();
      }
      await consolePage.page.getByText(tokens.shown).waitFor();
      await consolePage.dialog().waitFor({ state: "detached" });
      await consolePage.button(words.components.copy.copy).click();
      await consolePage.button(words.components.copy.done).waitFor();
      return consolePage.page.evaluate(() => navigator.clipboard.readText());
    };
    const status = async (key: string) =>
      (
        await fetch(`${gateway.url}/api/user/self`, {
          headers: { authorization: `Bearer ${key}`, "Sluice-User": String(own.userId) },
        })
      ).status;
    const entry = (name: string) => consolePage.page.getByRole("group", { name: new RegExp(name) });
    await consolePage.open("/personal?tab=security");
    const first = await make("first tool");
    expect(first).toMatch(/^[A-Za-z0-9+/]{32}$/);
    await consolePage.page.getByText(first, { exact: true }).waitFor();
    expect(await status(first)).toBe(200);
    await consolePage.expectAccessible();
    await consolePage.open("/personal?tab=security");
    await entry("first tool").getByText(words.security.tokens.used).waitFor();
    expect(await consolePage.page.getByText(first).count()).toBe(0);
    // As the server answers when the sign-in is older than a quarter of an hour.
    const stale = {
      success: false,
      message: "Enter your password.",
      code: "owner_password_required",
    };
    await consolePage.page.route(/access_tokens$/, (route) =>
      route.request().method() === "POST" && !route.request().postData()?.includes('"password"')
        ? route.fulfill({ json: stale })
        : route.fallback(),
    );
    const second = await make("second tool", PASSWORD);
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    await consolePage.button(tokens.revoke, entry("first tool")).click();
    await consolePage.button(tokens.revoke, consolePage.dialog()).click();
    await consolePage.waitForNotice(tokens.revoked);
    expect([await status(first), await status(second)]).toEqual([401, 200]);
    await consolePage.button(sessions.endAll).click();
    await consolePage.button(sessions.endAll, consolePage.dialog()).click();
    await consolePage.page.getByText(tokens.none).waitFor();
    expect(await status(second)).toBe(401);
    own = await login(gateway, name, PASSWORD);
  });

  test("checks in once a day: a fixed reward or a random one, by the site's time zone", async () => {
    const { checkIn } = words.rewards;
    await consolePage.open("/personal");
    await consolePage.page.getByText(fillPlaceholders(checkIn.range, { range: "$1.00" })).waitFor();
    await consolePage.button(checkIn.action).click();
    await consolePage.waitForNotice(fillPlaceholders(checkIn.done, { amount: "$1.000000" }));
    expect(await consolePage.button(checkIn.already).isDisabled()).toBe(true);
    await setOption(root, "CheckInMaxQuota", 2 * DOLLAR);
    await setOption(root, "CheckInTimeZone", ZONES.another);
    await consolePage.open("/personal");
    await consolePage.page.getByText(fillPlaceholders(checkIn.range, { range: "$1.00 – $2.00" })).waitFor();
    const before = (await own.get("/api/user/self")).quota;
    await consolePage.button(checkIn.action).click();
    await consolePage.button(checkIn.already).waitFor();
    const gained = (await own.get("/api/user/self")).quota - before;
    expect(gained).toBeGreaterThanOrEqual(DOLLAR);
    expect(gained).toBeLessThanOrEqual(2 * DOLLAR);
    await setOption(root, "CheckInMaxQuota", 0);
    await setOption(root, "CheckInTimeZone", ZONES.noon);
  });

  test("sets an invitation code once, sees who came by it, and transfers what it brought", async () => {
    const { invitation, code, transfer } = words.rewards;
    const chosen = "lock_7";
    const { page, button, dialog } = consolePage;
    await consolePage.open("/personal");
    const rules = [
      fillPlaceholders(invitation.rules.inviter, { amount: "$3.00" }),
      fillPlaceholders(invitation.rules.invitee, { amount: "$1.00" }),
      fillPlaceholders(invitation.rules.cashback, { rate: "5" }),
      fillPlaceholders(invitation.rules.cashbackFrom, { amount: "$2.00" }),
      fillPlaceholders(invitation.rules.transfer, { amount: "$1.00" }),
    ];
    for (const rule of rules) await page.getByText(rule).waitFor();
    await button(invitation.choose).click();
    await dialog().getByLabel(code.label, { exact: true }).fill("Ab");
    await button(code.action, dialog()).click();
    await dialog().getByText(code.invite_code_malformed).waitFor();
    await dialog().getByLabel(code.label, { exact: true }).fill(chosen);
    await consolePage.expectAccessible();
    await button(code.action, dialog()).click();
    await page.getByText(`${gateway.url}/register?aff=${chosen}`).waitFor();
    expect(await button(invitation.choose).count()).toBe(0);
    await button(invitation.copy).click();
    await button(words.components.copy.done).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${gateway.url}/register?aff=${chosen}`);
    expect(await button(invitation.transfer).isDisabled()).toBe(true);

    const guest = { username: "guest", password: PASSWORD, password2: PASSWORD, aff_code: chosen };
    await root.send("POST", "/api/user/register", guest);
    await consolePage.open("/personal");
    await page.getByText(fillPlaceholders(invitation.joined, { count: 1 })).waitFor();
    const { quota } = await own.get("/api/user/self");
    await button(invitation.transfer).click();
    await dialog().getByLabel(transfer.label, { exact: true }).fill("0.99");
    await dialog().getByRole("alert").waitFor();
    expect(await button(transfer.action, dialog()).isDisabled()).toBe(true);
    await dialog().getByLabel(transfer.label, { exact: true }).fill("2");
    await button(transfer.action, dialog()).click();
    await consolePage.waitForNotice(transfer.done);
    expect(await own.get("/api/user/self")).toMatchObject({
      quota: quota + 2 * DOLLAR,
      aff_quota: DOLLAR,
      aff_history_quota: 3 * DOLLAR,
      aff_count: 1,
    });
  });

  test("sees the models to call, ten at first, and copies a name", async () => {
    const { models } = words.profile;
    const { page, button } = consolePage;
    const more = button(fillPlaceholders(models.more_other, { count: 2 }));
    await more.waitFor();
    expect(await button(/model-\d+$/).count()).toBe(10);
    await more.click();
    expect(await button(/model-\d+$/).count()).toBe(12);
    await page.reload();
    await button(models.fewer).waitFor();
    await button(/model-12$/).click();
    await until(
      () => page.evaluate(() => navigator.clipboard.readText()),
      (text) => text === "model-12",
    );
    await consolePage.expectAccessible();
  });

  test("deletes the account after typing its name; nobody signs in with it again", async () => {
    const leaving = words.profile.delete;
    const { page, button, dialog } = consolePage;
    await button(leaving.open).click();
    const input = dialog().getByLabel(fillPlaceholders(leaving.name, { name }));
    await input.fill("somebody");
    await button(leaving.action, dialog()).click();
    await dialog().getByText(leaving.mismatch).waitFor();
    await consolePage.expectAccessible();
    await input.fill(name);
    await button(leaving.action, dialog()).click();
    await page.waitForURL("**/login");
    const again = await root.send("POST", "/api/user/login", { username: name, password: PASSWORD });
    expect(await again.json()).toMatchObject({ success: false });
    expect((await own.send("GET", "/api/user/self")).status).toBe(401);
    // The webhook that was not https, the robot that refused: the browser notes every answer that is no success.
    expect(consolePage.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});

test("personal settings are readable in Chinese on a phone, and speak Chinese", async () => {
  const words = WORDS.zh;
  const { notifications, rewards } = words;
  const account = { username: "业主", password: PASSWORD };
  await addUser(account.username);
  const paths = ["", "?tab=prices", "?tab=security", "?tab=notifications"].map((query) => `/personal${query}`);
  await expectChinesePages(browser, gateway, paths, account, async (consolePage) => {
    const { page, button, dialog, expectAccessible } = consolePage;
    await showQrCode(page);
    await button(notifications.test).click();
    await consolePage.waitForNotice(/没有可用的邮箱/);
    const method = page.getByRole("combobox", { name: notifications.method });
    for (const way of ["webhook", "wecom", "dingtalk", "bark", "gotify", "ntfy", "wxpusher"] as const) {
      await method.click();
      await page.getByRole("option", { name: notifications.methods[way], exact: true }).click();
      await method.getByText(notifications.methods[way]).waitFor();
      await expectAccessible();
    }
    await button(notifications.push.get).click();
    await page.getByRole("img", { name: notifications.push.image }).waitFor();
    await expectAccessible();
    await consolePage.open("/personal?tab=security");
    await button(words.security.tokens.make).click();
    await dialog().getByLabel(words.security.tokens.name, { exact: true }).fill("ci");
    await expectAccessible();
    await button(words.security.tokens.make, dialog()).click();
    await page.getByText(words.security.tokens.shown).waitFor();
    await expectAccessible();
    await consolePage.open("/personal");
    await button(rewards.invitation.choose).click();
    await dialog().getByLabel(rewards.code.label, { exact: true }).fill("Ab");
    await button(rewards.code.action, dialog()).click();
    await dialog().getByText(rewards.code.invite_code_malformed).waitFor();
    await expectAccessible();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await button(words.profile.delete.open).click();
    await button(words.profile.delete.action, dialog()).click();
    await dialog().getByText(words.profile.delete.mismatch).waitFor();
    await expectAccessible();
  });
});
