/** MCP servers in a real browser: added from an agent's settings, their tools approved, and then offered to callers. */
import { afterAll, expect } from "bun:test";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { startMcpServer } from "../../../gateway/mcp/mcp-server.ts";
import { WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import {
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
  VIEWPORTS,
} from "../../../support/e2e/console-page.ts";
import { until } from "../../../support/lib/until.ts";

const { browser, fixture } = await startBrowserFixture(["tools-model"], {
  env: { MCP_STDIO_COMMANDS: process.execPath },
});
const server = startMcpServer({ authorization: "Bearer lock-keeper" });
afterAll(() => server.stop());
const consolePage = await openConsolePage(browser, fixture.gateway, VIEWPORTS.en);
const words = WORDS.en.mcp;

/** What a caller's agent is offered. */
async function offered<Result>(use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ name: "agent", version: "1.0.0" });
  const headers = { authorization: `Bearer ${fixture.key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${fixture.gateway.url}/mcp`), { requestInit: { headers } }),
  );
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
const toolNames = () => offered(async (client) => (await client.listTools()).tools.map(({ name }) => name));

test("a server comes from an agent's settings, and a tool once it is approved", async () => {
  const { page, button, dialog, row, chooseRowAction } = consolePage;
  await consolePage.open("/mcp-servers");
  await page.getByText(words.empty.title, { exact: true }).waitFor();
  await consolePage.expectAccessible();
  await button(words.add).first().click();
  const form = dialog(words.form.createTitle);
  const settings = {
    mcpServers: { "City Tools": { url: server.url, headers: { Authorization: "Bearer lock-keeper" } } },
  };
  await form.getByLabel(words.form.paste).fill(JSON.stringify(settings));
  const name = form.getByLabel(words.form.name, { exact: true });
  await until(
    () => name.inputValue(),
    (value) => value === "city-tools",
  );
  await consolePage.expectAccessible();
  await button(words.form.create, form).click();
  await row("city-tools").waitFor();
  await row(words.status.waiting).waitFor();
  expect(await toolNames()).toEqual([]);

  await row("city-tools").getByText("city-tools", { exact: true }).click();
  const tools = dialog(fillPlaceholders(words.tools.title, { name: "city-tools" }));
  await tools.locator("[data-row]").filter({ hasText: "weather" }).waitFor();
  await consolePage.expectAccessible();
  await button(fillPlaceholders(WORDS.en.components.table.detailsOf, { name: "weather" }), tools).click();
  await tools.getByText("The weather of a city.").waitFor();
  const weather = tools.locator("[data-row]").filter({ hasText: "weather" }).first();
  await chooseRowAction("weather", words.tools.approve);
  await weather.getByText(words.tools.states.approved, { exact: true }).waitFor();
  expect(await until(toolNames, (names) => names.length > 0)).toEqual(["city-tools__weather"]);
  const { content } = await offered((client) =>
    client.callTool({ name: "city-tools__weather", arguments: { city: "Bruges" } }),
  );
  expect(JSON.stringify(content)).toContain("Bruges");
  await tools.getByRole("textbox", { name: "city" }).fill("Lier");
  await consolePage.expectAccessible();
  await button(words.try.run, tools).click();
  await tools.getByText(words.try.returned, { exact: true }).waitFor();
  await tools.getByText("rainy in Lier").waitFor();
  await page.keyboard.press("Escape");
  await tools.waitFor({ state: "detached" });
  expect(consolePage.complaints).toEqual([]);
}, 120_000);

