/** An administrator reads consumption on the dashboard, and a user reads their own, in a real browser. */
import { describe, expect } from "bun:test";
import type { Page } from "playwright";
import type { PriceChangeView } from "../../../../src/domain/channels/prices/list-price-changes.ts";
import { WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { createChannel } from "../../../support/e2e/console-client.ts";
import {
  fillPlaceholders,
  openConsolePage,
  startConsoleFixture,
  startSeeded,
  VIEWPORTS,
} from "../../../support/e2e/console-page.ts";
import { until } from "../../../support/lib/until.ts";

const words = WORDS.en.usage;
const DAY_S = 86_400;
/** Next to the model, by which it is split at first. */
const DIMENSIONS = ["user", "channel", "group", "token"] as const;
/** Whole hours, so that no answer is of another time than the one before. */
const UNTIL = Math.floor(Date.now() / 3_600_000) * 3600;
const MONTH = `from=${UNTIL - 30 * DAY_S}&to=${UNTIL}`;
const PASSWORD = "lock-keeper-9";

const toNumber = (text: string) => Number(text.replace(/[^\d.]/g, ""));
/** The bars of each series are one path. */
const bars = (page: Page) => page.getByRole("img", { name: words.chartLabel }).locator(".MuiBarChart-series path");
const sums = () => consolePage.page.getByRole("region", { name: words.table }).getByRole("row");
/** The calls of each series in the table, read at one moment. */
const callsInRows = async () =>
  (
    await consolePage.page
      .getByRole("region", { name: words.table })
      .locator("tbody td:nth-of-type(3)")
      .allTextContents()
  ).map(toNumber);
const callsInTable = async () => (await callsInRows()).reduce((sum, calls) => sum + calls, 0);
const choose = (group: string, name: string) =>
  consolePage.page.getByRole("group", { name: group }).first().getByRole("button", { name, exact: true }).click();

const { browser, gateway, root } = await startConsoleFixture(() =>
  startSeeded({ channels: 4, users: 6, tokens: 8, logs: 6000 }),
);
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);

