/**
 * Takes screenshots of every page of the console (light English, dark Chinese, and both on a phone) into the git-ignored
 * folder `screenshots/`. Arguments limit it to the named pages and variants. Prints the errors of the browser's console.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright";
import { openBrowser } from "../../test/support/e2e/browser.ts";
import {
  createApiKey,
  createChannel,
  ROOT_NAME,
  ROOT_PASSWORD,
  setOption,
} from "../../test/support/e2e/console-client.ts";
import { type Fixture, startFixture, startGateway } from "../../test/support/e2e/fixture.ts";
import { until } from "../../test/support/lib/until.ts";

const FOLDER = join(import.meta.dir, "../../screenshots");
const MODELS = ["gpt-4o", "gpt-4o-mini", "usage-1000-500-cached-800", "err-429", "err-500", "dies-after-3", "no-usage"];
/** Until what appears last has faded in. */
const STILL_MS = 500;
const PATIENCE_MS = 30_000;
/** Charged calls, as the log's type. */
const CONSUMED = 2;

const PAGES: readonly (readonly [name: string, path: string, act?: (page: Page) => Promise<void>])[] = [
  ["home", "/"],
  ["pricing", "/pricing"],
  ["about", "/about"],
  ["status", "/status"],
  ["key", "/key"],
  ["reference", "/reference"],
  ["playground", "/playground"],
  ["chat", "/chat"],
  ["dashboard", "/detail"],
  ["token", "/token"],
  [
    "token-drawer",
    "/token",
    (page) =>
      page
        .getByRole("button", { name: /Create|创建|新建/ })
        .first()
        .click(),
  ],
  ["log", "/log"],
  [
    "log-open",
    "/log",
    (page) =>
      page
        .getByRole("button", { name: /Details|详情/ })
        .nth(1)
        .click(),
  ],
  [
    "request",
    "/log",
    async (page) => {
      const { items } = await fixture.root.get(`/api/log/?p=1&page_size=1&type=${CONSUMED}`);
      await page.goto(`${fixture.gateway.url}/log/${items[0].request_id}`);
    },
  ],
  ["drawing", "/midjourney"],
  ["tasks", "/task"],
  ["channel", "/channel"],
  ["channel-add", "/channel/add"],
  ["channel-add-all", "/channel/add?all=1"],
  ["channel-edit", "/channel/edit/1"],
  ["live", "/live"],
  [
    "router",
    "/router",
    async (page) => {
      await page.locator('main [role="combobox"]').first().fill("gpt-4o");
      // On a phone the names that are offered cover the button.
      await page.keyboard.press("Escape");
      await page.locator('main button[type="submit"]').click();
    },
  ],
  ["codes", "/redemption"],
  ["users", "/user"],
  ["user-add", "/user/add"],
  ["user-edit", "/user/edit/2"],
  ["orders", "/order"],
  ["agents", "/agent"],
  ["notices", "/notice"],
  ["audit", "/audit"],
  ["catalog", "/catalog"],
  [
    "catalog-drawer",
    "/catalog?search=claude-opus-4-8",
    (page) => page.getByText("claude-opus-4-8", { exact: true }).first().click(),
  ],
  ["books", "/books"],
  ["doctor", "/doctor"],
  ["jobs", "/jobs"],
  ["exports", "/exports"],
  ["service-accounts", "/service-accounts"],
  ["identity-providers", "/identity-providers"],
  ["sessions", "/sessions"],
  ["failures", "/failures"],
  ["alerts", "/alerts"],
  ["routes", "/routes"],
  ["experiments", "/experiments"],
  ["guardrails", "/guardrails"],
  ["replays", "/replays"],
  ["channel-checks", "/channel-checks"],
  ["organization", "/organization"],
  ["start", "/start"],
  ["settings-operation", "/setting?tab=operation"],
  ["settings-ratelimit", "/setting?tab=ratelimit"],
  ["settings-models", "/setting?tab=models"],
  ["settings-system", "/setting?tab=system"],
  ["settings-other", "/setting?tab=other"],
  ["wallet", "/topup"],
  ["agent-info", "/topup/agent"],
  ["personal", "/personal"],
  ["not-found", "/nowhere"],
];
const OPEN_PAGES = [
  ["setup", "/setup"],
  ["login", "/login"],
  ["register", "/register"],
  ["reset", "/reset"],
  ["user-reset", "/user/reset?email=ada%40example.test&token=1"],
] as const;
const VARIANTS = [
  { name: "en-light", language: "en", mode: "light", width: 1440, height: 900 },
  { name: "zh-dark", language: "zh", mode: "dark", width: 1440, height: 900 },
  { name: "phone", language: "en", mode: "light", width: 390, height: 844 },
  { name: "phone-zh-dark", language: "zh", mode: "dark", width: 390, height: 844 },
] as const;

