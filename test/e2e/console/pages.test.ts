/** Pages for visitors, chats, logs of drawings and tasks, and the dashboard, in a real browser. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import texts from "texts:all";
import type { Page } from "playwright";
import { openDatabase } from "../../../db/connect.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { drawingTasks, mediaTasks } from "../../../db/schema/tasks.ts";
import { ROLE } from "../../../src/domain/accounts/access/roles.ts";
import { createUser } from "../../../src/domain/accounts/identity/create-user.ts";
import { say } from "../../../src/lib/messages.ts";
import { LANGUAGES } from "../../../ui/state/i18n.ts";
import { findSeriousViolations } from "../../support/e2e/axe/find-violations.ts";
import { measureHorizontalOverflow, openPage, openPath, PHONE_WIDTH_PX, WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createApiKey, createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import {
  type ConsolePage,
  fillPlaceholders,
  openConsolePage,
  PAGE_TIMEOUT_MS,
  startConsoleFixture,
  VIEWPORTS,
} from "../../support/e2e/console-page.ts";
import { setOption, startFakeUpstream, startGateway } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const USER = { username: "ferry", password: "lock-keeper-9" };
const PROJECT_URL = "https://sluice.example.test";
const MODEL = "usage-1000-500";
/** The list begins today unless the address says otherwise, and midnight may pass meanwhile. */
const SONGS = "/task?start=1";
const CHAT_SITE = "https://chat.example.test";
/** The smallest image there is. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG_PROMPT =
  "A lock at dawn, with fog over the upper basin and two barges waiting, in the manner of an engraving";

/** Two accounts, and drawings and songs in every state, submitted a moment ago. */
async function fill(): Promise<void> {
  const database = await openDatabase({ databaseUrl: null, dataDir });
  const { db } = database;
  const quota = 50_000_000;
  const rootId = await createUser(db, { username: ROOT_NAME, password: ROOT_PASSWORD, role: ROLE.root, quota });
  const userId = await createUser(db, { ...USER, quota });
  const now = Math.floor(Date.now() / 1000);
  const drawing = (mjId: string, status: string, fields: object) => ({
    userId: rootId,
    channelId: 7,
    mjId,
    action: "IMAGINE",
    createdAt: now,
    submitTime: (now - 100) * 1000,
    status,
    code: 1,
    ...fields,
  });
  const done = { progress: "100%", finishTime: now * 1000 };
  await db.insert(drawingTasks).values([
    drawing("mj-done", "SUCCESS", {
      ...done,
      imageUrl: `http://127.0.0.1:${imageServer.port}/lock.png`,
      prompt: LONG_PROMPT,
      promptEn: "in English",
    }),
    drawing("mj-failed", "FAILURE", { ...done, action: "UPSCALE", failReason: "The basin was empty" }),
    drawing("mj-running", "IN_PROGRESS", { progress: "40%", channelId: 8 }),
    drawing("mj-modal", "MODAL", { code: 21 }),
    drawing("mj-theirs", "SUBMITTED", { userId, code: 22 }),
  ]);
  const song = (taskId: string, status: string, fields: object) => ({
    userId: rootId,
    channelId: 7,
    taskId,
    platform: "suno",
    action: "MUSIC",
    createdAt: now,
    updatedAt: now,
    submitTime: now,
    status,
    ...fields,
  });
  await db
    .insert(mediaTasks)
    .values([
      song("song-done", "SUCCESS", { progress: "100%", finishTime: now + 42, data: { title: "Sluice blues" } }),
      song("song-failed", "FAILURE", { action: "LYRICS", failReason: "No words were found" }),
      song("song-queued", "QUEUED", { progress: "10%" }),
      song("song-theirs", "IN_PROGRESS", { userId, progress: "60%" }),
    ]);
  // Calls of two months ago, each with another cost.
  const old = Math.floor(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 2, 10) / 1000);
  await db.insert(logs).values(
    Array.from({ length: 120 }, (_, n) => ({
      ...{ createdAt: old + n, type: 2, userId: rootId, username: ROOT_NAME, tokenName: "old key" },
      ...{ modelName: n === 7 ? "rare-model" : MODEL, quota: n, requestId: `old-${n}` },
    })),
  );
  await database.close();
}

