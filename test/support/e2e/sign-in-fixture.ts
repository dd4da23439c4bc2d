/** What tests of signing up and in start from: a gateway whose mail and services elsewhere are fakes on this machine. */
import { expect } from "bun:test";
import { TOTP } from "otpauth";
import type { Browser } from "playwright";
import { startFakeSignInServices } from "../console/services/sign-in.ts";
import { startMailServer } from "../notifications.ts";
import { findSeriousViolations } from "./axe/find-violations.ts";
import { type Language, lookOnPhone, measureHorizontalOverflow, openPage, openPath, WORDS } from "./browser.ts";
import { setOptions } from "./console-client.ts";
import { CHEAPEST_ENGINE, type Session, setUp, startOn } from "./fixture.ts";

const PATIENCE_MS = 30_000;
/** For a test of several screens; a busy machine takes ten times as long as an idle one. */
export const TIMEOUT_MS = 180_000;

/** Starts the gateway with these settings on top of its own address and the mail server. */
export async function startSignInFixture(settings: Readonly<Record<string, string>> = {}) {
  const post = await startMailServer();
  const outside = await startFakeSignInServices();
  const gateway = await startOn(CHEAPEST_ENGINE, {
    env: {
      GITHUB_BASE_URL: outside.url,
      GITHUB_API_URL: outside.url,
      LINUXDO_BASE_URL: outside.url,
      LINUXDO_API_URL: outside.url,
      DISCORD_BASE_URL: outside.url,
      TELEGRAM_BASE_URL: outside.url,
      TURNSTILE_BASE_URL: outside.url,
    },
  });
  const root = await setUp(gateway);
  // Passkeys know sites by name.
  const url = gateway.url.replace("127.0.0.1", "localhost");
  await setOptions(root, {
    ServerAddress: url,
    SMTPServer: "127.0.0.1",
    SMTPPort: String(post.port),
    SMTPFrom: "gate@example.com",
    ...settings,
  });
  const stop = async () => {
    await gateway.stop();
    await outside.stop();
    await post.stop();
  };
  return { gateway, url, root, post, outside, stop };
}

/** An account that an administrator makes. */
export const addUser = (root: Session, username: string, password: string): Promise<unknown> =>
  root.post("/api/user/", { username, display_name: username, password });

/** The code of six digits in a mail. */
export const findMailCode = (mail: Readonly<{ text: string }>): string =>
  /\b\d{6}\b/.exec(mail.text.split("text/plain")[1] ?? "")?.[0] ?? "";

/** A code of the device that a gateway takes for the next half minute at least: that of the coming one. */
export const nextTotpCode = (secret: string): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 });

/** Somebody at a browser of their own. */
export async function openVisitor(
  browser: Browser,
  site: string,
  options: Readonly<{ language: Language; dark?: boolean; width: number; alsoOnPhone?: boolean }>,
) {
  const words = WORDS[options.language];
  const { page, complaints } = await openPage(browser, options);
  page.setDefaultTimeout(PATIENCE_MS);
  const field = (name: string) => page.locator(`input[name="${name}"]`);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const open = (path: string) => openPath(page, site, path);
  const expectClean = async () => {
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await measureHorizontalOverflow(page)).toBe(0);
  };
  return {
    page,
    words,
    field,
    button,
    /** Goes to a path of the console, as a link does. */
    open,
    /** Loads a path, as the address bar does. */
    load: async (path: string) => void (await page.goto(site + path)),
    dialog: page.getByRole("dialog"),
    /** The button with these words, which show the `seconds` that it counts down. */
    countdown(text: string) {
      const [before = "", after = ""] = text.split("{{seconds}}").map(RegExp.escape);
      return page.getByRole("button", { name: new RegExp(`^${before}\\d+${after}$`) });
    },
    /** A line of a list on the personal page. */
    entry: (title: string | RegExp) => page.getByRole("group", { name: title, exact: typeof title === "string" }),
    async typePassword(username: string, password: string) {
      await open("/login");
      await field("username").fill(username);
      await field("password").fill(password);
      await button(words.signIn.submit).click();
    },
    /** Ends the session, as in another tab: what this page has read for it is dropped. */
    async signOut() {
      if (page.url() === "about:blank") return;
      await page.evaluate(() => {
        localStorage.removeItem("user");
        window.dispatchEvent(new StorageEvent("storage", { key: "user", newValue: null }));
      });
      // Stays where it is when something is refused.
      await open("/reset");
      await page.evaluate(() => fetch("/api/user/logout", { method: "POST" }));
    },
    /** Nothing serious for axe, and nothing wider than the screen; with `alsoOnPhone` there, too. */
    async clean() {
      await expectClean();
      if (options.alsoOnPhone) await lookOnPhone(page, expectClean);
    },
    /** What the browser complained of, without refusals that were provoked. */
    unexpected: () => complaints.filter((text) => !/status of 4\d\d/.test(text)),
    close: () => page.context().close(),
  };
}

export type Visitor = Awaited<ReturnType<typeof openVisitor>>;
