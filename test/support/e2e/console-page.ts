import { afterAll, expect } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Locator, Page, Request } from "playwright";
import { prepareTables } from "../processes/prepared-tables.ts";
import { findSeriousViolations } from "./axe/find-violations.ts";
import {
  type Language,
  lookOnPhone,
  measureHorizontalOverflow,
  openBrowser,
  openPage,
  openPath,
  PHONE_WIDTH_PX,
  WORDS,
  waitForQueries,
} from "./browser.ts";
import { ROOT_NAME, ROOT_PASSWORD } from "./console-client.ts";
import {
  type Engine,
  type Fixture,
  type Gateway,
  migratedDatabase,
  type Session,
  setUp,
  startFixture,
  startGateway,
} from "./fixture.ts";

/** Long enough for a machine that does much else. */
export const PAGE_TIMEOUT_MS = 30_000;

/** The two ways in which screens are looked at: English wide and light, Chinese on a phone and dark. */
export const VIEWPORTS = {
  en: { language: "en", dark: false, width: 1280 },
  zh: { language: "zh", dark: true, width: PHONE_WIDTH_PX },
} as const;

/** How journeys are looked at that are made once: as in English, and what they check also as on a phone. */
export const BOTH_VIEWPORTS = { ...VIEWPORTS.en, alsoOnPhone: true } as const;

/** Marks notices that a test has read: the same words may come again while the first notice still stands there. */
const SEEN_ATTRIBUTE = "data-seen";
const NOTICE = ".notistack-CollapseWrapper";

/** A page of somebody who is signed in, with what tests do in it all the time. */
export type ConsolePage = Readonly<{
  page: Page;
  complaints: string[];
  /** Goes to a path of the console, as a link does. */
  open: (path: string) => Promise<void>;
  /** Loads a path of the console, as the address bar does. */
  load: (path: string) => Promise<void>;
  button: (name: string | RegExp, within?: Locator) => Locator;
  dialog: (name?: string | RegExp) => Locator;
  row: (text: string | RegExp) => Locator;
  /** Opens what a row leads to: by a click on it, on a phone by its button. */
  openRow: (row: Locator) => Promise<void>;
  /** Opens a row's menu and chooses. */
  chooseRowAction: (rowName: string, action: string) => Promise<void>;
  /** What a row's menu offers; closes it again. */
  listRowActions: (rowName: string) => Promise<string[]>;
  /** Chooses in the account menu for whom the page acts: an organization, or oneself. */
  actAs: (account: string) => Promise<void>;
  /** Waits for the notice that says so; one that was waited for before does not count again. */
  waitForNotice: (text: string | RegExp) => Promise<void>;
  /** Does what leads to a site elsewhere, and returns the request. Where a route answers it with 204, the page stays. */
  leaveFor: (site: string | RegExp, act: () => Promise<void>) => Promise<Request>;
  /** Presses what starts a download. Returns the file's name and text. */
  download: (press: () => Promise<void>) => Promise<{ name: string; text: string }>;
  /**
   * Fails when axe finds something serious, or the page can be scrolled sideways; with `alsoOnPhone` there, too. With
   * `withoutAxe` only the second.
   */
  expectAccessible: () => Promise<void>;
  close: () => Promise<void>;
}>;

/**
 * Opens a page of somebody who is signed in; of the super administrator unless another account is given. With `alsoOnPhone`
 * what it checks as it stands is checked again as narrow and dark as on a phone, and goes on as before.
 */
export async function openConsolePage(
  browser: Browser,
  gateway: Pick<Gateway, "url">,
  way: Readonly<{
    language: Language;
    dark?: boolean;
    width?: number;
    height?: number;
    isTouch?: boolean;
    alsoOnPhone?: boolean;
    withoutAxe?: boolean;
  }>,
  account: Readonly<{ username: string; password: string }> = { username: ROOT_NAME, password: ROOT_PASSWORD },
): Promise<ConsolePage> {
  const { page, complaints } = await openPage(browser, way);
  const words = WORDS[way.language].components;
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  // Any page of the site will do, and this one asks for nothing.
  await page.goto(`${gateway.url}/healthz`);
  await page.evaluate(async (body) => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch("/api/user/login", { method: "POST", headers, body: JSON.stringify(body) });
    localStorage.setItem("user", JSON.stringify((await reply.json()).data));
  }, account);
  const button: ConsolePage["button"] = (name, within) =>
    (within ?? page).getByRole("button", { name, exact: typeof name === "string" });
  const menu = page.getByRole("menu");
  const openMenu = async (name: string) => {
    await button(words.table.actionsFor.replace("{{name}}", name)).click();
    await menu.getByRole("menuitem").first().waitFor();
  };
  const expectAccessible = async () => {
    if (!way.withoutAxe) expect(await findSeriousViolations(page)).toEqual([]);
    expect(await measureHorizontalOverflow(page)).toBe(0);
  };
  return {
    page,
    complaints,
    open: (path) => openPath(page, gateway.url, path),
    load: async (path) => void (await page.goto(gateway.url + path)),
    button,
    dialog: (name) => (name === undefined ? page.getByRole("dialog") : page.getByRole("dialog", { name })).last(),
    row: (text) => page.locator("[data-row]").filter({ hasText: text }),
    openRow: (row) => (way.width === PHONE_WIDTH_PX ? button(words.table.details, row) : row).click(),
    chooseRowAction: async (name, action) => {
      await openMenu(name);
      await menu.getByRole("menuitem", { name: action, exact: true }).click();
    },
    listRowActions: async (name) => {
      await openMenu(name);
      const actions = await menu.getByRole("menuitem").allTextContents();
      await page.keyboard.press("Escape");
      await menu.waitFor({ state: "detached" });
      return actions;
    },
    actAs: async (account) => {
      await button(WORDS[way.language].shell.account).click();
      await page.getByRole("menuitemradio", { name: account }).click();
      await menu.waitFor({ state: "detached" });
    },
    waitForNotice: (text) =>
      page
        .getByText(text, { exact: true })
        .and(page.locator(`:not([${SEEN_ATTRIBUTE}] *)`))
        .filter({ visible: true })
        .first()
        .evaluate((node, [notice, attribute]) => node.closest(notice)?.setAttribute(attribute, ""), [
          NOTICE,
          SEEN_ATTRIBUTE,
        ] as const),
    leaveFor: async (site, act) => {
      const left = page.waitForRequest(site);
      await act();
      return left;
    },
    download: async (press) => {
      const download = page.waitForEvent("download");
      await press();
      const file = await download;
      return { name: file.suggestedFilename(), text: await Bun.file(await file.path()).text() };
    },
    expectAccessible: async () => {
      await expectAccessible();
      if (way.alsoOnPhone) await lookOnPhone(page, expectAccessible);
    },
    close: () => page.context().close(),
  };
}