const call = async (key: string) => {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hi" }] }),
  });
  expect(reply.status).toBe(200);
  await reply.text();
};

const dataDir = await mkdtemp(path.join(tmpdir(), "sluice-pages-"));
const imageServer = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(Buffer.from(PIXEL, "base64"), { headers: { "content-type": "image/png" } }),
});
afterAll(() => imageServer.stop(true));
await fill();
const upstream = startFakeUpstream();
afterAll(upstream.stop);
const { browser, gateway, root } = await startConsoleFixture(
  () => startGateway({ dataDir, env: { PROJECT_URL } }),
  (gateway) => login(gateway, ROOT_NAME, ROOT_PASSWORD),
);
const user = await login(gateway, USER.username, USER.password);
await createChannel(root, upstream.url, [MODEL]);
await setOption(root, "ModelRatio", { [MODEL]: 1 });
await setOption(root, "Chats", [
  { Harbour: `${CHAT_SITE}/#/?key={key}&url={address}` },
  { Dock: "dock://add?key={key}&url={address}" },
]);
await createApiKey(root, { name: "spare" });
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const words = WORDS.en;
const clean = async (page: Page) => {
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await measureHorizontalOverflow(page)).toBe(0);
};

describe("a visitor", () => {
  let page: Page;
  let complaints: string[];
  const open = (at: string) => openPath(page, gateway.url, at);
  const load = (at: string) => page.goto(gateway.url + at);
  beforeAll(async () => {
    ({ page, complaints } = await openPage(browser, VIEWPORTS.en));
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  });
  afterAll(() => page.context().close());

  test("reads what this is and how to call it, in either language and scheme, which stay", async () => {
    await open("/");
    await page.getByRole("heading", { name: words.home.title }).waitFor();
    await page.getByText(`${gateway.url}/v1`).first().waitFor();
    // The example names a model that is offered here.
    await page.getByText(`"model": "${MODEL}"`).waitFor();
    const credit = page.getByRole("contentinfo").getByRole("link", { name: words.shell.footer.credit });
    expect(await credit.getAttribute("href")).toBe(PROJECT_URL);
    const { version } = await root.get("/api/status");
    await page.getByRole("contentinfo").getByText(fillPlaceholders(words.shell.footer.version, { version })).waitFor();
    await clean(page);
    await page.getByRole("button", { name: new RegExp(`^${words.shell.language}`) }).click();
    await page.getByRole("menuitem", { name: "简体中文" }).click();
    await page.getByRole("heading", { name: WORDS.zh.home.title }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: WORDS.zh.home.title }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem("i18nextLng"))).toBe("zh");
    await page.getByRole("button", { name: new RegExp(`^${WORDS.zh.shell.language}`) }).click();
    await page.getByRole("menuitem", { name: "English" }).click();
    await page.getByRole("button", { name: new RegExp(`^${words.shell.theme.label}`) }).click();
    await page.getByRole("menuitem", { name: words.shell.theme.dark }).click();
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await until(background, (scheme) => scheme.includes("dark"));
    await page.reload();
    await page.getByRole("heading", { name: words.home.title }).waitFor();
    await until(background, (scheme) => scheme.includes("dark"));
    await clean(page);
  }, 120_000);

  test("reads what the administrator wrote, as text that runs nothing", async () => {
    await open("/about");
    await page.getByText(words.about.empty).waitFor();
    await clean(page);
    await setOption(root, "About", "# The keeper\n\nSince **1821**.\n\n<script>document.title = 'taken'</script>");
    await setOption(root, "HomePageContent", "https://example.test/welcome");
    await setOption(root, "Footer", '<a href="https://example.test/imprint">Imprint</a><img src=x onerror="alert(1)">');
    await page.route("https://example.test/**", (route) =>
      route.fulfill({ body: "<h1>Welcome</h1>", contentType: "text/html" }),
    );
    await open("/about");
    await page.getByRole("heading", { name: "The keeper" }).waitFor();
    await page.getByRole("contentinfo").getByRole("link", { name: "Imprint" }).waitFor();
    expect(await page.title()).not.toBe("taken");
    expect(await page.getByRole("contentinfo").locator("[onerror]").count()).toBe(0);
    await open("/");
    await page
      .frameLocator(`iframe[title="${words.home.customFrame}"]`)
      .getByRole("heading", { name: "Welcome" })
      .waitFor();
    for (const key of ["About", "HomePageContent", "Footer"]) await setOption(root, key, "");
  }, 120_000);

  test("sees that a page does not exist, led away from set-up, and asked to sign in", async () => {
    await load("/no/such/page");
    await page.getByText(words.shell.notFound.title).waitFor();
    await clean(page);
    await page.getByRole("link", { name: words.shell.notFound.action }).click();
    await page.getByRole("heading", { name: words.home.title }).waitFor();
    await load("/setup");
    await page.waitForURL(`${gateway.url}/`);
    for (const at of ["/token", "/log", "/detail", "/midjourney", "/task", "/playground", "/chat2link"]) {
      await open(at);
      await page.waitForURL(
        ({ pathname, searchParams }) => pathname === "/login" && searchParams.get("returnTo") === at,
      );
    }
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  }, 120_000);

  test("is wished a happy new year on 1 January, and on no other day", async () => {
    const wish = page.getByRole("img", { name: words.shell.newYear });
    for (const [day, isShown] of [
      ["2027-01-01T12:00:00", true],
      ["2027-01-02T12:00:00", false],
    ] as const) {
      await page.clock.setFixedTime(new Date(day));
      await open("/");
      await page.getByRole("heading", { name: words.home.title }).waitFor();
      expect(await wish.count()).toBe(isShown ? 1 : 0);
    }
  }, 120_000);
});

