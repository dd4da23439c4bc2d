/** Fingers and small windows: what can be pressed is large enough, and no page is wider than its window. */
import { describe, expect } from "bun:test";
import { findSmallTargets } from "../../../support/e2e/axe/touch-targets.ts";
import { measureHorizontalOverflow, waitForQueries } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import {
  type ConsolePage,
  openConsolePage,
  startBrowserFixture,
  VIEWPORTS,
} from "../../../support/e2e/console-page.ts";

const { browser, fixture } = await startBrowserFixture(["usage-1000-500"]);
const { root, gateway } = fixture;
await root.post("/api/user/", { username: "ferry", password: "lock-keeper-9" });

/** Pages of each kind: figures, lists, forms, chats, prices. */
const PAGES = [
  ...["/console", "/token", "/channel", "/log", "/user", "/playground", "/topup", "/pricing", "/personal", "/failures"],
  ...["/setting?tab=operation", "/setting?tab=operation&field=pricing", "/sessions", "/alerts", "/plan", "/route"],
];

/** Opens each page, and looks at it when it has read everything. */
async function onEach({ page, open }: ConsolePage, look: (path: string) => Promise<void>): Promise<void> {
  for (const path of PAGES) {
    await open(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await waitForQueries(page);
    await look(path);
  }
}

describe("where fingers point", () => {
  for (const [device, size] of [
    ["a phone", { width: 390, height: 844 }],
    ["a tablet", { width: 834, height: 1112 }],
  ] as const) {
    test(`everything on ${device} can be pressed on 44 by 44 pixels`, async () => {
      const consolePage = await openConsolePage(browser, gateway, { ...VIEWPORTS.en, ...size, isTouch: true });
      await onEach(consolePage, async (path) => {
        expect({ path, small: await findSmallTargets(consolePage.page) }).toEqual({ path, small: [] });
      });
      await consolePage.open("/token");
      await consolePage
        .button(/create/i)
        .first()
        .click();
      await consolePage.dialog().waitFor();
      expect(await findSmallTargets(consolePage.page)).toEqual([]);
      await consolePage.close();
    }, 240_000);
  }
});

describe("no page is wider than its window", () => {
  test("from 320 to 1,440 pixels, on a phone on its side, and zoomed to 200 %", async () => {
    const consolePage = await openConsolePage(browser, gateway, { ...VIEWPORTS.en, isTouch: true });
    const { page } = consolePage;
    const found: string[] = [];
    await onEach(consolePage, async (path) => {
      // 720 px is 1,440 px at 200 %.
      for (const [width, height] of [
        ...([
          [320, 640],
          [360, 740],
          [600, 900],
          [601, 900],
          [720, 450],
          [768, 1024],
        ] as const),
        ...([
          [844, 390],
          [935, 900],
          [1024, 768],
          [1280, 800],
          [1440, 900],
        ] as const),
      ]) {
        await page.setViewportSize({ width, height });
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const overflow = await measureHorizontalOverflow(page);
        if (overflow !== 0) found.push(`${path} at ${width} px: ${overflow} px`);
      }
    });
    expect(found).toEqual([]);
    await consolePage.close();
  }, 240_000);
});
