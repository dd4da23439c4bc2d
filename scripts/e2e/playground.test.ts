/** Prices as a visitor and the playground as a user, in a real browser, in both languages. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type Language, openBrowser, openPage, seriousFindings, sidewaysScroll, WORDS } from "./browser.ts";
import { ROOT_NAME, ROOT_PASSWORD } from "./console-client.ts";
import { type Stage, setStage } from "./harness.ts";

const PATIENCE_MS = 10_000;
const MODEL = "usage-1000-500";
const SECOND = "usage-20-10";
const SLOW = "paced-200-50";

let browser: Browser;
let stage: Stage;
beforeAll(async () => {
  browser = await openBrowser();
  stage = await setStage([MODEL, SECOND, SLOW], { env: { ALLOW_PRIVATE_UPSTREAMS: "true" } });
}, 30_000);
afterAll(async () => {
  await browser.close();
  await stage.stop();
});

describe.each<[Language, boolean, number]>([
  ["en", false, 1280],
  ["zh", true, 390],
])("in %s (dark: %p, %p px)", (language, dark, width) => {
  const words = WORDS[language].playground;
  let page: Page;
  let complaints: string[];
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const answers = () => page.locator("article");
  const clean = async () => {
    expect(await seriousFindings(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
  };
  const ask = async (text: string) => {
    await page.getByLabel(words.ask).fill(text);
    await button(words.send).click();
  };
  const choose = async (model: string) => {
    await page.locator("#playground-models").fill(model);
    await page.locator("#playground-models").press("Enter");
  };

  beforeAll(async () => {
    ({ page, complaints } = await openPage(browser, { language, dark, width }));
    page.setDefaultTimeout(PATIENCE_MS);
  }, 30_000);
  afterAll(() => page.context().close());

  test("a visitor finds a model and its price", async () => {
    await page.goto(`${stage.gateway.url}/pricing?search=1000`);
    await page.getByText(MODEL, { exact: true }).first().waitFor();
    expect(await page.getByText(SECOND, { exact: true }).count()).toBe(0);
    await clean();
  }, 30_000);

  test("an answer streams in, with its tokens and what it cost", async () => {
    await page.goto(`${stage.gateway.url}/login`);
    await page.locator('input[name="username"]').fill(ROOT_NAME);
    await page.locator('input[name="password"]').fill(ROOT_PASSWORD);
    await button(WORDS[language].login.submit).click();
    await page.waitForURL("**/token");
    await page.goto(`${stage.gateway.url}/playground`);
    await choose(SECOND);
    await choose(MODEL);
    await ask("Hello");
    await page.getByText("$0.003").first().waitFor();
    expect(await answers().count()).toBe(1);
    await clean();
  }, 40_000);

  test("an edited question takes the place of the old one, and a branch is a chat of its own", async () => {
    await button(words.edit).click();
    await ask("Hello again");
    await answers().getByText("Hello again", { exact: true }).waitFor();
    expect(await answers().count()).toBe(1);
    await button(words.retry).first().waitFor();
    await button(words.branch).click();
    await ask("More");
    await answers().getByText("More", { exact: true }).waitFor();
    expect(await answers().count()).toBe(2);
  }, 30_000);

  test("a stopped answer keeps what has come, and chats survive a reload", async () => {
    await choose(SLOW);
    await ask("Slowly");
    await button(words.stop).click();
    await button(words.send).waitFor();
    await page.waitForTimeout(1000);
    await page.reload();
    await answers().getByText("Slowly", { exact: true }).waitFor();
    await clean();
    expect(complaints).toEqual([]);
  }, 30_000);
});
