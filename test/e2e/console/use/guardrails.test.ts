/** Guardrails in a real browser: one is made, tried and watched in shadow mode, and the log filters by its verdicts. */
import { expect } from "bun:test";
import { WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { openConsolePage, startBrowserFixture, VIEWPORTS } from "../../../support/e2e/console-page.ts";
import { until } from "../../../support/lib/until.ts";

const MODEL = "gpt-4o";
const MAIL = "ann@example.org";
const { browser, fixture } = await startBrowserFixture([MODEL]);
const { gateway, key, root } = fixture;
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);
const words = WORDS.en.guardrails;

const ask = (content: string) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content }] }),
  });

test("a guardrail is tried, made in shadow mode, kept to an MCP server and then to none", async () => {
  const { page, button, dialog, row } = consolePage;
  await consolePage.open("/guardrails");
  await page.getByText(words.empty.title, { exact: true }).waitFor();
  await consolePage.expectAccessible();
  await button(words.add).first().click();
  const form = dialog(words.form.createTitle);
  await form.getByLabel(words.form.name, { exact: true }).fill("personal data");
  await form.getByLabel(words.form.mcpServers, { exact: true }).fill("city*");
  await page.keyboard.press("Enter");
  await form.getByLabel(words.try.text, { exact: true }).fill(`Write to ${MAIL}`);
  await button(words.try.run, form).click();
  await form.getByText("Write to [EMAIL]").waitFor();
  await consolePage.expectAccessible();
  await button(words.form.create, form).click();
  await row("personal data").getByText(words.status.shadow, { exact: true }).waitFor();
  await row(`${words.form.mcpServers}: city*`).waitFor();
  expect(await root.get("/api/guardrail/")).toMatchObject([
    { name: "personal data", kind: "personal_data", action: "mask", shadow: true, mcp_servers: ["city*"] },
  ]);
  expect((await ask(`Write to ${MAIL}`)).status).toBe(200);
  const guardrail = { kind: "personal_data", action: "mask", shadow: true, phases: ["request"] };
  await root.put("/api/guardrail/", { name: "personal data", guardrail });
  expect(consolePage.complaints).toEqual([]);
}, 120_000);

test("the log is narrowed to what a guardrail found, or would have done", async () => {
  const { page, button, row, chooseRowAction } = consolePage;
  await root.post("/api/guardrail/", {
    name: "no secrets",
    guardrail: { kind: "words", words: ["forbidden"], phases: ["request"] },
  });
  await ask("nothing to see");
  await ask(`Write to ${MAIL}`);
  expect((await ask("forbidden")).status).toBe(400);
  const count = async (query: string) => (await root.get(`/api/log/?p=1&page_size=10&${query}`)).total;
  await until(
    () => count("guardrail=no%20secrets"),
    (total) => total === 1,
  );
  expect(await count("guardrail=personal%20data")).toBe(1);
  expect(await count("guardrail_action=block&guardrail_shadow=false")).toBe(1);
  expect(await count("guardrail_shadow=true&guardrail_kind=personal_data")).toBe(1);
  expect(await count("guardrail=personal%20data&guardrail_action=block")).toBe(0);

  await consolePage.open("/guardrails");
  await chooseRowAction("no secrets", words.log);
  await page.waitForURL(/\/log\?guardrail=no/);
  await row(MODEL).first().waitFor();
  expect(await row(MODEL).count()).toBe(1);
  const filters = WORDS.en.logs.filters;
  await button(new RegExp(`^${filters.verdict}`)).click();
  await page.getByRole("menuitem", { name: words.status.shadow, exact: true }).click();
  await row(MODEL).first().waitFor({ state: "detached" });
  await consolePage.open("/log?verdict=shadow-mask");
  await row(MODEL).first().waitFor();
  expect(await row(MODEL).count()).toBe(1);
  await consolePage.expectAccessible();
  expect(consolePage.complaints).toEqual([]);
}, 120_000);