describe("chats", () => {
  const target = (key: string) => `${CHAT_SITE}/#/?key=${key}&url=${encodeURIComponent(gateway.url)}`;

  test("without a key that works lead to where one is made", async () => {
    const theirs = await openConsolePage(browser, gateway, VIEWPORTS.en, USER);
    await createApiKey(user, { name: "closed" });
    const [{ id }] = await user.get("/api/token/?p=0&size=1");
    await user.put("/api/token/?status_only=true", { id, status: 2 });
    await theirs.open("/chat/0");
    await theirs.page.getByRole("alert").getByText(words.chat.noKey.title).waitFor();
    await theirs.page.waitForURL("**/token");
    await theirs.row("closed").waitFor();
    expect((await theirs.listRowActions("closed")).join()).not.toContain("Harbour");
    await theirs.close();
  }, 120_000);

  test("have the newest key and the address filled in: in a frame, by the redirect, and with a chosen key", async () => {
    const { page, row } = consolePage;
    const { key: older } = await createApiKey(root, { name: "older" });
    const { key: newer } = await createApiKey(root, { name: "newer" });
    await page
      .context()
      .route(`${CHAT_SITE}/**`, (route) => route.fulfill({ body: "<h1>Harbour chat</h1>", contentType: "text/html" }));
    await consolePage.open("/chat/0");
    const frame = page.locator('iframe[title="Harbour"]');
    expect(await frame.getAttribute("src")).toBe(target(newer));
    await page.frameLocator('iframe[title="Harbour"]').getByText("Harbour chat").waitFor();
    await clean(page);
    await consolePage.open("/chat/1");
    const app = page.getByRole("link", { name: fillPlaceholders(words.chat.app.open, { name: "Dock" }) });
    expect(await app.getAttribute("href")).toBe(`dock://add?key=${newer}&url=${encodeURIComponent(gateway.url)}`);
    await consolePage.open("/chat/9");
    await page.getByText(words.chat.none.title).waitFor();
    // A chat has the window for itself; next to prices stands the sider.
    const sider = page.getByRole("navigation", { name: words.shell.nav, exact: true });
    expect(await sider.count()).toBe(0);
    await consolePage.open("/pricing");
    await sider.getByRole("link", { name: words.shell.tokens, exact: true }).waitFor();
    await consolePage.open("/chat2link");
    await page.waitForURL(target(newer));
    await consolePage.open("/token");
    await row("older").waitFor();
    const opened = page.context().waitForEvent("page");
    await consolePage.chooseRowAction("older", fillPlaceholders(words.chat.openWith, { name: "Harbour" }));
    const popup = await opened;
    await popup.getByText("Harbour chat").waitFor();
    expect(popup.url()).toBe(target(older));
    expect(await popup.evaluate(() => window.opener)).toBeNull();
    await popup.close();
    expect(await consolePage.listRowActions("older")).toContain(
      fillPlaceholders(words.chat.openWith, { name: "Dock" }),
    );
  }, 120_000);
});

