/** Why calls failed and what to do about it, in a real browser: for administrators and for those who made the calls. */
import { describe, expect } from "bun:test";
import { WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { createApiKey, login } from "../../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
} from "../../../support/e2e/console-page.ts";
import { until } from "../../../support/lib/until.ts";

const LIMITED = "err-429";
const PROVIDER_WORDS = "Rate limit reached for requests per minute.";
const USER = { username: "ferry", password: "lock-keeper-9" };

const { browser, fixture } = await startBrowserFixture([LIMITED]);
const { root, gateway } = fixture;
await root.post("/api/user/", { ...USER, display_name: "Ferry" });
const user = await login(gateway, USER.username, USER.password);
await root.put("/api/user/", { id: user.userId, quota: 5_000_000 });
const userKey = (await createApiKey(user, { name: "ferry-key" })).key;

const { ask, classes, client, done, enable, fixes, muted, resolved, retry, states } = WORDS.en.failures;
const { detailsOf } = WORDS.en.components.table;

/** Makes a call that fails. Returns its request's id when its row is there. */
async function fail(key: string): Promise<string> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: LIMITED, messages: [{ role: "user", content: "hello" }] }),
  });
  expect(reply.ok).toBe(false);
  await reply.text();
  const id = reply.headers.get("x-request-id") ?? "";
  await until(
    () => root.get(`/api/log/?request_id=${id}`),
    ({ items }) => items.length > 0,
  );
  return id;
}

const limited = await fail(fixture.key);
const theirs = await fail(userKey);
const consolePage = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);

describe("a failed call", () => {
  test("says in its row why it failed, and in its details what the provider answered and where to go", async () => {
    const { page, button, row } = consolePage;
    await consolePage.open(`/log?search=${limited}`);
    await row(`${WORDS.en.logs.types.failed} 429`).filter({ hasText: classes.provider_limit.title }).waitFor();
    await button(fillPlaceholders(detailsOf, { name: LIMITED })).click();
    const reason = page.getByRole("region", { name: classes.provider_limit.title });
    await reason.getByText(classes.provider_limit.next).waitFor();
    // The provider's own words, and what the client got in their place.
    await reason.getByText(PROVIDER_WORDS).waitFor();
    await reason.getByText(client, { exact: true }).waitFor();
    await consolePage.expectAccessible();
    await button(fixes.channel, reason).click();
    await page.waitForURL("**/channel/edit/*");
  });

  test("offers to enable its channel where that takes no calls", async () => {
    const { page, button } = consolePage;
    const [channel] = await root.get("/api/channel/?p=0&page_size=10");
    await root.post("/api/channel/batch/status", { ids: [channel.id], status: 2 });
    await consolePage.open(`/log/${limited}`);
    const reason = page.getByRole("region", { name: classes.provider_limit.title });
    await consolePage.expectAccessible();
    await button(enable, reason).click();
    await consolePage.waitForNotice(done.enabled);
    await button(enable, reason).waitFor({ state: "detached" });
    expect((await root.get(`/api/channel/${channel.id}`)).status).toBe(1);
  });

  test("sends users to their administrator, and shows them no channel", async () => {
    const own = await openConsolePage(browser, gateway, BOTH_VIEWPORTS, USER);
    await own.open(`/log?search=${theirs}`);
    await own.button(fillPlaceholders(detailsOf, { name: LIMITED })).click();
    const reason = own.page.getByRole("region", { name: classes.provider_limit.title });
    await reason.getByText(ask).waitFor();
    await reason.getByText(client, { exact: true }).waitFor();
    expect(await reason.textContent()).not.toContain(PROVIDER_WORDS);
    expect(await own.button(fixes.channel, reason).count()).toBe(0);
    await own.expectAccessible();
    await reason.getByRole("link", { name: retry }).click();
    await own.page.waitForURL("**/playground");
    expect(own.complaints).toEqual([]);
    await own.close();
  });

  test("is read in Chinese on a phone", async () => {
    await expectChinesePages(browser, gateway, [`/log/${limited}`, "/failures"]);
    expect(consolePage.complaints).toEqual([]);
  });
});

describe("the failures page", () => {
  const group = () => consolePage.row(classes.provider_limit.title);
  const name = `${classes.provider_limit.title} ${LIMITED}`;
  const showState = (state: keyof typeof states) => consolePage.open(`/failures?state=${state}`);

  test("groups calls that fail alike, and opens the latest", async () => {
    await consolePage.open("/failures");
    await group().filter({ hasText: PROVIDER_WORDS }).filter({ hasText: "100%" }).waitFor();
    await consolePage.expectAccessible();
    await group().click();
    await consolePage.page.waitForURL(`**/log/${theirs}`);
  });

  test("a resolved cause is open again when it fails again, a muted one is not", async () => {
    await consolePage.open("/failures");
    await consolePage.chooseRowAction(name, resolved);
    await consolePage.waitForNotice(done.resolved);
    await group().waitFor({ state: "detached" });
    await showState("resolved");
    await group().waitFor();
    // Decided in this second, it would be as old as the decision.
    await Bun.sleep(1100);
    await fail(fixture.key);
    await consolePage.load("/failures");
    await group().filter({ hasText: "3" }).waitFor();
    await consolePage.chooseRowAction(name, muted);
    await consolePage.waitForNotice(done.muted);
    await fail(fixture.key);
    await consolePage.load("/failures");
    await consolePage.page.getByText(WORDS.en.failures.empty.title).waitFor();
    await showState("muted");
    await group().waitFor();
    await consolePage.chooseRowAction(name, WORDS.en.failures.open);
    await consolePage.waitForNotice(done.open);
  });

  test("an alert is made from a cause", async () => {
    await consolePage.load("/failures");
    await consolePage.chooseRowAction(name, WORDS.en.failures.alert);
    const form = consolePage.dialog();
    await form.getByRole("textbox", { name: WORDS.en.alerts.rules.form.cause }).waitFor();
    await consolePage.expectAccessible();
    await consolePage.button(WORDS.en.alerts.rules.form.add, form).click();
    await consolePage.waitForNotice(WORDS.en.alerts.rules.saved);
    const [rule] = await root.get("/api/alerts/rules/?scope=site");
    expect(rule).toMatchObject({ event: "failures", subject: `provider_limit/1/rate_limit_exceeded/${LIMITED}` });
  });

  test("users see their own, without channels", async () => {
    const own = await openConsolePage(browser, gateway, BOTH_VIEWPORTS, USER);
    await own.open("/failures");
    await own.row(classes.provider_limit.title).waitFor();
    expect(await own.page.locator("main").textContent()).not.toContain(PROVIDER_WORDS);
    await own.expectAccessible();
    await own.close();
  });
});
