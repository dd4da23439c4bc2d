/** Somebody joins by themself in a real browser, guards the account, and signs in in every way of their own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "./browser.ts";
import {
  codeIn,
  comingCode,
  openVisitor,
  type SignInStage,
  setSignInStage,
  TIMEOUT_MS,
  type Visitor,
} from "./sign-in-stage.ts";

const NAME = "新来的人";
const PASSWORD = "a first password";
const ADDRESS = "newcomer@example.com";

let browser: Browser;
let stage: SignInStage;
let newcomer: Visitor;
let secret = "";
let recoveryCodes: string[] = [];
let password = PASSWORD;

beforeAll(async () => {
  browser = await openBrowser();
  stage = await setSignInStage({ EmailVerificationEnabled: "true" });
  newcomer = await openVisitor(browser, stage.url, { language: "en", width: 1280 });
}, TIMEOUT_MS);
afterAll(async () => {
  await browser.close();
  await stage.stop();
});

const sent = ({ words, button, page }: Visitor) => ({
  register: () => button(words.register.send).click(),
  /** The button counts down from half a minute. */
  waits: () => page.getByRole("button", { name: /\d+ s|\d+ 秒/ }),
});

describe("joining", () => {
  test("asks for what is missing, cuts a name by its characters, and wants a password of 8 to 20", async () => {
    const { open, page, words, field, button } = newcomer;
    await open("/register?aff=ABCD");
    await button(words.register.submit).click();
    await page.getByText(words.register.errors.username).waitFor();
    await page.getByText(words.register.errors.email).waitFor();
    await newcomer.clean();
    await field("username").fill("👩一二三四五六七八九十甲乙");
    expect([...(await field("username").inputValue())]).toHaveLength(12);
    await field("username").fill(NAME);
    for (const [given, complaint] of [
      ["七个字的密码吗", words.register.errors.password],
      ["x".repeat(21), words.register.errors.passwordLong],
    ] as const) {
      await field("password").fill(given);
      await button(words.register.submit).click();
      await page.getByText(complaint).waitFor();
    }
    await field("password").fill(PASSWORD);
    await field("confirm").fill("another password");
    await button(words.register.submit).click();
    await page.getByText(words.register.errors.confirm).waitFor();
    await field("password").fill("password1");
    await page.getByText(words.register.easyToGuess).waitFor();
  });

  test("registers with the code from the mail, of an allowed domain", async () => {
    const { page, words, field, button } = newcomer;
    await stage.root.put("/api/option/", { key: "EmailDomainRestrictionEnabled", value: "true" });
    await field("email").fill(ADDRESS);
    await sent(newcomer).register();
    await page.getByText(/domain/).waitFor();
    await stage.root.put("/api/option/", { key: "EmailDomainWhitelist", value: "example.com" });
    await field("password").fill(PASSWORD);
    await field("confirm").fill(PASSWORD);
    const coming = stage.post.next();
    await sent(newcomer).register();
    const code = codeIn(await coming);
    await sent(newcomer).waits().waitFor();
    expect(await sent(newcomer).waits().isDisabled()).toBe(true);
    await field("verification_code").fill(code);
    await button(words.register.submit).click();
    await page.waitForURL("**/login");
    expect(await page.evaluate(() => localStorage.getItem("aff"))).toBe("ABCD");
  });

  test(
    "turns two-step verification on, and is asked for it",
    async () => {
      const { open, page, words, field, button, dialog, typePassword, signOut } = newcomer;
      await typePassword(NAME, PASSWORD);
      await page.waitForURL("**/token");
      await open("/personal?tab=security");
      await button(words.security.totp.turnOn).click();
      await dialog.locator('input[name="password"]').fill(PASSWORD);
      await dialog.getByRole("button", { name: words.security.totp.do.password, exact: true }).click();
      secret = (await page.locator("code", { hasText: /^[A-Z2-7]{32}$/ }).textContent()) ?? "";
      await newcomer.clean();
      await field("code").fill(comingCode(secret));
      await button(words.security.totp.confirm).click();
      const codes = page.getByRole("status").locator("code");
      await codes.first().waitFor();
      recoveryCodes = await codes.allTextContents();
      expect(recoveryCodes[0]).toMatch(/^\w{5}-\w{5}$/);
      await newcomer.clean();
      await button(words.security.totp.recoverySaved).click();
      await page.getByText(words.security.totp.on, { exact: true }).waitFor();

      await signOut();
      await typePassword(NAME, PASSWORD);
      await field("code").fill("000000");
      await button(words.login.submit).click();
      await page.getByRole("alert").waitFor();
      await newcomer.clean();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.login.submit).click();
      await page.waitForURL("**/token");
    },
    TIMEOUT_MS,
  );

  test(
    "adds a passkey and signs in with it alone",
    async () => {
      const { open, page, words, button, dialog, signOut } = newcomer;
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("WebAuthn.enable");
      await devtools.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await open("/personal?tab=security");
      await button(words.security.passkeys.add).click();
      await dialog.locator('input[name="passkey-name"]').fill("Laptop");
      await dialog.locator('input[name="password"]').fill(PASSWORD);
      await dialog.getByRole("button", { name: words.security.passkeys.add, exact: true }).click();
      await page.getByText("Laptop", { exact: true }).waitFor();
      await signOut();
      await open("/login");
      await button(words.login.passkey).click();
      await page.waitForURL("**/token");
    },
    TIMEOUT_MS,
  );

  test(
    "signs in at another service and with the second factor",
    async () => {
      const { open, page, words, field, button, entry, signOut } = newcomer;
      const { root, outside, url } = stage;
      await root.put("/api/option/", { key: "GitHubClientId", value: "client" });
      await root.put("/api/option/", { key: "GitHubOAuthEnabled", value: "true" });
      outside.seat({ id: 4711, login: "octocat" }, url);
      await open("/personal");
      await entry("GitHub").getByRole("button").click();
      await entry("GitHub").getByText("4711").waitFor();
      await signOut();
      await open("/login?returnTo=/personal");
      await button(words.oauth.services.github).click();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.login.submit).click();
      await page.waitForURL("**/personal");
    },
    TIMEOUT_MS,
  );

  test(
    "resets the password by mail, which ends the other logins",
    async () => {
      const { open, page, words, field, button, entry, signOut, typePassword } = newcomer;
      await signOut();
      await open("/reset");
      await field("email").fill(ADDRESS);
      const coming = stage.post.next();
      await button(words.reset.submit).click();
      await page.getByRole("status").first().waitFor();
      expect(await sent(newcomer).waits().isDisabled()).toBe(true);
      await newcomer.clean();
      const link = /http:\/\/\S+\/user\/reset\?\S+/.exec((await coming).text)?.[0] ?? "";
      await page.goto(link);
      await newcomer.clean();
      await button(words.reset.confirm.submit).click();
      password = (await page.getByRole("status").locator("code").textContent()) ?? "";
      await typePassword(NAME, PASSWORD);
      await page.getByRole("alert").waitFor();
      await typePassword(NAME, password);
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.login.submit).click();
      await page.waitForURL("**/token");
      await open("/personal?tab=security");
      await entry(new RegExp(words.security.sessions.current)).waitFor();
      expect(await button(words.security.sessions.end).count()).toBe(0);
      // The link works once.
      await page.goto(link);
      await button(words.reset.confirm.submit).click();
      await page.getByRole("alert").waitFor();
    },
    TIMEOUT_MS,
  );

  test(
    "the same screens in Chinese on a phone",
    async () => {
      const guest = await openVisitor(browser, stage.url, { language: "zh", dark: true, width: 390 });
      const { open, page, words, field, button, typePassword } = guest;
      await open("/register");
      await button(words.register.submit).click();
      await page.getByText(words.register.errors.username).waitFor();
      await guest.clean();
      await open("/reset");
      await button(words.reset.submit).click();
      await page.getByText(words.reset.missing).waitFor();
      await guest.clean();
      await open(`/user/reset?${new URLSearchParams({ email: ADDRESS, token: "0".repeat(32) })}`);
      await button(words.reset.confirm.submit).click();
      await page.getByRole("alert").waitFor();
      await guest.clean();
      await typePassword(NAME, password);
      await page.getByText(words.login.secondFactor.hint).waitFor();
      await guest.clean();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.login.submit).click();
      await page.waitForURL("**/token");
      for (const tab of ["account", "security"] as const) {
        await open(`/personal?tab=${tab}`);
        await page.getByRole("tabpanel").waitFor();
        await page.waitForFunction(() => !document.querySelector(".MuiSkeleton-root"));
        await guest.clean();
      }
      await open("/personal?tab=security");
      await page.getByText(words.security.totp.on, { exact: true }).waitFor();
      await page.getByText("Laptop", { exact: true }).waitFor();
      expect(guest.unexpected()).toEqual([]);
      expect(newcomer.unexpected()).toEqual([]);
      await guest.close();
    },
    TIMEOUT_MS,
  );
});
