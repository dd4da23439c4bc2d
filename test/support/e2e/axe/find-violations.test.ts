/** Parts of a page that looked right are not looked at again, and everything that looks otherwise is. */
import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright";
import { openBrowser, openPage } from "../browser.ts";
import { findSeriousViolations } from "./find-violations.ts";

const browser = await openBrowser();
afterAll(() => browser.close());

const LIST = `<ul><li><a href="/a">An entry</a></li><li><a href="/b">Another entry</a></li></ul>`;
const FORM = `<form><label for="name">Name</label><input id="name"><p class="hint">Your name</p><button>Send</button></form>`;

/** Shows these parts on a page in English; the rest of the page is the same each time. */
const show = (page: Page, parts: string, style = "") =>
  page.setContent(
    `<!doctype html><html lang="en"><head><title>Page</title><style>${style}</style></head><body><main>${parts}</main></body></html>`,
  );
const ids = async (page: Page) => (await findSeriousViolations(page)).map((text) => text.split(":")[0]);

test("finds what is wrong in a part that is new, changed or newly referenced next to parts that were right", async () => {
  const { page } = await openPage(browser, { language: "en" });
  await show(page, LIST + FORM);
  expect(await ids(page)).toEqual([]);
  await show(page, `${LIST + FORM}<button></button>`);
  expect(await ids(page)).toEqual(["button-name"]);
  await show(page, `${LIST.replace(">An entry<", "><")}${FORM}`);
  expect(await ids(page)).toEqual(["link-name"]);
  await show(page, LIST + FORM.replace('for="name"', 'for="other"'));
  expect(await ids(page)).toEqual(["label"]);
  await show(page, LIST + FORM.replace("<p class", '<p style="color: #ddd" class'));
  expect(await ids(page)).toEqual(["color-contrast"]);
  // What was wrong is not remembered as right.
  expect(await ids(page)).toEqual(["color-contrast"]);
  await page.evaluate(() => document.documentElement.removeAttribute("lang"));
  expect(await ids(page)).toEqual(["color-contrast", "html-has-lang"]);
  await page.context().close();
});

test("looks again with another width or color scheme, not with other words or more of the same", async () => {
  const style =
    "@media (prefers-color-scheme: dark) { p { color: #ddd } } @media (width < 500px) { p { color: #eee } }";
  const { page } = await openPage(browser, { language: "en" });
  await show(page, LIST + FORM, style);
  expect(await ids(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await ids(page)).toEqual(["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await ids(page)).toEqual(["color-contrast"]);
  await page.setViewportSize({ width: 1440, height: 900 });
  // The same colors by another rule, which nothing in the document's elements shows: it was right and is taken as right.
  await show(
    page,
    (LIST + FORM).replace("Send", "送出").replace("<li>", '<li><a href="/c">More</a></li><li>'),
    "p { color: #ddd }",
  );
  expect(await ids(page)).toEqual([]);
  await page.context().close();
});