describe("drawings and songs", () => {
  test("drawings show state, progress, image and texts, and are narrowed by the address", async () => {
    const { page, row, button, dialog } = consolePage;
    await consolePage.open("/midjourney");
    await row("mj-theirs").waitFor();
    await page.getByText(words.tasks.drawing.noNotify).waitFor();
    for (const [id, status, progress] of [
      ["mj-done", words.tasks.statuses.SUCCESS, "100%"],
      ["mj-failed", words.tasks.statuses.FAILURE, "100%"],
      ["mj-running", words.tasks.statuses.IN_PROGRESS, "40%"],
      ["mj-modal", words.tasks.statuses.MODAL, "0%"],
      ["mj-theirs", words.tasks.statuses.SUBMITTED, "0%"],
    ] as const) {
      await row(id).getByText(status, { exact: true }).first().waitFor();
      await row(id).getByText(progress, { exact: true }).waitFor();
    }
    const done = row("mj-done");
    await done.getByText(words.tasks.drawings.IMAGINE, { exact: true }).waitFor();
    await done.getByText(fillPlaceholders(words.tasks.seconds, { seconds: 100 }), { exact: true }).waitFor();
    await row("mj-modal").getByText(words.tasks.codes["21"], { exact: true }).waitFor();
    await row("mj-theirs").getByText(words.tasks.codes["22"], { exact: true }).waitFor();
    await clean(page);
    await button(words.tasks.view, done).click();
    await dialog("mj-done").getByRole("img").waitFor();
    await clean(page);
    await button(words.components.close, dialog()).click();
    await done.getByText(LONG_PROMPT).click();
    await dialog(words.tasks.columns.prompt).getByText(LONG_PROMPT).waitFor();
    await page.keyboard.press("Escape");
    await row("mj-failed").getByText("The basin was empty").click();
    await dialog(words.tasks.columns.reason).getByText("The basin was empty").waitFor();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: words.tasks.filters.search }).fill("mj-running");
    await done.waitFor({ state: "detached" });
    await row("mj-running").waitFor();
    await consolePage.open("/midjourney?channel=8");
    await row("mj-running").waitFor();
    expect(await row(/mj-/).count()).toBe(1);
    await consolePage.open("/midjourney?search=mj-nothing");
    await page.getByText(words.tasks.emptyTitle).waitFor();
    await clean(page);
  }, 120_000);

  test("songs show state, progress and their whole record", async () => {
    const { page, row, dialog } = consolePage;
    await consolePage.open(SONGS);
    await row("song-theirs").waitFor();
    for (const [id, status, action] of [
      ["song-done", words.tasks.statuses.SUCCESS, words.tasks.songs.MUSIC],
      ["song-failed", words.tasks.statuses.FAILURE, words.tasks.songs.LYRICS],
      ["song-queued", words.tasks.statuses.QUEUED, words.tasks.songs.MUSIC],
    ] as const) {
      await row(id).getByText(status, { exact: true }).first().waitFor();
      await row(id).getByText(action, { exact: true }).waitFor();
    }
    await row("song-done")
      .getByText(fillPlaceholders(words.tasks.seconds, { seconds: 42 }), { exact: true })
      .waitFor();
    await row("song-failed").getByText("No words were found").waitFor();
    await clean(page);
    await row("song-done").getByText("song-done").click();
    await dialog("song-done")
      .getByText(/"Sluice blues"/)
      .waitFor();
    await clean(page);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: words.tasks.filters.search }).fill("song-queued");
    await row("song-done").waitFor({ state: "detached" });
    await row("song-queued").waitFor();
  }, 120_000);

  test("users see their own alone, and nothing of channels", async () => {
    const theirs = await openConsolePage(browser, gateway, VIEWPORTS.en, USER);
    for (const [at, id] of [
      ["/midjourney", "mj-theirs"],
      [SONGS, "song-theirs"],
    ] as const) {
      await theirs.open(at);
      await theirs.row(id).waitFor();
      expect(await theirs.row(/(mj|song)-/).count()).toBe(1);
      expect(await theirs.page.getByText(words.tasks.columns.channel, { exact: true }).count()).toBe(0);
      expect(await theirs.button(words.tasks.filters.channel).count()).toBe(0);
    }
    await theirs.close();
  }, 120_000);
});

