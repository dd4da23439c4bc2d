/**
 * Makes the documentation's pictures of channels, dashboard, settings and usage log from generated data, in
 * `docs/pictures/`. The console has to be built before (`bun scripts/build/build.ts --ui-only`).
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright";
import { openDatabase } from "../../db/connect.ts";
import type { Database } from "../../db/types.ts";
import { createVault } from "../../src/lib/security/crypto.ts";
import { loadSecrets } from "../../src/lib/security/secrets.ts";
import { readConfig } from "../../src/server/config.ts";
import { openBrowser } from "../../test/support/e2e/browser.ts";
import { createApiKey, createChannel, setOption } from "../../test/support/e2e/console-client.ts";
import { openConsolePage, VIEWPORTS } from "../../test/support/e2e/console-page.ts";
import { setUp, startFixture, startGateway } from "../../test/support/e2e/fixture.ts";
import { MODELS } from "../seed/models.ts";
import { seed } from "../seed/seed.ts";

const ASSETS = join(import.meta.dir, "../../docs/pictures");
const SIZES = { channels: 9, users: 40, tokens: 60, logs: 120_000 };
const CHANNELS = [
  "openai-main",
  "openai-batch",
  "azure-eu",
  "claude-main",
  "gemini-main",
  "deepseek",
  "openai-spare",
  "openai-tests",
  "azure-us",
];
/** What is called most, in place of the first models of the seed. */
const CALLED = [
  "gpt-5.4-mini",
  "claude-sonnet-5",
  "gemini-3.6-flash",
  "deepseek-v4",
  "gpt-5.4",
  "claude-opus-5",
  "text-embedding-3-small",
];

process.env.SLUICE_E2E_SOURCE ??= "1";
const dataDir = await mkdtemp(join(tmpdir(), "sluice-pictures-"));
const config = readConfig({ DATA_DIR: dataDir });
const database = await openDatabase(config);
await seed({ database, vault: createVault(await loadSecrets(config)), say: () => {} }, SIZES);
await giveNames(database);
await database.close();

const gateway = await startGateway({ dataDir });
await setUp(gateway);
const browser = await openBrowser();
const { page, open } = await openConsolePage(browser, gateway, { ...VIEWPORTS.en, width: 1280 });
await page.setViewportSize({ width: 1280, height: 800 });
await capture("channels", "/channel");
await capture("dashboard", "/detail?range=30d&step=day");
await capture("settings", "/setting?tab=operation&field=pricing");
await gateway.stop();
await captureUsageLog();
await browser.close();

/** The log of calls to a fake upstream, one of them open. */
async function captureUsageLog(): Promise<void> {
  const { gateway, root, upstream, stop } = await startFixture(["text-embedding-3-small"]);
  const { key } = await createApiKey(root, { name: "ide-plugin" });
  const models = ["gpt-5.4", "claude-sonnet-5", "gemini-3.6-flash"];
  const answerAs = (answer: string) => JSON.stringify(Object.fromEntries(models.map((model) => [model, answer])));
  const answers = { name: "openai-main", priority: 10, model_mapping: answerAs("usage-1000-500-cached-800") };
  await createChannel(root, upstream.url, models, answers);
  await setOption(root, "ModelRatio", Object.fromEntries(models.map((model) => [model, 1.25])));
  for (const model of [...models, ...models, "gpt-5.4", "claude-sonnet-5", "gpt-5.4"]) {
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, stream: model !== "gpt-5.4", messages: [{ role: "user", content: "Hello" }] }),
    });
    await reply.text();
  }
  const own = await openConsolePage(browser, gateway, { ...VIEWPORTS.en, width: 1280 });
  await own.page.setViewportSize({ width: 1280, height: 800 });
  await own.open("/log?type=2");
  const call = own.row("claude-sonnet-5").first();
  await call.getByRole("button").first().click();
  await loaded(own.page);
  await own.page.screenshot({ path: join(ASSETS, "usage-log.png") });
  await stop();
}

async function giveNames({ sql }: Database): Promise<void> {
  for (const [index, name] of CHANNELS.entries())
    await sql`update channels set name = ${name}, priority = ${10 - index}, status = 1,
      tag = ${index % 3 === 0 ? "main" : ""}, balance = ${120 - 11 * index}, balance_currency = 'USD',
      balance_updated_time = extract(epoch from now())::bigint where id = ${index + 1}`;
  for (const [index, name] of CALLED.entries()) {
    const from = MODELS[index] ?? "";
    await sql`update logs set model_name = ${name} where model_name = ${from}`;
    await sql`update usage_rollups set model_name = ${name} where model_name = ${from}`;
  }
}

async function capture(name: string, path: string): Promise<void> {
  await open(path);
  await loaded(page);
  await page.screenshot({ path: join(ASSETS, `${name}.png`) });
}

/** Waits until nothing stands for what is still loading. */
async function loaded(shown: Page): Promise<void> {
  await shown.locator("h1").first().waitFor();
  await shown.waitForFunction(() => document.querySelector(".MuiSkeleton-root") === null);
  await shown.waitForTimeout(500);
}