test("the heads of a long table stay in sight, also of one that scrolls sideways", async () => {
  const { page } = consolePage;
  await page.evaluate(() => localStorage.setItem("page-size", "100"));
  for (const width of [900, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await consolePage.open("/log?range=30d");
    await until(
      () => page.locator("table").evaluate((table) => table.scrollWidth > (table.parentElement?.clientWidth ?? 0)),
      (isWider) => isWider === width < 1000,
    );
    await until(() => page.evaluate(() => document.documentElement.scrollHeight > 3000));
    await page.evaluate(() => window.scrollTo(0, 2000));
    const bottomOfBar = await page.getByRole("banner").evaluate((bar) => bar.getBoundingClientRect().bottom);
    const head = page.getByRole("columnheader", { name: WORDS.en.logs.columns.model });
    await until(async () => Math.round((await head.boundingBox())?.y ?? 0) === Math.round(bottomOfBar));
  }
  await page.evaluate(() => localStorage.removeItem("page-size"));
}, 120_000);

describe("the dashboard", () => {
  test("splits the same calls by model, user, channel, group and key", async () => {
    await consolePage.open(`/detail?${MONTH}&measure=calls`);
    await sums().nth(1).waitFor();
    const total = await callsInTable();
    expect(total).toBeGreaterThan(100);
    for (const by of DIMENSIONS) {
      const answer = consolePage.page.waitForResponse(
        (response) => response.url().includes(`by=${by}`) && !/step=week|\/margins/.test(response.url()),
      );
      await choose(words.by, words.dimensions[by]);
      const { data } = (await (await answer).json()) as { data: unknown[] };
      const rows = await until(callsInRows, ({ length }) => length === data.length);
      expect([by, rows.reduce((sum, calls) => sum + calls, 0)]).toEqual([by, total]);
      expect(consolePage.page.url()).toContain(`by=${by}`);
    }
    await consolePage.expectAccessible();
  }, 120_000);

  test("is the home of administrators: what waits for them, who spends most, and why calls fail", async () => {
    const { page } = consolePage;
    await createChannel(root, "http://127.0.0.1:9", ["a-model-of-ours"]);
    await consolePage.open(`/detail?${MONTH}`);
    const panel = (title: string) => page.locator("section", { has: page.getByRole("heading", { name: title }) });
    const { decisions } = words;
    await panel(decisions.title).getByText("a-model-of-ours").waitFor();
    const failures = panel(WORDS.en.failures.title);
    await failures.getByRole("link", { name: words.allFailures }).waitFor();
    const users = panel(words.topUsers).getByRole("button");
    await users.first().waitFor();
    const [most = ""] = await users.allTextContents();
    await consolePage.expectAccessible();
    await users.first().click();
    await page.waitForURL(`**user=${most}**`);
    await consolePage.open(`/detail?${MONTH}`);
    await panel(decisions.title).getByRole("link", { name: decisions.models_unpriced }).click();
    await page.waitForURL("**/setting?**field=pricing**");
    await consolePage.open(`/detail?${MONTH}`);
    await failures.getByRole("link", { name: words.allFailures }).click();
    await page.waitForURL("**/failures?**");
  }, 120_000);

  test("lists the largest hundred where the others are expanded", async () => {
    await consolePage.open(`/detail?${MONTH}&by=model`);
    await sums().nth(13).waitFor();
    const total = await callsInTable();
    await consolePage.button(words.expand).click();
    await sums().nth(14).waitFor();
    expect(await callsInTable()).toBe(total);
    expect(await consolePage.page.getByText(words.others, { exact: true }).count()).toBe(1);
    await consolePage.expectAccessible();
  }, 120_000);

  test("takes a series out of the chart and brings it back", async () => {
    await consolePage.open("/detail?range=30d&by=group");
    // The first is of the rest of a day, which may have had no calls.
    await bars(consolePage.page).filter({ visible: true }).first().waitFor();
    const count = () => bars(consolePage.page).count();
    const all = await count();
    const legend = consolePage.page.locator("button[aria-pressed=true]").filter({ hasText: "default" });
    await legend.click();
    await until(count, (now) => now < all);
    await consolePage.page.locator("button[aria-pressed=false]").filter({ hasText: "default" }).click();
    await until(count, (now) => now === all);
  }, 120_000);

  test("shows any range in hours, days or weeks, and says when there is nothing", async () => {
    await consolePage.open("/detail");
    await choose(words.step, words.steps.hour);
    await consolePage.page.waitForURL("**step=hour**");
    await consolePage.page.getByRole("button", { name: WORDS.en.logs.ranges["30d"] }).click();
    await consolePage.page.waitForURL("**range=30d**");
    // Hours of a month would be more bars than there are pixels.
    expect(await consolePage.page.getByRole("button", { name: words.steps.hour, exact: true }).count()).toBe(0);
    await choose(words.step, words.steps.week);
    await consolePage.page.waitForURL("**step=week**");
    await consolePage.page.getByRole("button", { name: WORDS.en.logs.ranges["365d"], exact: true }).click();
    await consolePage.page.waitForURL("**range=365d**");
    // A month has less than two thousand.
    await until(callsInTable, (calls) => calls > 5000);
    const now = Math.floor(Date.now() / 1000);
    await consolePage.open(`/detail?from=${now - 300 * DAY_S}&to=${now - 200 * DAY_S}`);
    await sums().nth(1).waitFor();
    await consolePage.open(`/detail?from=${now - 3000 * DAY_S}&to=${now - 2990 * DAY_S}`);
    await consolePage.waitForNotice(words.noCalls);
    await consolePage.page.getByRole("button", { name: WORDS.en.logs.ranges.custom }).click();
    await consolePage.dialog(WORDS.en.logs.ranges.custom).getByRole("group", { name: WORDS.en.logs.from }).waitFor();
  }, 120_000);

  test("says which parts of a price changed", async () => {
    const { page } = consolePage;
    const tokens = { modelRatio: "1", completionRatio: "3", cacheRatio: "1" };
    const change: PriceChangeView = {
      ...{ id: 1, changed_at: UNTIL - DAY_S, model_name: "model-1987", unit: "token", is_base_same: false },
      ...{ before: tokens, after: { ...tokens, completionRatio: "4" } },
      parts: [{ part: "cached", of: "", before: { usd: 2 }, after: { usd: 1 } }],
    };
    // The gateway looks for changes once a minute.
    await page.route("**/api/pricing/changes*", (route) =>
      route.fulfill({
        json: { success: true, message: "", data: { items: [change], total: 1, page: 1, page_size: 50 } },
      }),
    );
    await consolePage.load(`/detail?${MONTH}`);
    const { output, cache_read } = WORDS.en.receipt.items;
    const text = `${fillPlaceholders(words.marks.price, { model: "model-1987" })} · ${output}, ${cache_read}`;
    await page.getByRole("link", { name: text, exact: true }).waitFor();
    await page.unroute("**/api/pricing/changes*");
  }, 120_000);

  test("leaves as a file whose lines add up to the table", async () => {
    await consolePage.open(`/detail?${MONTH}&by=user`);
    await sums().nth(1).waitFor();
    const total = await callsInTable();
    const { name, text } = await consolePage.download(() => consolePage.button("Export CSV").click());
    expect(name).toBe("usage-by-user.csv");
    const [head, ...lines] = text.trim().split("\r\n");
    expect(head).toContain("start,name,calls,failed,quota_units");
    expect(lines.reduce((sum, line) => sum + Number(line.split(",")[2]), 0)).toBe(total);
  }, 120_000);

  test("shows latency and failures by model and channel, and whose balance runs out", async () => {
    await consolePage.open("/detail?range=30d");
    const latency = consolePage.page.getByRole("region", { name: words.latency });
    await latency.getByRole("columnheader", { name: words.latencyHeads.p99 }).waitFor();
    await consolePage.page
      .getByRole("group", { name: words.by })
      .last()
      .getByRole("button", { name: words.dimensions.channel })
      .click();
    await latency
      .getByRole("cell", { name: /^channel-\d+$/ })
      .first()
      .waitFor();
    await latency
      .getByText(/^\d+(?:\.\d+ s| ms)$/)
      .first()
      .waitFor();
    await consolePage.page.getByRole("heading", { name: words.runningOut }).waitFor();
    const { length } = await root.get("/api/data/running-out");
    if (length === 0) await consolePage.waitForNotice(words.nobody);
    else
      await consolePage.page
        .getByText(/^(\d+ days?|used up)$/)
        .first()
        .waitFor();
  }, 120_000);

  test("shows users their own consumption only, and can be switched off", async () => {
    const account = { username: "ferry", password: PASSWORD };
    await root.post("/api/user/", account);
    const own = await openConsolePage(browser, gateway, VIEWPORTS.en, account);
    await own.open("/detail");
    await own.waitForNotice(words.noCalls);
    const choices = own.page.getByRole("group", { name: words.by }).getByRole("button");
    expect(await choices.allTextContents()).toEqual(
      ["model", "group", "token", "tag"].map((by) => words.dimensions[by as "model"]),
    );
    expect(await own.page.getByText(words.runningOut).count()).toBe(0);
    await root.put("/api/option/", { key: "DataExportEnabled", value: "false" });
    await own.open("/detail");
    await own.waitForNotice(words.off);
    await root.put("/api/option/", { key: "DataExportEnabled", value: "true" });
    expect(own.complaints).toEqual([]);
    await own.close();
  }, 120_000);

  test("nothing complained", () => expect(consolePage.complaints).toEqual([]));

  test("is readable and clean in Chinese on a phone", async () => {
    const chinese = WORDS.zh.usage;
    const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
    await phone.open("/detail?range=30d");
    await phone.page.getByRole("img", { name: chinese.chartLabel }).waitFor();
    await phone.page.getByRole("heading", { name: chinese.latency }).waitFor();
    // Tables are cards with all their figures.
    for (const [list, figure] of [
      [chinese.table, chinese.duration],
      [chinese.latency, chinese.latencyHeads.p99],
    ] as const) {
      await phone.page.getByRole("list", { name: list }).getByText(figure, { exact: true }).first().waitFor();
    }
    expect(await phone.page.getByRole("table").count()).toBe(0);
    await phone.expectAccessible();
    expect(phone.complaints).toEqual([]);
    await phone.close();
  }, 120_000);
});