describe("the other languages", () => {
  const tags = LANGUAGES.filter(({ isMachineMade }) => isMachineMade).map(({ tag }) => tag);

  let phone: ConsolePage;
  beforeAll(async () => {
    // What axe says does not depend on the language of the words; their width does.
    phone = await openConsolePage(browser, gateway, { ...VIEWPORTS.en, width: PHONE_WIDTH_PX, withoutAxe: true });
  });
  afterAll(() => phone.close());

  test.each(tags)(
    "the console in %s fits a phone, and the server answers in it",
    async (tag) => {
      await phone.page.evaluate((language) => localStorage.setItem("i18nextLng", language), tag);
      await phone.load("/about");
      for (const [at, part, name] of [
        ["/detail", "signedIn", "usage"],
        ["/channel", "admin", "channels"],
        ["/log", "signedIn", "logs"],
        ["/setting", "settings", "settings"],
      ] as const) {
        const { [name]: own } = await texts[tag][part]();
        if (typeof own !== "object" || typeof own.title !== "string") throw new Error(`${name} has no title`);
        await phone.open(at);
        await phone.page.getByRole("heading", { name: own.title, level: 1, exact: true }).waitFor();
        await phone.expectAccessible();
      }
      expect(await phone.page.evaluate(() => document.documentElement.lang)).toBe(tag);
      expect(phone.complaints).toEqual([]);
      const refused = await fetch(`${gateway.url}/api/user/login`, {
        method: "POST",
        headers: { "content-type": "application/json", "accept-language": tag },
        body: JSON.stringify({ username: ROOT_NAME, password: "wrong" }),
      });
      expect((await refused.json()).message).toBe(say("login_failed", tag));
    },
    120_000,
  );
});

