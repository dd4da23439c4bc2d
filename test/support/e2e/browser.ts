import { existsSync } from "node:fs";
import type { QueryClient } from "@tanstack/react-query";
import { type Browser, chromium, type Page } from "playwright";
import * as en from "../../../ui/locales/en.ts";
import * as zh from "../../../ui/locales/zh.ts";
import { keepOnFailure } from "./browser-test.ts";

/** The console's words, by which a test finds what it clicks. */
export const WORDS = { en, zh } as const;
export type Language = keyof typeof WORDS;

export const PHONE_WIDTH_PX = 390;

/** The first has no windows and no user interface of its own: a quarter less to do. */
const CHROMIUM = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Without a graphics processor, a process of its own for one is only more messages. A twentieth of a page's time.
  "--in-process-gpu",
  // A page lives for seconds: less than compiling its code for most speed takes. A fifth of the renderer's time; the
  // compiler in between pays, by a twentieth. So do few large collections of garbage, by one thread.
  "--js-flags=--max-lazy --no-opt --single-threaded-gc --min-semi-space-size=64 --max-semi-space-size=128",
];

/** The path of the system's Chromium. Throws when there is none. */
export function findChromium(): string {
  const executablePath = CHROMIUM.find(existsSync);
  if (!executablePath) throw new Error("Chromium is not installed: apt-get install chromium");
  return executablePath;
}

/** Starts the system's Chromium. Throws when there is none. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ARGUMENTS });
}

/** A page in a language and color scheme, with what it complains of: errors of scripts and refused requests. */
export async function openPage(
  browser: Browser,
  options: Readonly<{
    language: Language;
    dark?: boolean;
    width?: number;
    height?: number;
    isInstallable?: boolean;
    /** Fingers point, as on phones and tablets. */
    isTouch?: boolean;
  }>,
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    locale: options.language === "zh" ? "zh-CN" : "en-US",
    colorScheme: options.dark ? "dark" : "light",
    reducedMotion: "reduce",
    ...(options.isTouch && { hasTouch: true, isMobile: true }),
    // Playwright cannot change requests that pass through a service worker.
    serviceWorkers: options.isInstallable ? "allow" : "block",
  });
  const page = await context.newPage();
  await keepOnFailure(context, page);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { page, complaints };
}

/** What the console's router has in every page: its addresses, and what the console has read so far. */
type ConsoleRouter = Readonly<{
  navigate: (to: Readonly<{ href: string; ignoreBlocker: boolean }>) => Promise<void>;
  options: { context: { readQueries: () => QueryClient | undefined; refreshSiteStatus: () => void } };
}>;

/** Waits until everything that the open page of the console asks the server for is there. */
export async function waitForQueries(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__?: ConsoleRouter };
    // A page is drawn after its shell, whose footer comes with it; rows after they have been read.
    const isDrawn = document.querySelector("footer") !== null && document.querySelector(".skeleton") === null;
    return isDrawn && router?.options.context.readQueries()?.isFetching() === 0;
  });
}

/** A page that asks the server for nothing and shows little. */
const PLAIN_PAGE = "/reset";

/**
 * Goes to a page as a link of the console does, with everything read again: a tenth of the work of loading it again. From
 * the same page it goes by another one, so that nothing typed or opened stays. False where no console is loaded yet.
 */
async function followInPage(page: Page, path: string): Promise<boolean> {
  const followed = page.evaluate(
    async ([href, plainPage]) => {
      const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__?: ConsoleRouter };
      if (!router) return false;
      const { readQueries, refreshSiteStatus } = router.options.context;
      const navigate = (to: string) => router.navigate({ href: to, ignoreBlocker: true });
      const start = Date.now();
      if (new URL(href, window.location.href).pathname === window.location.pathname) await navigate(plainPage);
      readQueries()?.removeQueries({ type: "inactive" });
      await navigate(href);
      refreshSiteStatus();
      void readQueries()?.invalidateQueries({ predicate: ({ state }) => state.dataUpdatedAt < start });
      return true;
    },
    [path, PLAIN_PAGE] as const,
  );
  try {
    return await followed;
  } catch (error) {
    // The console was loading another page by itself, such as that for signing in.
    if (!String(error).includes("Execution context was destroyed")) throw error;
    await page.waitForLoadState();
    return false;
  }
}

/** Goes to a path of the console as a link does, or loads it where no console is loaded yet. */
export async function openPath(page: Page, site: string, path: string): Promise<void> {
  if (!(await followInPage(page, path))) await page.goto(site + path);
}

/** Pixels by which the page can be scrolled sideways; 0 is right. */
export const measureHorizontalOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Looks at the open page as narrow as on a phone, then as before; what is looked for does not depend on colors. */
export async function lookNarrow(page: Page, look: () => Promise<void>): Promise<void> {
  const before = sizeOf(page);
  await resize(page, { ...before, width: PHONE_WIDTH_PX });
  await look();
  await resize(page, before);
}

function sizeOf(page: Page): { width: number; height: number } {
  const size = page.viewportSize();
  if (!size) throw new Error("the page has no size of its own");
  return size;
}

/** Returns when the page was rendered with this size. */
async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Looks at the open page as on a phone in dark, then as before. */
export async function lookOnPhone(page: Page, look: () => Promise<void>): Promise<void> {
  const before = sizeOf(page);
  await show(page, { width: PHONE_WIDTH_PX, height: before.height }, "dark");
  await look();
  await show(page, before, "light");
}

/** Returns when the page was drawn with this size and color scheme. */
async function show(page: Page, size: { width: number; height: number }, colorScheme: "dark" | "light"): Promise<void> {
  // At once, so that the page is not drawn in between.
  await Promise.all([page.emulateMedia({ colorScheme }), page.setViewportSize(size)]);
  // What depends on the width is rendered before the first of these frames is drawn.
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    // A color on its way to the other scheme's is neither of both. One that is canceled has no end.
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
}