/**
 * Opens pages that are there in Chinese on a phone. Fails when one is not readable, has nothing to read in Chinese, or makes
 * the browser complain. `look` is done last, with the page that was opened.
 */
export async function expectChinesePages(
  browser: Browser,
  gateway: Pick<Gateway, "url">,
  paths: readonly string[],
  account?: Readonly<{ username: string; password: string }>,
  look?: (consolePage: ConsolePage) => Promise<void>,
): Promise<void> {
  const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.zh, account);
  for (const path of paths) {
    await consolePage.open(path);
    await consolePage.page
      .locator("main")
      .filter({ hasText: /\p{Script=Han}/u })
      .waitFor();
    await waitForQueries(consolePage.page);
    await consolePage.expectAccessible();
  }
  await look?.(consolePage);
  expect(consolePage.complaints).toEqual([]);
  await consolePage.close();
}

let sharedBrowser: Browser | undefined;

/**
 * A browser for the tests of a file, opened at its top; its pages are closed after its last test. In `test.sh` the files that a
 * process runs have one browser, which ends with the process. The run removes what it leaves on the disk.
 */
export async function openSharedBrowser(): Promise<Browser> {
  const browser = sharedBrowser?.isConnected() ? sharedBrowser : await openBrowser();
  sharedBrowser = browser;
  afterAll(async () => {
    if (process.env.SLUICE_RUN_FOLDER) await Promise.all(browser.contexts().map((context) => context.close()));
    else await browser.close();
  });
  return browser;
}

/**
 * What the browser tests of a file share, opened at its top and closed after its last test: a browser, a gateway and its
 * super administrator. `start` and `enter` say how, where it is not an empty gateway that is set up.
 */
export async function startConsoleFixture(
  start: () => Promise<Gateway> = startGateway,
  enter: (gateway: Gateway) => Promise<Session> = setUp,
): Promise<Readonly<{ browser: Browser; gateway: Gateway; root: Session }>> {
  const [browser, gateway] = await Promise.all([openSharedBrowser(), start()]);
  afterAll(async () => void (await gateway.stop()));
  return { browser, gateway, root: await enter(gateway) };
}

/** The same where calls are made: with a channel to a fake upstream that has these models, and a key. */
export async function startBrowserFixture(
  ...options: Parameters<typeof startFixture>
): Promise<Readonly<{ browser: Browser; fixture: Fixture }>> {
  const [browser, fixture] = await Promise.all([openSharedBrowser(), startFixture(...options)]);
  afterAll(fixture.stop);
  return { browser, fixture };
}

/** Starts a gateway whose database was filled with made-up rows of the last twelve months. */
export async function startSeeded(
  sizes: Readonly<Record<"channels" | "users" | "tokens" | "logs", number>>,
  env: Readonly<Record<string, string>> = {},
  engine: Engine = "embedded",
): Promise<Gateway> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "sluice-seeded-"));
  const database: Record<string, string> = engine === "postgres" ? { DATABASE_URL: await migratedDatabase() } : {};
  if (engine === "embedded") await prepareTables(dataDir);
  const flags = Object.entries(sizes).map(([name, count]) => `--${name}=${count}`);
  const { DATABASE_URL, SQL_DSN, ...environment } = process.env;
  const child = Bun.spawn(
    [process.execPath, path.join(import.meta.dir, "../../../scripts/seed/run-seed.ts"), ...flags],
    {
      env: { ...environment, ...database, DATA_DIR: dataDir },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const stderr = new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`seeding failed: ${await stderr}`);
  return startGateway({ dataDir, env: { ...database, ...env } });
}

/** Words with their places filled in. */
export const fillPlaceholders = (words: string, values: Readonly<Record<string, string | number>>): string =>
  words.replace(/\{\{(\w+)\}\}/g, (place, name: string) => String(values[name] ?? place));

/** Shows a list's filters and tools, which are folded away on phones. */
export async function showFilters(page: Page, language: Language): Promise<void> {
  await page.getByRole("searchbox").first().waitFor();
  const unfold = page.getByRole("button", { name: WORDS[language].components.filter.show, expanded: false });
  if ((await unfold.count()) > 0) await unfold.click();
}