const only = process.argv.slice(2);
const isVariant = (name: string) => VARIANTS.some((variant) => variant.name === name);
const requestedPages = only.filter((name) => !isVariant(name));
const requestedVariants = only.filter(isVariant);
const isRequested = (name: string) => requestedPages.length === 0 || requestedPages.includes(name);

process.env.SLUICE_E2E_SOURCE ??= "1";
await mkdir(FOLDER, { recursive: true });
const fixture = await startFixture(MODELS, {});
await fill(fixture);
/** Shows its setup still. */
const untouched = await startGateway();
const browser = await openBrowser();
for (const variant of VARIANTS) {
  if (requestedVariants.length === 0 || requestedVariants.includes(variant.name)) await shoot(variant);
}
await browser.close();
await fixture.stop();
await untouched.stop();

/** Something to see on every page. */
async function fill({ root, upstream, gateway, key }: Fixture): Promise<void> {
  await setOption(root, "ModelRatio", Object.fromEntries(MODELS.map((model) => [model, 1.25])));
  await setOption(root, "RetryTimes", 2);
  for (const option of ["CheckInEnabled", "RegisterEnabled", "DrawingEnabled", "TaskEnabled", "StatusPageEnabled"]) {
    await setOption(root, option, true);
  }
  await createChannel(root, upstream.url, ["gpt-4o", "err-429", "no-usage"], {
    name: "openai-main",
    priority: 20,
    tag: "prod",
  });
  await createChannel(root, upstream.url, ["err-429", "err-500"], { name: "backup-reseller-with-a-rather-long-name" });
  await createApiKey(root, { name: "ide-plugin", unlimited_quota: false, remain_quota: 5_000_000 });
  await root.post("/api/redemption/", { name: "spring", quota: 500_000, count: 3 });
  await root.post("/api/user/", { username: "ada", display_name: "Ada", password: "some-password-1" });
  for (const model of [...MODELS, ...MODELS]) {
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "What is a sluice?" }] }),
    });
    await reply.text();
  }
  // The log is written in batches.
  await until(
    () => root.get(`/api/log/?p=1&page_size=1&type=${CONSUMED}`),
    ({ total }) => total > 0,
  );
}

/** Waits until a page shows what it has to show: its heading is there, and nothing that stands for what is still loading. */
async function settle(page: Page): Promise<void> {
  await page
    .waitForFunction(
      () =>
        document.querySelector("h1, main, form") !== null &&
        document.querySelector(".MuiSkeleton-root, .MuiCircularProgress-root") === null,
      undefined,
      { timeout: PATIENCE_MS },
    )
    .catch(() => process.stdout.write(`${new URL(page.url()).pathname}: still loading\n`));
  await page.waitForTimeout(STILL_MS);
}

async function shoot({ name, language, mode, width, height }: (typeof VARIANTS)[number]): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  const say = (text: string) =>
    process.stdout.write(`${name} ${new URL(page.url()).pathname}: ${text.slice(0, 200)}\n`);
  page.on("console", (message) => {
    if (message.type() === "error") say(message.text());
  });
  page.on("pageerror", (error) => say(String(error)));
  await page.addInitScript(
    ([chosen, theme]) => {
      localStorage.setItem("i18nextLng", chosen ?? "");
      localStorage.setItem("theme-mode", theme ?? "");
    },
    [language, mode],
  );
  const image = (page_: string) =>
    page.screenshot({ path: join(FOLDER, `${page_}-${name}.png`), fullPage: width < 600, timeout: 4 * PATIENCE_MS });
  for (const [pageName, path] of OPEN_PAGES) {
    if (!isRequested(pageName)) continue;
    await page.goto((pageName === "setup" ? untouched : fixture.gateway).url + path);
    await settle(page);
    await image(pageName);
  }
  await page.goto(`${fixture.gateway.url}/login`);
  await page.locator("input").nth(0).fill(ROOT_NAME);
  await page.locator("input").nth(1).fill(ROOT_PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/token");
  for (const [pageName, path, act] of PAGES) {
    if (!isRequested(pageName)) continue;
    await page.goto(fixture.gateway.url + path);
    await settle(page);
    await act?.(page).catch((error) => say(`could not be opened: ${error}`));
    if (act) await settle(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    if (wide) say("scrolls sideways");
    await image(pageName);
  }
  await context.close();
}