test("the console can be installed, and says so when it is offline", async () => {
  const { page, complaints } = await openPage(browser, { ...VIEWPORTS.en, isInstallable: true });
  await setOption(root, "SystemName", "Harbour gate");
  await page.goto(`${gateway.url}/login`);
  const manifest = await (await fetch(`${gateway.url}/manifest.webmanifest`)).json();
  expect(manifest).toMatchObject({ name: "Harbour gate", display: "standalone" });
  for (const { src, type } of [...manifest.icons, { src: "/icon-180.png", type: "image/png" }]) {
    const icon = await fetch(gateway.url + src);
    expect([src, icon.status, icon.headers.get("content-type")]).toEqual([src, 200, type]);
  }
  // What Chromium itself finds wrong with the manifest, the worker and the icons.
  const devtools = await page.context().newCDPSession(page);
  await page.waitForFunction(async () => {
    await navigator.serviceWorker.ready;
    return (await (await caches.match("/offline"))?.text())?.includes("Harbour gate");
  });
  expect((await devtools.send("Page.getInstallabilityErrors")).installabilityErrors).toEqual([]);
  expect(complaints).toEqual([]);

  await page.context().setOffline(true);
  await page.goto(`${gateway.url}/log`);
  await page.getByRole("heading", { name: words.shell.offline.title }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole("link", { name: words.shell.offline.retry }).click();
  await page.getByRole("button", { name: words.signIn.submit, exact: true }).waitFor();
  await page.context().close();
  await setOption(root, "SystemName", "Sluice");
}, 120_000);

describe("the dashboard", () => {
  test("shows what was spent, split as asked, which the address keeps and the file has", async () => {
    const { page, button } = consolePage;
    const { key } = await createApiKey(root, { name: "boat" });
    await call(key);
    await call(key);
    await until(
      () => root.get("/api/log/stat"),
      ({ quota }) => quota === 3000,
    );
    await consolePage.open("/detail");
    await page.getByRole("row").filter({ hasText: MODEL }).getByText("$0.006").first().waitFor();
    await clean(page);
    await button(words.usage.dimensions.token).click();
    await page.getByRole("row").filter({ hasText: "boat" }).waitFor();
    await button(words.usage.measures.calls).click();
    await until(
      async () => new URL(page.url()).searchParams,
      (address) => address.get("by") === "token" && address.get("measure") === "calls",
    );
    await page.reload();
    await page.getByRole("row").filter({ hasText: "boat" }).waitFor();
    const tiles = page.getByLabel(words.usage.overview, { exact: true });
    await tiles.getByText("$0.0060").waitFor();
    await tiles.getByText(words.usage.tiles.success).waitFor();
    const file = await consolePage.download(() => button(words.components.exportCsv).click());
    expect(file.name).toBe("usage-by-token.csv");
    expect(file.text).toContain("boat");
    await page.getByRole("button", { name: fillPlaceholders(words.usage.filterBy, { name: "boat" }) }).click();
    const filtered = { dimension: words.usage.dimensions.token, name: "boat" };
    await page.getByText(fillPlaceholders(words.usage.filteredBy, filtered)).waitFor();
    await clean(page);
    await button(words.usage.viewRequests).click();
    await page.waitForURL("**/log?**token=boat**");
    await page.goBack();
    await button(words.usage.clearFilters).click();
    await until(
      async () => new URL(page.url()).searchParams,
      (address) => address.get("token") === null && address.get("by") === "token",
    );
    await setOption(root, "DataExportEnabled", false);
    await consolePage.open("/detail");
    await page.getByText(words.usage.off).waitFor();
    await setOption(root, "DataExportEnabled", true);
    expect(consolePage.complaints).toEqual([]);
  }, 120_000);
});

test("all of it reads as well in Chinese on a phone", async () => {
  const zh = WORDS.zh;
  const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
  for (const [at, text] of [
    ["/", zh.home.title],
    ["/about", zh.about.empty],
    ["/nowhere", zh.shell.notFound.title],
    ["/chat/9", zh.chat.none.title],
    ["/midjourney", zh.tasks.statuses.MODAL],
    [SONGS, zh.tasks.statuses.QUEUED],
    ["/detail", zh.usage.runningOut],
  ] as const) {
    await phone.open(at);
    await phone.page.getByText(text, { exact: true }).first().waitFor();
    await phone.expectAccessible();
  }
  expect(phone.complaints).toEqual([]);
  await phone.close();
}, 120_000);

describe("the archive of the log", () => {
  test("is empty, is filled by the job, and shows the rows of a month as the log does", async () => {
    const texts = words.logs.archive;
    const { page } = consolePage;
    await consolePage.open("/log");
    await page.getByRole("link", { name: texts.title, exact: true }).click();
    await consolePage.waitForNotice(texts.empty.title);
    await setOption(root, "LogRetention", { "*": 7 });
    await setOption(root, "LogArchive", "folder");
    await consolePage.button(texts.test).click();
    await page.getByText(say("archive_place_works", "en")).waitFor();
    await root.post("/api/jobs/log%20retention/run");
    const [month] = await until(
      () => root.get("/api/log-archives/"),
      (months) => months.length > 0 && !months[0].is_moving,
    );
    expect(month).toMatchObject({ rows: 120, files: 1, places: ["folder"] });
    await consolePage.open("/log/archive");
    await consolePage.row(month.month).getByText("120", { exact: true }).waitFor();
    await consolePage.expectAccessible();
    await consolePage.row(month.month).click();
    await page.getByRole("heading", { name: fillPlaceholders(texts.monthTitle, { month: month.month }) }).waitFor();
    await consolePage.row(MODEL).first().waitFor();
    await consolePage.button(texts.more).click();
    await consolePage.button(texts.more).waitFor({ state: "detached" });
    await consolePage.expectAccessible();
    await page.getByRole("searchbox", { name: words.logs.filters.search }).fill("old-7");
    await consolePage.row(MODEL).first().waitFor({ state: "detached" });
    await consolePage.row("rare-model").waitFor();
    const file = await consolePage.download(() => consolePage.button(words.components.exportCsv).click());
    expect(file.name).toStartWith(`usage-log-${month.month}`);
    expect(file.text.trim().split("\r\n")).toHaveLength(2);
    expect(file.text).toContain("rare-model");
    await setOption(root, "LogRetention", {});
  }, 120_000);
});
