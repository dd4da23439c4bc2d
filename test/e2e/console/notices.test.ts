/** What a site announces to everybody, in a real browser: a notice above the pages, announcements under the bell, promotions by mail. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login, setOptions } from "../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  type ConsolePage,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startConsoleFixture,
} from "../../support/e2e/console-page.ts";
import { type Session, setOption } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { startMailServer } from "../../support/notifications.ts";

const PASSWORD = "lock-keeper-9";
/** Each would run when the page shows it as it is written. */
const EVIL = [
  "<script>window.hit=1</script>",
  '<img src="data:image/png;base64,none" onerror="window.hit=2">',
  '<svg onload="window.hit=3"><a href="javascript:window.hit=4">svg</a></svg>',
  '<a href="java&#115;cript:window.hit=5">html</a> <a href="data:text/html,<script>1</script>">data</a>',
  "[markdown](javascript:window.hit=6) ![picture](javascript:window.hit=7)",
  '<iframe srcdoc="<script>parent.hit=8</script>"></iframe><object data="javascript:1"></object>',
  '<form action="javascript:window.hit=9"><button formaction="javascript:window.hit=9">go</button></form>',
  '<p style="position:fixed;inset:0" onclick="window.hit=10" id="content">over</p>',
].join("\n\n");

const post = await startMailServer();
afterAll(post.stop);
const { browser, gateway, root } = await startConsoleFixture();
await setOptions(root, {
  ServerAddress: gateway.url,
  SMTPServer: "127.0.0.1",
  SMTPPort: post.port,
  SMTPFrom: "gate@example.com",
});

/** Fails when a text of an administrator brought more than text: scripts, handlers, addresses that run something. */
async function expectHarmless(page: Page, place: string): Promise<void> {
  const found = await page.locator(place).evaluate((node) =>
    [...node.querySelectorAll("*")].flatMap((element) => {
      const isActive = /^(script|iframe|object|embed|form|svg|style)$/i.test(element.localName);
      const bad = [...element.attributes].filter(
        ({ name, value }) =>
          /^(on|style$|srcdoc|formaction)/i.test(name) || /^\s*(javascript|data|vbscript):/i.test(value),
      );
      return isActive || bad.length > 0 ? [element.outerHTML] : [];
    }),
  );
  expect(found).toEqual([]);
  expect(await page.evaluate("window.hit")).toBeUndefined();
}

