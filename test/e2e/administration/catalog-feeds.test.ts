/** A super administrator takes prices and facts of models from models.dev and from another Sluice, in a browser and by command. */
import { afterAll, describe, expect } from "bun:test";
import path from "node:path";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { fillPlaceholders, openConsolePage, startBrowserFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { runCommand } from "../../support/processes/run-command.ts";

const words = WORDS.en.catalog;
const FIXTURES = path.join(import.meta.dir, "../../fixtures/catalog");
let isBroken = false;
const sources = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ url }) {
    if (isBroken) return new Response("out of order", { status: 503 });
    return new URL(url).pathname === "/api.json"
      ? new Response(Bun.file(`${FIXTURES}/models-dev.json`))
      : new Response("nothing here", { status: 404 });
  },
});
afterAll(() => sources.stop(true));

const address = `http://127.0.0.1:${sources.port}`;
const { browser, fixture } = await startBrowserFixture(["gpt-4o", "lumen-1"], {
  env: { MODELS_DEV_URL: address, OPENROUTER_URL: address, ALLOW_PRIVATE_UPSTREAMS: "true" },
});
const { root, gateway } = fixture;
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);

type Entry = { model: string; price: object | null; facts: Record<string, unknown> };
const entryOf = async (model: string): Promise<Entry | undefined> =>
  (await root.get("/api/catalog/")).entries.find((entry: Entry) => entry.model === model);

describe("prices and facts of models.dev", () => {
  test("are shown before they are applied, chosen row by row, and undone", async () => {
    await consolePage.open("/catalog");
    await consolePage.button(words.update.fetch).click();
    const drawer = consolePage.dialog(words.update.title);
    isBroken = true;
    await consolePage.button(words.update.show, drawer).click();
    await drawer.getByRole("alert").waitFor();
    isBroken = false;
    await drawer.getByRole("button", { name: WORDS.en.components.error.retry }).click();
    await drawer.getByRole("checkbox", { name: "lumen-1", exact: true }).waitFor();
    await drawer.getByText(words.update.onlyServed).click();
    await drawer.getByRole("checkbox", { name: "lumen-embed", exact: true }).waitFor({ state: "detached" });
    // The price of the fixture is the operator's own.
    await drawer.getByText(words.update.ownPrice).first().waitFor();
    expect(await drawer.getByRole("checkbox", { name: "lumen-1: price", exact: true }).isDisabled()).toBe(true);
    await drawer.getByRole("checkbox", { name: "lumen-1: output_limit", exact: true }).uncheck();
    await consolePage.expectAccessible();
    const apply = drawer.getByRole("button", { name: /^Apply \d+ changes$/ });
    await apply.click();
    await consolePage.waitForNotice(fillPlaceholders(words.update.done_other, { count: 2 }));
    expect(await entryOf("lumen-1")).toMatchObject({
      facts: { context_window: 400_000, output_limit: null },
      price: { input: 2 },
    });
    expect((await entryOf("lumen-embed"))?.facts.context_window ?? null).toBeNull();
    await consolePage.button(words.update.undo).click();
    await consolePage.button(words.update.undo, consolePage.dialog(words.update.undoTitle)).click();
    await consolePage.waitForNotice(words.update.undone);
    expect((await entryOf("lumen-1"))?.facts.context_window).toBeNull();
  }, 180_000);

  test("are looked at in Chinese, on a phone, in the dark", async () => {
    const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
    await phone.open("/catalog");
    await phone.button(WORDS.zh.catalog.update.fetch).click();
    const drawer = phone.dialog(WORDS.zh.catalog.update.title);
    await phone.button(WORDS.zh.catalog.update.show, drawer).click();
    await drawer.getByRole("checkbox", { name: "lumen-1", exact: true }).waitFor();
    await phone.expectAccessible();
    await phone.close();
  }, 120_000);

  test("come by command too, while the gateway serves", async () => {
    const run = (...args: string[]) => runCommand(["catalog", ...args], { DATA_DIR: gateway.dataDir });
    const shown = await run("update", "--from", "models.dev", "--only", "lumen-*");
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out).toContain("lumen-1  context_window: null -> 400000");
    expect((await entryOf("lumen-1"))?.facts.context_window).toBeNull();
    expect(await run("update", "--from", "models.dev", "--only", "lumen-*", "--apply")).toMatchObject({ code: 0 });
    expect((await entryOf("lumen-1"))?.facts.context_window).toBe(400_000);
    expect(await run("undo")).toMatchObject({ code: 0 });
    expect((await entryOf("lumen-1"))?.facts.context_window).toBeNull();
    expect((await run("update", "--from", "OpenRouter")).code).toBe(1);
  }, 120_000);
});
