/** Somebody joins by themself in a real browser, in both languages, and signs in in every way. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TOTP } from "otpauth";
import type { Browser, Page } from "playwright-core";
import { startFakeSignInServices } from "../../src/console/testing-sign-in.ts";
import { startMailServer } from "../../src/notify/testing.ts";
import { type Language, openBrowser, openPage, seriousFindings, sidewaysScroll, WORDS } from "./browser.ts";
import { type Gateway, setOption, setUp, startGateway } from "./harness.ts";

const PATIENCE_MS = 10_000;
const NAME = "新来的人";
const PASSWORD = "a first password";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 30_000);
afterAll(() => browser.close());

describe.each<[Language, boolean, number]>([
  ["en", false, 1280],
  ["zh", true, 390],
])("joining in %s (dark: %p, %p px)", (language, dark, width) => {
  const words = WORDS[language];
  let gateway: Gateway;
  let post: Awaited<ReturnType<typeof startMailServer>>;
  let outside: Awaited<ReturnType<typeof startFakeSignInServices>>;
  let page: Page;
  let complaints: string[];
  let secret = "";
  let recoveryCode = "";

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const field = (name: string) => page.locator(`input[name="${name}"]`);
  const open = (path: string) => page.goto(gateway.url + path);
  const clean = async () => {
    expect(await seriousFindings(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
  };
  const signOut = async () => {
    await page.evaluate(() => fetch("/api/user/logout", { method: "POST" }));
    await page.evaluate(() => localStorage.removeItem("user"));
  };
  const typePassword = async (password: string) => {
    await open("/login");
    await field("username").fill(NAME);
    await field("password").fill(password);
    await button(words.login.submit).click();
  };

  beforeAll(async () => {
    post = await startMailServer();
    outside = await startFakeSignInServices();
    gateway = await startGateway({
      env: {
        ALLOW_PRIVATE_UPSTREAMS: "true",
        GITHUB_BASE_URL: outside.url,
        GITHUB_API_URL: outside.url,
        CRITICAL_RATE_LIMIT_ENABLE: "false",
      },
    });
    const root = await setUp(gateway);
    const options = {
      ServerAddress: gateway.url.replace("127.0.0.1", "localhost"),
      SMTPServer: "127.0.0.1",
      SMTPPort: String(post.port),
      SMTPFrom: "gate@example.com",
      EmailVerificationEnabled: "true",
      GitHubClientId: "client",
      GitHubClientSecret: "secret",
      GitHubOAuthEnabled: "true",
    };
    for (const [key, value] of Object.entries(options)) await setOption(root, key, value);
    // Passkeys know sites by name.
    gateway = { ...gateway, url: options.ServerAddress };
    ({ page, complaints } = await openPage(browser, { language, dark, width }));
    page.setDefaultTimeout(PATIENCE_MS);
  }, 60_000);
  afterAll(async () => {
    await page.context().close();
    await gateway.stop();
    await outside.stop();
    await post.stop();
  });

  test("registers with the code from the mail", async () => {
    await open("/register?aff=ABCD");
    await button(words.register.submit).click();
    await page.getByText(words.register.errors.username).waitFor();
    await clean();
    await field("username").fill(`${NAME}一二三四五六七八九十`);
    expect(await field("username").inputValue()).toHaveLength(12);
    await field("username").fill(NAME);
    await field("password").fill(PASSWORD);
    await field("confirm").fill(PASSWORD);
    await field("email").fill("newcomer@example.com");
    const coming = post.next();
    await button(words.register.send).click();
    const code = /\b\d{6}\b/.exec((await coming).text.split("text/plain")[1] ?? "")?.[0] ?? "";
    expect(await page.getByRole("button", { name: /30|29/ }).isDisabled()).toBe(true);
    await field("verification_code").fill(code);
    await button(words.register.submit).click();
    await page.waitForURL("**/login");
    expect(await page.evaluate(() => localStorage.getItem("aff"))).toBe("ABCD");
  });

  test("turns two-step verification on, and is asked for it", async () => {
    await typePassword(PASSWORD);
    await page.waitForURL("**/token");
    await open("/personal?tab=security");
    await button(words.security.totp.turnOn).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator('input[name="password"]').fill(PASSWORD);
    await dialog.getByRole("button", { name: words.security.totp.do.password, exact: true }).click();
    secret = (await page.locator("code", { hasText: /^[A-Z2-7]{32}$/ }).textContent()) ?? "";
    await field("code").fill(new TOTP({ secret }).generate({ timestamp: Date.now() - 30_000 }));
    await button(words.security.totp.confirm).click();
    recoveryCode = (await page.getByRole("status").locator("code").first().textContent()) ?? "";
    expect(recoveryCode).toMatch(/^\w{5}-\w{5}$/);
    await clean();
    await button(words.security.totp.recoverySaved).click();
    await page.getByText(words.security.totp.on, { exact: true }).waitFor();

    await signOut();
    await typePassword(PASSWORD);
    await field("code").fill("000000");
    await button(words.login.submit).click();
    await page.getByRole("alert").waitFor();
    await clean();
    await field("code").fill(new TOTP({ secret }).generate());
    await button(words.login.submit).click();
    await page.waitForURL("**/token");
  }, 30_000);

  test("adds a passkey and signs in with it alone", async () => {
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
    const dialog = page.getByRole("dialog");
    await dialog.locator('input[name="passkey-name"]').fill("Laptop");
    await dialog.locator('input[name="password"]').fill(PASSWORD);
    await dialog.getByRole("button", { name: words.security.passkeys.add, exact: true }).click();
    await page.getByText("Laptop", { exact: true }).waitFor();
    await signOut();
    await open("/login");
    await button(words.login.passkey).click();
    await page.waitForURL("**/token");
  }, 30_000);

  test("binds GitHub, signs in with it and the second factor, and unbinds it", async () => {
    outside.seat({ id: 4711, login: "octocat" }, `${gateway.url}/oauth/github`);
    await open("/personal");
    await button(words.personal.bindings.bind).click();
    await page.getByText(words.personal.bindings.boundTo.replace("{{subject}}", "4711")).waitFor();
    await clean();

    await signOut();
    await open("/login?returnTo=/personal");
    await button(words.oauth.services.github).click();
    await field("code").fill(recoveryCode);
    await button(words.login.submit).click();
    await page.waitForURL("**/personal");

    await page.getByRole("button", { name: words.personal.bindings.unbind, exact: true }).last().click();
    await page.getByRole("dialog").getByRole("button", { name: words.personal.bindings.unbind, exact: true }).click();
    await page.getByText(words.personal.bindings.boundTo.replace("{{subject}}", "4711")).waitFor({ state: "hidden" });
  }, 30_000);

  test("resets the password by mail, and sees the other logins", async () => {
    await signOut();
    await open("/reset");
    await field("email").fill("newcomer@example.com");
    const coming = post.next();
    await button(words.reset.submit).click();
    await page.getByRole("status").first().waitFor();
    await clean();
    const link = /http:\/\/\S+\/user\/reset\?\S+/.exec((await coming).text)?.[0] ?? "";
    await page.goto(link);
    await clean();
    await button(words.reset.confirm.submit).click();
    const password = (await page.getByRole("status").locator("code").textContent()) ?? "";
    await typePassword(password);
    await field("code").fill(new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 }));
    await button(words.login.submit).click();
    await page.waitForURL("**/token");
    await open("/personal?tab=security");
    await page.getByText(words.security.sessions.current, { exact: true }).waitFor();
    expect(await button(words.security.sessions.end).count()).toBe(0);
  }, 30_000);

  test("is told what went wrong with a test message, and gets one by mail", async () => {
    await open("/personal?tab=notifications");
    const coming = post.next();
    await button(words.notifications.test).click();
    expect((await coming).to).toEqual(["newcomer@example.com"]);
    await page.getByRole("combobox").click();
    await page.getByRole("option", { name: words.notifications.ways.webhook, exact: true }).click();
    await field("webhook_url").fill("http://hook.example.com");
    await button(words.notifications.save).click();
    await page.getByText("https").first().waitFor();
    await field("webhook_url").fill("https://127.0.0.1:9/hook");
    await button(words.notifications.save).click();
    await button(words.notifications.test).click();
    await page.getByText(/refused address/).waitFor();
    await clean();
  }, 30_000);

  test("deletes the account after typing its name", async () => {
    await open("/personal");
    await button(words.personal.delete.open).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator('input[name="account-name"]').fill("somebody");
    await dialog.getByRole("button", { name: words.personal.delete.action, exact: true }).click();
    await dialog.getByText(words.personal.delete.mismatch).waitFor();
    await dialog.locator('input[name="account-name"]').fill(NAME);
    await dialog.getByRole("button", { name: words.personal.delete.action, exact: true }).click();
    await page.waitForURL("**/login");
    expect(complaints.filter((text) => !/status of (40\d|429)/.test(text))).toEqual([]);
  }, 30_000);
});