describe("what is announced", () => {
  const words = WORDS.en;
  const { form, bellUnread_other, title: bellTitle } = words.announcements;
  const name = "reader";
  const unread = (count: number) => fillPlaceholders(bellUnread_other, { count });
  let writer: ConsolePage;
  let reader: ConsolePage;
  let own: Session;

  beforeAll(async () => {
    await root.post("/api/user/", { username: name, password: PASSWORD });
    own = await login(gateway, name, PASSWORD);
    await own.put("/api/user/setting", {
      notify_type: "email",
      notification_email: `${name}@example.com`,
      notify_events: ["promotion", "announcement"],
    });
    writer = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
    reader = await openConsolePage(browser, gateway, BOTH_VIEWPORTS, { username: name, password: PASSWORD });
  }, 120_000);
  afterAll(async () => {
    // Later subscribers are notified alone.
    await own.put("/api/user/setting", { notify_events: [] });
    await writer.close();
    await reader.close();
  });

  test("a promotion is sent to subscribers of promotions, after a confirmation", async () => {
    const { page, button, dialog } = writer;
    const { broadcast, events } = words.notifications;
    await writer.open("/notice");
    expect(await button(broadcast.send).isDisabled()).toBe(true);
    await page.getByRole("combobox", { name: broadcast.kind }).click();
    await page.getByRole("option", { name: events.promotion, exact: true }).click();
    await page.getByLabel(broadcast.title, { exact: true }).fill("Half price");
    await page.getByLabel(broadcast.content, { exact: true }).fill("Only <b>today</b> {{value}}.");
    await button(broadcast.send).click();
    await dialog()
      .getByText(fillPlaceholders(broadcast.confirmBody, { title: "Half price", event: events.promotion }))
      .waitFor();
    await writer.expectAccessible();
    const coming = post.next();
    await button(broadcast.send, dialog()).click();
    const mail = await coming;
    expect(mail.to).toEqual([`${name}@example.com`]);
    expect(mail.text).toContain("Only &lt;b&gt;today&lt;/b&gt; {{value}}.");
    await page.getByText(fillPlaceholders(broadcast.counts, { delivered: 1, failed: 0 })).waitFor();
    await page.getByRole("status").getByText(broadcast.over).first().waitFor();
    const { history, methods } = words.notifications;
    await writer.row("Half price").getByText(history.statuses.finished, { exact: true }).first().waitFor();
    await writer.row("Half price").first().click();
    const receivers = dialog("Half price");
    await receivers.getByText(new RegExp(`^${name} `)).waitFor();
    await receivers.getByText(methods.email, { exact: true }).waitFor();
    await writer.expectAccessible();
    await button(words.components.close, receivers).click();
  }, 120_000);

  test("a notification that did not arrive is sent again by hand", async () => {
    const { button, dialog } = writer;
    const { history } = words.notifications;
    await root.post("/api/user/", { username: "mute-en", password: PASSWORD });
    const mute = await login(gateway, "mute-en", PASSWORD);
    await mute.put("/api/user/setting", { notify_type: "email", notify_events: ["contact"] });
    await root.post("/api/broadcast/", { event: "contact", title: "Second letter", content: "News." });
    await until(
      () => root.get("/api/broadcast/") as Promise<{ is_running: boolean }>,
      (progress) => !progress.is_running,
    );
    await mute.put("/api/user/setting", { notify_type: "email", notification_email: "mute@example.com" });
    await writer.open("/notice");
    await writer.row("Second letter").click();
    const receivers = dialog("Second letter");
    await receivers.getByText(history.failed, { exact: true }).last().waitFor();
    await writer.chooseRowAction("mute-en", history.resend);
    await dialog(history.resendTitle)
      .getByText(fillPlaceholders(history.resendBody, { title: "Second letter", username: "mute-en" }))
      .waitFor();
    const coming = post.next();
    await button(history.resend, dialog(history.resendTitle)).click();
    expect((await coming).to).toEqual(["mute@example.com"]);
    await receivers.getByText(history.delivered, { exact: true }).last().waitFor();
    await button(fillPlaceholders(WORDS.en.notifications.history.resendAll_one, { formatted: 1 })).waitFor({
      state: "detached",
    });
    await button(words.components.close, receivers).click();
    await mute.put("/api/user/setting", { notify_events: [] });
  }, 120_000);

  test("an announcement is written, mailed, unread under the bell until it is opened, changed and deleted", async () => {
    const { page, button, dialog } = writer;
    const news = "The lock closes";
    await writer.open("/setting?tab=operation&section=announcements");
    await button(form.add).click();
    await button(form.publish, dialog()).click();
    await dialog().getByText(form.missing).first().waitFor();
    await dialog().getByRole("combobox", { name: form.level }).click();
    await page.getByRole("option", { name: words.announcements.levels.critical, exact: true }).click();
    await dialog().getByLabel(form.title, { exact: true }).fill(news);
    await dialog().getByLabel(form.content, { exact: true }).fill(`Until **noon**.\n\n${EVIL}`);
    await dialog().getByLabel(form.notify, { exact: true }).click();
    const coming = post.next();
    await button(form.publish, dialog()).click();
    await writer.waitForNotice(form.saved);
    expect((await coming).to).toEqual([`${name}@example.com`]);

    await reader.open("/token");
    await reader.button(unread(1)).click();
    const entry = reader.button(new RegExp(news.replace(/[()]/g, "\\$&")));
    await entry.getByText(words.announcements.levels.critical, { exact: true }).waitFor();
    await entry.getByRole("img", { name: words.announcements.unread }).waitFor();
    await entry.click();
    await reader.page.getByText("noon", { exact: true }).waitFor();
    await entry.getByRole("img", { name: words.announcements.unread }).waitFor({ state: "detached" });
    await reader.expectAccessible();
    await expectHarmless(reader.page, `[role=dialog] li:has-text("${news}")`);
    await reader.page.reload();
    await reader.button(bellTitle).waitFor();

    await writer.chooseRowAction(news, form.edit);
    await dialog().getByLabel(form.title, { exact: true }).fill(`${news}, again`);
    await button(form.save, dialog()).click();
    await writer.row(`${news}, again`).waitFor();
    await writer.chooseRowAction(`${news}, again`, form.delete);
    await dialog()
      .getByText(fillPlaceholders(form.deleteTitle, { title: `${news}, again` }))
      .waitFor();
    await button(form.delete, dialog()).click();
    await writer.waitForNotice(form.deleted);
    await reader.page.reload();
    await reader.button(bellTitle).click();
    await reader.page.getByText(words.announcements.none).waitFor();
    expect(await entry.count()).toBe(0);
  }, 180_000);

  // It has no screen of its own.
  test("several announcements are marked as read at once", async () => {
    const now = Math.floor(Date.now() / 1000);
    const made = [];
    for (const title of ["First", "Second"]) {
      const input = { level: "info", title, content: "News.", published_at: now };
      made.push(await root.post("/api/announcement/", input));
    }
    const later = { level: "info", title: "Tomorrow", content: "Not yet.", published_at: now + 86_400 };
    made.push(await root.post("/api/announcement/", later));
    await reader.page.reload();
    await reader.button(unread(2)).click();
    await reader.page.getByText("Second").waitFor();
    expect(await reader.page.getByText("Tomorrow").count()).toBe(0);
    await reader.button(words.announcements.readAll).click();
    await reader.button(words.announcements.readAll).waitFor({ state: "detached" });
    await reader.dialog(bellTitle).press("Escape");
    await reader.button(bellTitle).waitFor();
    expect(await own.get("/api/announcement/")).toMatchObject({ unread: 0 });
    for (const { id } of made) await root.delete(`/api/announcement/${id}`);
  }, 120_000);

  test("all of it reads as well in Chinese on a phone", async () => {
    const { announcements, components, shell } = WORDS.zh;
    const now = Math.floor(Date.now() / 1000);
    const input = { level: "critical", title: "Low water", content: `Until **dusk**.\n\n${EVIL}`, published_at: now };
    const made = await root.post("/api/announcement/", input);
    await setOption(root, "Notice", "To the **south bank**.");
    const account = { username: name, password: PASSWORD };
    await expectChinesePages(browser, gateway, ["/token"], account, async (phone) => {
      await phone.page.getByRole("region", { name: shell.notice }).getByText("south bank").waitFor();
      await phone.button(fillPlaceholders(announcements.bellUnread_other, { count: 1 })).click();
      await phone.button(/Low water/).click();
      await phone.page.getByText("dusk", { exact: true }).waitFor();
      await phone.expectAccessible();
    });
    await setOption(root, "Notice", "");
    await expectChinesePages(browser, gateway, ["/notice"], undefined, async (phone) => {
      await phone.button(components.table.details, phone.row("Half price").first()).click();
      await phone
        .dialog("Half price")
        .getByText(new RegExp(`^${name} `))
        .waitFor();
      await phone.expectAccessible();
      // The page of settings is long, and looked at by tests of its own: once is enough for the dialog over it.
      await phone.open("/setting?tab=operation&section=announcements");
      await phone.button(announcements.form.add).click();
      await phone.dialog().getByLabel(announcements.form.title, { exact: true }).waitFor();
      await phone.expectAccessible();
    });
    await root.delete(`/api/announcement/${made.id}`);
  }, 120_000);

  test("the site's notice stands on the home page and in the console until it is closed, and runs nothing", async () => {
    const { page } = reader;
    const notice = page.getByRole("region", { name: words.shell.notice });
    const text = `## Moved\n\nTo the **north bank**.\n\n${EVIL}`;
    await writer.open("/setting?tab=other&section=notice");
    await writer.page.locator('[id="setting-Notice"]').fill(text);
    await writer.page
      .getByRole("tabpanel")
      .getByRole("button", { name: /^(Save|保存)/ })
      .click();
    await until(
      () => root.get("/api/notice"),
      (saved) => saved === text,
    );
    for (const path of ["/", "/token"]) {
      await reader.open(path);
      await notice.getByText("north bank").waitFor();
      await expectHarmless(page, `[aria-label="${words.shell.notice}"] .MuiAlert-message`);
    }
    await reader.expectAccessible();
    await reader.button(words.components.close, notice).click();
    await notice.waitFor({ state: "detached" });
    await Promise.all([page.waitForResponse(`${gateway.url}/api/notice`), page.reload()]);
    await reader.button(bellTitle).waitFor();
    expect(await notice.count()).toBe(0);
    await setOption(root, "Notice", "Back again");
    await page.reload();
    await notice.getByText("Back again").waitFor();
    await setOption(root, "Notice", "");
    expect(writer.complaints).toEqual([]);
    expect(reader.complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
  }, 180_000);
});
