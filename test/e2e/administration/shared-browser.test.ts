/** What a browser that several people use shows of one of them, and keeps when that person signs out. */
import { afterAll, expect } from "bun:test";
import { NAV } from "../../../ui/features/system/shell/nav.ts";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createApiKey, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { openConsolePage, startConsoleFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { until } from "../../support/lib/until.ts";

const { browser, gateway, root } = await startConsoleFixture();
const { key } = await createApiKey(root);
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);
const { page, open, button } = consolePage;
afterAll(consolePage.close);
const words = WORDS.en;
const CHATS = `playground-chats-${root.userId}`;

/** All that scripts can read back in this browser. */
const readStorage = (): Promise<Record<string, unknown> & { cookie: string; cached: string[] }> =>
  page.evaluate(async () => {
    const cached: string[] = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) cached.push(url);
    }
    const databases: Record<string, unknown[]> = {};
    for (const { name = "" } of await indexedDB.databases()) {
      databases[name] = await new Promise((resolve) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => {
          const { result: database } = request;
          const all = database
            .transaction([...database.objectStoreNames])
            .objectStore("chats")
            .getAll();
          all.onsuccess = () => {
            database.close();
            resolve(all.result);
          };
        };
      });
    }
    return { ...localStorage, ...sessionStorage, ...databases, cookie: document.cookie, cached };
  });

test("an open menu keeps the keyboard from a page that still loads", async () => {
  const loads = Promise.withResolvers<void>();
  await page.route("**/api/system/first_steps*", async (route) => {
    await loads.promise;
    await route.continue();
  });
  const opened = open("/start");
  await button(words.shell.account).click();
  await page.getByRole("menuitem", { name: words.shell.signOut }).waitFor();
  loads.resolve();
  await page.getByPlaceholder(words.channels.quick.keyPlaceholder).waitFor();
  await opened;
  expect(await page.evaluate(() => document.activeElement?.closest(".MuiModal-root") != null)).toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.unrouteAll();
}, 120_000);

test("signing out is in the account menu of every page of the menu", async () => {
  const paths = NAV.flatMap(({ items }) => items).map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(20);
  for (const path of paths) {
    await open(path);
    await button(words.shell.account).click();
    await page.getByRole("menuitem", { name: words.shell.signOut }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
  }
}, 240_000);

test("what the browser stores has preferences, who is signed in and that person's chats, and no secret", async () => {
  await open("/playground");
  await page.locator("#playground-system").fill("Answer like a lock keeper.");
  await until(readStorage, (stored) => JSON.stringify(stored[CHATS] ?? []).includes("lock keeper"));
  const stored = await readStorage();
  const [session] = (await page.context().cookies()).filter(({ name }) => name.endsWith("session"));
  expect(session?.value).toMatch(/^[\w-]{43}$/);
  const text = JSON.stringify(stored);
  for (const secret of [session?.value ?? "", key, ROOT_PASSWORD]) expect(text).not.toContain(secret);
  expect(stored.cookie).toBe("");
  expect(stored.cached.filter((url) => /\/(?:api|v1|pg)\//.test(url))).toEqual([]);
}, 120_000);

test("signing out ends the session and leaves nothing of the account in the browser", async () => {
  await open("/playground");
  await page.locator("#playground-system").fill("Answer like a lock keeper.");
  await until(readStorage, (stored) => JSON.stringify(stored[CHATS] ?? []).includes("lock keeper"));
  const [session] = (await page.context().cookies()).filter(({ name }) => name.endsWith("session"));
  await button(words.shell.account).click();
  await page.getByRole("menuitem", { name: words.shell.signOut }).click();
  await page.waitForURL("**/login**");
  // Longer than anything waits to be stored.
  await Bun.sleep(1500);
  const names = Object.keys(await readStorage());
  expect(names.filter((name) => /^(?:user|organization|playground-chats-.*)$/.test(name))).toEqual([]);
  expect((await page.context().cookies()).filter(({ name }) => name.endsWith("session"))).toEqual([]);
  const headers = { cookie: `${session?.name}=${session?.value}`, "Sluice-User": String(root.userId) };
  expect((await fetch(`${gateway.url}/api/user/self`, { headers })).status).toBe(401);
  await page.goBack();
  await page.waitForURL("**/login**");
  await page.getByLabel(words.signIn.username).waitFor();
  expect(await page.getByRole("navigation", { name: words.shell.nav, exact: true }).count()).toBe(0);
}, 120_000);

test("passwords are masked until they are shown, and may be pasted and filled in by the browser", async () => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [path, kind, count] of [
    ["/login", "current-password", 1],
    ["/register", "new-password", 2],
  ] as const) {
    await open(path);
    const fields = page.locator(`input[autocomplete="${kind}"]`);
    await fields.first().waitFor();
    expect(await fields.count()).toBe(count);
    for (const field of await fields.all()) expect(await field.getAttribute("type")).toBe("password");
    await page.evaluate(() => navigator.clipboard.writeText("from a password manager"));
    const first = fields.first();
    await first.focus();
    await page.keyboard.press("Control+V");
    expect(await first.inputValue()).toBe("from a password manager");
    await button(words.signIn.showPassword).first().click();
    expect(await first.getAttribute("type")).toBe("text");
    await button(words.signIn.hidePassword).first().click();
    expect(await first.getAttribute("type")).toBe("password");
  }
}, 120_000);