test("an API comes from its document, and its operation is called", async () => {
  const { page, button, dialog, row, chooseRowAction } = consolePage;
  const api = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: (request) => new Response(`cities below ${new URL(request.url).pathname}`),
  });
  const paths = { "/regions/{id}": { get: { operationId: "listCities", parameters: [{ name: "id", in: "path" }] } } };
  const document = { openapi: "3.1.0", servers: [{ url: `http://127.0.0.1:${api.port}/v1` }], paths };
  try {
    await consolePage.open("/mcp-servers");
    await button(words.add).first().click();
    const form = dialog(words.form.createTitle);
    await form.getByLabel(words.form.name, { exact: true }).fill("regions");
    await form.getByText(words.kinds.openapi, { exact: true }).click();
    await form.getByLabel(words.form.document, { exact: true }).fill(JSON.stringify(document));
    await consolePage.expectAccessible();
    await button(words.form.create, form).click();
    await row("regions").getByText("regions", { exact: true }).click();
    const tools = dialog(fillPlaceholders(words.tools.title, { name: "regions" }));
    await tools.locator("[data-row]").filter({ hasText: "listCities" }).waitFor();
    await button(fillPlaceholders(WORDS.en.components.table.detailsOf, { name: "listCities" }), tools).click();
    await tools.getByText('"path": "/regions/{id}"').waitFor();
    await chooseRowAction("listCities", words.tools.approve);
    await until(toolNames, (names) => names.includes("regions__listCities"));
    const { content } = await offered((client) =>
      client.callTool({ name: "regions__listCities", arguments: { id: "north/east" } }),
    );
    expect(JSON.stringify(content)).toContain("cities below /v1/regions/north%2Feast");
    await page.keyboard.press("Escape");
    await tools.waitFor({ state: "detached" });
    expect(consolePage.complaints).toEqual([]);
  } finally {
    await api.stop(true);
  }
}, 120_000);

test("its use is shown by tool and user, with the way to the calls in the log", async () => {
  const { page, chooseRowAction, dialog } = consolePage;
  await chooseRowAction("city-tools", words.showUsage);
  const usage = dialog(fillPlaceholders(words.usage.title, { name: "city-tools" }));
  const calls = usage.locator("[data-row]").filter({ hasText: "weather" });
  await calls.getByText("2", { exact: true }).waitFor();
  await consolePage.expectAccessible();
  await calls.getByRole("link", { name: "weather" }).click();
  await page.getByText("mcp/city-tools/weather").first().waitFor();
  expect(new URL(page.url()).searchParams.get("model")).toBe("mcp/city-tools/weather");
  expect(consolePage.complaints).toEqual([]);
}, 120_000);

test("a command comes from an agent's settings, with what its process wrote above its tools", async () => {
  const { page, button, dialog, row } = consolePage;
  const worker = path.resolve(import.meta.dir, "../../../gateway/mcp/stdio/server-worker.ts");
  const local = { command: process.execPath, args: [worker, "good"], env: { SECRET_NAME: "the-secret-value" } };
  await consolePage.open("/mcp-servers");
  await button(words.add).first().click();
  const form = dialog(words.form.createTitle);
  await form.getByLabel(words.form.paste).fill(JSON.stringify({ mcpServers: { local } }));
  const command = form.getByLabel(words.form.command, { exact: true });
  await until(
    () => command.inputValue(),
    (value) => value === process.execPath,
  );
  await consolePage.expectAccessible();
  await button(words.form.create, form).click();
  await row("local").getByText("local", { exact: true }).click();
  const tools = dialog(fillPlaceholders(words.tools.title, { name: "local" }));
  await tools.getByText("good has started with ***").waitFor();
  await tools.locator("[data-row]").filter({ hasText: "environment" }).waitFor();
  await consolePage.expectAccessible();
  await page.keyboard.press("Escape");
  await tools.waitFor({ state: "detached" });
  expect(consolePage.complaints).toEqual([]);
}, 120_000);

test("it reads as well in Chinese on a phone", async () => {
  const phone = await openConsolePage(browser, fixture.gateway, VIEWPORTS.zh);
  await phone.open("/mcp-servers");
  await phone.page.getByRole("heading", { name: WORDS.zh.mcp.title, level: 1 }).waitFor();
  await phone.row("city-tools").waitFor();
  await phone.expectAccessible();
  expect(phone.complaints).toEqual([]);
  await phone.close();
}, 60_000);
