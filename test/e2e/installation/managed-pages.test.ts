/** What the console shows of files that manage the site, and of programs that ask for a key. */
import { afterAll, beforeAll, expect } from "bun:test";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import {
  BOTH_VIEWPORTS,
  type ConsolePage,
  expectChinesePages,
  openConsolePage,
  startConsoleFixture,
} from "../../support/e2e/console-page.ts";
import { until } from "../../support/lib/until.ts";

const words = WORDS.en;
const { browser, gateway, root } = await startConsoleFixture();
let view: ConsolePage;
beforeAll(async () => {
  const document = {
    options: { LockManagedByFiles: true },
    channels: [{ name: "Main", type: 1, key: "sk-a-key-of-a-provider", models: ["gpt-5"] }],
  };
  await root.post("/api/configuration/apply", { document, label: "platform" });
  view = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
});
afterAll(() => view.close());

test("a channel that files manage says so, and can't be saved on a locked site", async () => {
  await view.open("/channel/edit/1");
  const { locked } = words.components.managed;
  await view.page.getByText(locked.replace("{{label}}", "platform")).waitFor();
  expect(await view.button(words.channels.form.save).count()).toBe(0);
  // Nothing in it takes the focus.
  expect(await view.page.locator("[inert] input[value=Main]").count()).toBe(1);
  await view.expectAccessible();
  const refused = await root.send("PUT", "/api/channel/", { id: 1, name: "Mine" });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ success: false, code: "managed_by_files" });
});

test("the code of a program is confirmed with a name and a limit", async () => {
  const begin = await fetch(`${gateway.url}/api/device/code`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client: "Claude Code", machine: "laptop" }),
  });
  const { device_code, user_code } = (await begin.json()) as Record<string, string>;
  const texts = words.apiKeys.device;
  await view.open("/device");
  await view.page.getByLabel(texts.code).fill(user_code ?? "");
  await view.button(texts.next).click();
  await view.page.getByText(texts.question.replace("{{client}}", "Claude Code")).waitFor();
  await view.expectAccessible();
  await view.page.getByLabel(texts.limit).fill("2");
  await view.button(texts.approve).click();
  await view.page.getByText(texts.approved, { exact: true }).waitFor();
  const claim = () =>
    fetch(`${gateway.url}/api/device/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ device_code }),
    });
  expect(await (await claim()).json()).toMatchObject({ key_name: "Claude Code (laptop)" });
  const made = await until(
    () => root.get("/api/token/"),
    (keys: { name: string }[]) => keys.some(({ name }) => name === "Claude Code (laptop)"),
  );
  expect(made[0]).toMatchObject({ budget_period: "day", budget_quota: 1_000_000 });
  await expectChinesePages(browser, gateway, ["/device"]);
});
