/** An administrator follows calls as they happen in a real browser, in both languages. */
import { beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright";
import { findSeriousViolations } from "../../../support/e2e/axe/find-violations.ts";
import { type Language, measureHorizontalOverflow, WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { openConsolePage, PAGE_TIMEOUT_MS, startBrowserFixture } from "../../../support/e2e/console-page.ts";

const GOOD = "usage-1000-500";
const BAD = "err-400";

const { browser, fixture } = await startBrowserFixture([GOOD, BAD]);

describe.each<[Language, boolean, number]>([
  ["en", false, 1280],
  ["zh", true, 390],
])("the live page in %s (dark: %p, %p px)", (language, dark, width) => {
  const words = WORDS[language];
  let page: Page;
  let complaints: string[];

  const call = async (model: string) => {
    const reply = await fetch(`${fixture.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
    });
    await reply.text();
  };
  const rows = () => page.locator("[data-row]");
  const shows = (count: number) =>
    page.waitForFunction((expected) => document.querySelectorAll("[data-row]").length === expected, count, {
      timeout: PAGE_TIMEOUT_MS,
    });

  beforeAll(async () => {
    ({ page, complaints } = await openConsolePage(browser, fixture.gateway, { language, dark, width }));
    await page.goto(`${fixture.gateway.url}/live`);
    await page.getByText(words.live.state.open, { exact: true }).waitFor({ timeout: PAGE_TIMEOUT_MS });
  }, 120_000);

  test("shows calls as they end, with their outcome", async () => {
    await page.getByText(words.live.quiet).waitFor();
    await call(GOOD);
    await shows(1);
    await call(BAD);
    await shows(2);
    expect(await rows().first().textContent()).toContain(BAD);
    await rows().first().getByText("400", { exact: true }).waitFor({ timeout: PAGE_TIMEOUT_MS });
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await measureHorizontalOverflow(page)).toBe(0);
  }, 120_000);

  test("keeps what comes while paused, and shows it when going on", async () => {
    await page.getByRole("button", { name: words.live.pause, exact: true }).click();
    await call(GOOD);
    const waits = language === "en" ? WORDS.en.live.waiting_one : WORDS.zh.live.waiting_other;
    await page.getByText(waits.replace("{{count}}", "1")).waitFor({ timeout: PAGE_TIMEOUT_MS });
    expect(await rows().count()).toBe(2);
    await page.getByRole("button", { name: words.live.resume, exact: true }).click();
    await shows(3);
  }, 120_000);

  test("shows only what is looked for", async () => {
    await page.getByPlaceholder(words.live.search).fill("ERR-4");
    await shows(1);
    expect(new URL(page.url()).searchParams.get("search")).toBe("ERR-4");
    await page.getByPlaceholder(words.live.search).fill("");
    await shows(3);
    expect(complaints).toEqual([]);
  }, 120_000);
});

test("live pages that are open do not hold up the end of the gateway", async () => {
  await fixture.stop();
  expect(fixture.gateway.output()).not.toContain("open calls are cut off");
}, 120_000);
