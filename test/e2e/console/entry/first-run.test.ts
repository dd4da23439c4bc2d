/** The way from a new gateway to its first answer, in a real browser, with what it takes: seconds, clicks and key presses. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright";
import { findSeriousViolations } from "../../../support/e2e/axe/find-violations.ts";
import { measureHorizontalOverflow, openPage, openPath, WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../../support/e2e/console-client.ts";
import { openSharedBrowser, PAGE_TIMEOUT_MS } from "../../../support/e2e/console-page.ts";
import { type Gateway, startFakeUpstream, startGateway } from "../../../support/e2e/fixture.ts";

const KEY = "sk-upstream-key";
const QUESTION = "What is a sluice?";
const MOST_CLICKS = 7;
const MOST_KEYS = 40;

const browser = await openSharedBrowser();
const upstream = startFakeUpstream();
afterAll(upstream.stop);

type Effort = Readonly<{ clicks: number; keys: number }>;

/** Counts clicks and key presses in every page of the context; typed characters are no key presses. */
const countEffort = (page: Page) =>
  page.addInitScript(() => {
    const add = (name: string) => sessionStorage.setItem(name, String(Number(sessionStorage.getItem(name)) + 1));
    document.addEventListener("pointerdown", () => add("clicks"), true);
    document.addEventListener("keydown", (event) => (event.key.length > 1 || event.ctrlKey) && add("keys"), true);
  });

const readEffort = (page: Page): Promise<Effort> =>
  page.evaluate(() => ({
    clicks: Number(sessionStorage.getItem("clicks")),
    keys: Number(sessionStorage.getItem("keys")),
  }));

/** A page of a gateway that nobody has set up. */
async function openNew(way: Parameters<typeof openPage>[1]) {
  const gateway = await startGateway({ isFirstStart: true });
  const { page, complaints } = await openPage(browser, way);
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await countEffort(page);
  const close = async () => {
    await page.context().close();
    await gateway.stop();
  };
  return { gateway, page, complaints, close };
}

/** Waits for the playground's answer. */
const answered = (page: Page) => page.locator("article").getByText("sluice is a gate").waitFor();

describe("from set-up to the first answer", () => {
  const words = WORDS.en;

  test("by mouse", async () => {
    const { gateway, page, close } = await openNew({ language: "en" });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    /** Types into the field that has the focus. */
    const type = (text: string) => page.keyboard.insertText(text);
    await page.goto(gateway.url);
    const started = performance.now();
    await page.getByLabel(words.setup.username).and(page.locator(":focus")).waitFor();
    await type(ROOT_NAME);
    for (const label of [words.setup.password, words.setup.confirm]) {
      await page.getByLabel(label, { exact: true }).click();
      await type(ROOT_PASSWORD);
    }
    await button(words.setup.submit).click();
    await page.waitForURL("**/start");
    await page.getByLabel(words.channels.quick.key, { exact: true }).and(page.locator(":focus")).waitFor();
    await type(KEY);
    await page.getByRole("radio", { name: words.channels.quick.compatible }).click();
    await page.getByLabel(words.channels.form.baseUrl, { exact: true }).and(page.locator(":focus")).waitFor();
    await type(`${upstream.url}/v1`);
    await button(words.channels.add).click();
    await page.getByText(words.firstSteps.test.done).waitFor();
    await page.getByRole("link", { name: words.shell.playground, exact: true }).click();
    await page.getByLabel(words.playground.ask).and(page.locator(":focus")).waitFor();
    await type(QUESTION);
    await button(words.playground.send).click();
    await answered(page);
    const seconds = (performance.now() - started) / 1000;
    const { clicks, keys } = await readEffort(page);
    process.stdout.write(`first answer by mouse: ${clicks} clicks, ${seconds.toFixed(1)} s\n`);
    expect(keys).toBe(0);
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await close();
  }, 180_000);

  test("by keyboard", async () => {
    const { gateway, page, close } = await openNew({ language: "en" });
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const type = (text: string) => page.keyboard.type(text);
    await page.goto(gateway.url);
    await page.getByLabel(words.setup.username).and(page.locator(":focus")).waitFor();
    await type(ROOT_NAME);
    await press("Tab");
    await type(ROOT_PASSWORD);
    await press("Tab", "Tab");
    await type(ROOT_PASSWORD);
    await press("Enter");
    await page.waitForURL("**/start");
    await page.getByLabel(words.channels.quick.key, { exact: true }).and(page.locator(":focus")).waitFor();
    await type(KEY);
    // Before the list has come there is nothing but the last tile to go up from.
    await page.getByRole("radio", { name: "OpenAI", exact: true }).waitFor();
    await press("Tab", "ArrowUp", "Tab");
    await page.getByLabel(words.channels.form.baseUrl, { exact: true }).and(page.locator(":focus")).waitFor();
    await type(upstream.url);
    await press("Enter");
    await page.getByText(words.firstSteps.test.done).waitFor();
    await press("Control+k");
    await page.getByRole("combobox").and(page.locator(":focus")).waitFor();
    await type("playground");
    await press("Enter");
    await page.getByLabel(words.playground.ask).and(page.locator(":focus")).waitFor();
    await type(QUESTION);
    await press("Enter");
    await answered(page);
    const { clicks, keys } = await readEffort(page);
    process.stdout.write(`first answer by keyboard: ${keys} key presses\n`);
    expect(clicks).toBe(0);
    expect(keys).toBeLessThanOrEqual(MOST_KEYS);
    await close();
  }, 180_000);
});

describe.each([
  ["en", false, 1280],
  ["zh", true, 390],
] as const)("the first steps in %s (dark: %p, %d px)", (language, dark, width) => {
  const words = WORDS[language];
  let gateway: Gateway;
  let page: Page;
  let complaints: string[];
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ gateway, page, complaints, close } = await openNew({ language, dark, width }));
  });
  afterAll(() => close());

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const step = (name: "channel" | "test" | "prices" | "key" | "call" | "receipt") =>
    page.getByRole("region", { name: words.firstSteps[name].title, exact: true });
  const ticked = (name: Parameters<typeof step>[0]) =>
    step(name).getByRole("img", { name: words.firstSteps.isDone, exact: true }).waitFor();
  const clean = async () => {
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await measureHorizontalOverflow(page)).toBe(0);
  };

  test("set-up signs in and shows what is left to do; nothing is ticked", async () => {
    await page.goto(gateway.url);
    await page.getByLabel(words.setup.username).fill(ROOT_NAME);
    await page.getByLabel(words.setup.password, { exact: true }).fill(ROOT_PASSWORD);
    await page.getByLabel(words.setup.confirm, { exact: true }).fill(ROOT_PASSWORD);
    await button(words.setup.submit).click();
    await page.waitForURL("**/start");
    await step("receipt").waitFor();
    expect(await page.getByRole("img", { name: words.firstSteps.isOpen, exact: true }).count()).toBe(6);
    await clean();
  }, 120_000);

  test("without models, playground and snippets say what to do", async () => {
    await openPath(page, gateway.url, "/playground");
    await page.getByText(words.apiKeys.noModels.title).waitFor();
    await page.getByText("gpt-4o-mini", { exact: true }).waitFor({ state: "detached" });
    await clean();
    await openPath(page, gateway.url, "/token");
    await page.getByText(words.apiKeys.use.noModels).waitFor();
    await clean();
    await page.getByRole("alert").getByRole("link", { name: words.channels.add, exact: true }).click();
    await page.waitForURL("**/start");
  }, 120_000);

  test("a refused key stores nothing; a good one is tested at once", async () => {
    await page.getByLabel(words.channels.quick.key, { exact: true }).fill("sk-wrong");
    await button(words.channels.add).click();
    await page.getByText(words.channels.quick.errors.provider).waitFor();
    await page.getByRole("radio", { name: words.channels.quick.compatible }).check();
    await page.getByLabel(words.channels.form.baseUrl, { exact: true }).fill(upstream.url);
    await button(words.channels.add).click();
    await page.getByRole("alert").getByText("401").waitFor();
    await clean();
    await page.getByLabel(words.channels.quick.key, { exact: true }).fill(KEY);
    await button(words.channels.add).click();
    await ticked("channel");
    await ticked("test");
    await ticked("prices");
    await clean();
  }, 120_000);

  test("a key, a call and its receipt finish the list", async () => {
    await step("key").getByRole("button", { name: words.apiKeys.add, exact: true }).click();
    await button(words.apiKeys.created.done).click();
    await ticked("key");
    await step("call").getByRole("link", { name: words.firstSteps.call.action, exact: true }).click();
    await page.getByLabel(words.playground.ask).fill(QUESTION);
    await button(words.playground.send).click();
    await answered(page);
    // The journal is written to the database a moment after the call.
    await page.waitForFunction(async () => {
      const { id } = JSON.parse(localStorage.getItem("user") ?? "{}");
      const reply = await fetch("/api/system/first_steps", { headers: { "Sluice-User": String(id) } });
      return (await reply.json()).data.request_id !== null;
    });
    await openPath(page, gateway.url, "/start");
    await ticked("call");
    await step("receipt").getByRole("link", { name: words.firstSteps.receipt.action, exact: true }).click();
    await page.getByText(words.logs.detail.receipt, { exact: true }).waitFor();
    await openPath(page, gateway.url, "/start");
    await page.getByRole("heading", { name: words.firstSteps.finished }).waitFor();
    await clean();
    const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    await createChannel(root, upstream.url, ["a-model-of-ours"]);
    await page.reload();
    await page.getByLabel(words.firstSteps.prices.input, { exact: true }).fill("1");
    await button(words.firstSteps.prices.action).click();
    await page.getByText(words.firstSteps.prices.number).waitFor();
    await clean();
    await page.getByLabel(words.firstSteps.prices.output, { exact: true }).fill("4");
    await button(words.firstSteps.prices.action).click();
    await page.getByRole("heading", { name: words.firstSteps.finished }).waitFor();
    const options: { key: string; value: string }[] = await root.get("/api/option/");
    const ratioOf = (name: string) =>
      JSON.parse(options.find(({ key }) => key === name)?.value ?? "{}")["a-model-of-ours"];
    expect([ratioOf("ModelRatio"), ratioOf("CompletionRatio")]).toEqual([0.5, 4]);
    await button(words.firstSteps.close).click();
    await page.waitForURL("**/token");
    expect(complaints.filter((line) => !line.includes("400"))).toEqual([]);
  }, 120_000);
});
