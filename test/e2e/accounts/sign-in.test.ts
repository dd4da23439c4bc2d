/** Somebody joins by themselves in a real browser, guards the account, and signs in in every way of their own. */
import { afterAll, describe, expect } from "bun:test";
import { say } from "../../../src/lib/messages.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { fillPlaceholders, openSharedBrowser, VIEWPORTS } from "../../support/e2e/console-page.ts";
import {
  findMailCode,
  nextTotpCode,
  openVisitor,
  startSignInFixture,
  TIMEOUT_MS,
} from "../../support/e2e/sign-in-fixture.ts";
import { until } from "../../support/lib/until.ts";

const PASSWORD = "a first password";
const LENGTHS = { passwordMin: 8, passwordMax: 20 };

/** Names need not be Latin. */
const NAME = "新来的人";
const ADDRESS = "newcomer@example.com";
const DEVICE = "Laptop";
const GITHUB_ID = 4711;

const browser = await openSharedBrowser();
const fixture = await startSignInFixture({ EmailVerificationEnabled: "true" });
afterAll(fixture.stop);
const newcomer = await openVisitor(browser, fixture.url, VIEWPORTS.en);
/** The same person on a phone, in Chinese. */
const reader = await openVisitor(browser, fixture.url, VIEWPORTS.zh);

describe("joining", () => {
  let secret = "";
  let recoveryCodes: string[] = [];
  let password = PASSWORD;

  test("asks for what is missing, cuts a name by its characters, and wants a password of 8 to 20", async () => {
    const { open, page, words, field, button } = newcomer;
    await open("/register?aff=ABCD");
    await button(words.registration.submit).click();
    await page.getByText(words.registration.errors.username_required).waitFor();
    await page.getByText(words.registration.errors.email).waitFor();
    await newcomer.clean();
    await field("username").fill("👩一二三四五六七八九十甲乙");
    expect([...(await field("username").inputValue())]).toHaveLength(12);
    await field("username").fill(NAME);
    const wrongLength = words.registration.errors.password_length
      .replace("{{passwordMin}}", "8")
      .replace("{{passwordMax}}", "20");
    for (const password of ["七个字的密码吗", "x".repeat(21)]) {
      await field("password").fill(PASSWORD);
      await page.getByText(wrongLength).waitFor({ state: "detached" });
      await field("password").fill(password);
      await button(words.registration.submit).click();
      await page.getByText(wrongLength).waitFor();
    }
    await field("password").fill(PASSWORD);
    await field("confirm").fill("another password");
    await button(words.registration.submit).click();
    await page.getByText(words.registration.errors.confirm).waitFor();
    // The first by a rule, the second from the list of those that leaked most often.
    for (const password of ["password1", "Metallica"]) {
      await field("password").fill(password);
      await page.getByText(words.registration.easyToGuess).waitFor();
      await field("password").fill(PASSWORD);
      await page.getByText(fillPlaceholders(words.registration.passwordHint, LENGTHS)).waitFor();
    }
  });

  test("registers with the code from the mail, of an allowed domain", async () => {
    const { page, words, field, button, countdown } = newcomer;
    await fixture.root.put("/api/option/", { key: "EmailDomainRestrictionEnabled", value: "true" });
    await field("email").fill(ADDRESS);
    await button(words.registration.send).click();
    await page.getByText(say("email_domain_refused", "en"), { exact: true }).waitFor();
    await fixture.root.put("/api/option/", { key: "EmailDomainWhitelist", value: "example.com" });
    await field("password").fill(PASSWORD);
    await field("confirm").fill(PASSWORD);
    const coming = fixture.post.next();
    await button(words.registration.send).click();
    const code = findMailCode(await coming);
    await countdown(words.registration.resend).waitFor();
    expect(await countdown(words.registration.resend).isDisabled()).toBe(true);
    await field("verification_code").fill(code);
    await button(words.registration.submit).click();
    await page.waitForURL("**/start");
    await page.getByRole("heading", { name: words.firstSteps.user.title }).waitFor();
    await page.getByText("curl", { exact: true }).waitFor();
    await newcomer.clean();
    expect(await page.evaluate(() => localStorage.getItem("aff"))).toBe("ABCD");
  });

  test(
    "turns two-step verification on, and has to enter it",
    async () => {
      const { open, page, words, field, button, dialog, typePassword, signOut } = newcomer;
      await signOut();
      await typePassword(NAME, PASSWORD);
      await page.waitForURL("**/token");
      await open("/personal?tab=security");
      await button(words.security.totp.turnOn).click();
      await dialog.locator('input[name="password"]').fill(PASSWORD);
      await dialog.getByRole("button", { name: words.security.totp.do.password, exact: true }).click();
      secret = (await page.locator("code", { hasText: /^[A-Z2-7]{32}$/ }).textContent()) ?? "";
      await newcomer.clean();
      await field("code").fill(nextTotpCode(secret));
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
      await page.getByText(words.signIn.secondFactor.hint).waitFor();
      await field("code").fill("000000");
      await button(words.signIn.submit).click();
      await page.getByText(say("second_factor_wrong", "en"), { exact: true }).waitFor();
      await newcomer.clean();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.signIn.submit).click();
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
      await dialog.locator('input[name="passkey-name"]').fill(DEVICE);
      await dialog.locator('input[name="password"]').fill(PASSWORD);
      await dialog.getByRole("button", { name: words.security.passkeys.add, exact: true }).click();
      await page.getByText(DEVICE, { exact: true }).waitFor();
      await signOut();
      await open("/login");
      await button(words.signIn.passkey).click();
      await page.waitForURL("**/token");
    },
    TIMEOUT_MS,
  );

  test(
    "signs in at another service and with the second factor",
    async () => {
      const { open, page, words, field, button, entry, signOut } = newcomer;
      const { root, outside, url } = fixture;
      await root.put("/api/option/", { key: "GitHubClientId", value: "client" });
      await root.put("/api/option/", { key: "GitHubOAuthEnabled", value: "true" });
      outside.seat({ id: GITHUB_ID, login: "octocat" }, url);
      await open("/personal");
      const gitHub = entry(words.identities.services.github);
      await gitHub.getByRole("button", { name: words.profile.bindings.bind, exact: true }).click();
      await gitHub.getByText(fillPlaceholders(words.profile.bindings.boundTo, { subject: GITHUB_ID })).waitFor();
      await signOut();
      await open("/login?returnTo=/personal");
      await button(words.identities.services.github).click();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.signIn.submit).click();
      await page.waitForURL("**/personal");
    },
    TIMEOUT_MS,
  );

  test(
    "resets the password by mail, which ends the other logins",
    async () => {
      const { open, page, words, field, button, countdown, entry, signOut, typePassword } = newcomer;
      await signOut();
      await open("/reset");
      await button(words.reset.submit).click();
      await page.getByText(words.reset.missing).waitFor();
      await field("email").fill(ADDRESS);
      const coming = fixture.post.next();
      await button(words.reset.submit).click();
      await page.getByRole("status").first().waitFor();
      expect(await countdown(words.reset.wait).isDisabled()).toBe(true);
      await newcomer.clean();
      const link = /http:\/\/\S+\/user\/reset\?\S+/.exec((await coming).text)?.[0] ?? "";
      await page.goto(link);
      await newcomer.clean();
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
      await button(words.reset.confirm.submit).click();
      await page.getByText(words.reset.confirm.copied).waitFor();
      password = (await page.getByRole("status").locator("code").textContent()) ?? "";
      expect(await clipboard()).toBe(password);
      await page.evaluate(() => navigator.clipboard.writeText("something else"));
      await button(password).click();
      await until(clipboard, (text) => text === password);
      await newcomer.clean();
      await typePassword(NAME, PASSWORD);
      await page.getByRole("alert").waitFor();
      await typePassword(NAME, password);
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.signIn.submit).click();
      await page.waitForURL("**/token");
      await open("/personal?tab=security");
      await entry(new RegExp(words.security.sessions.current)).waitFor();
      expect(await button(words.security.sessions.end).count()).toBe(0);
      // The link works once.
      await page.goto(link);
      await button(words.reset.confirm.submit).click();
      await page.getByText(say("reset_link_invalid", "en"), { exact: true }).waitFor();
      await newcomer.clean();
    },
    TIMEOUT_MS,
  );

  test(
    "makes new recovery codes, which end the former ones",
    async () => {
      const { open, page, words, field, button, dialog, signOut, typePassword } = newcomer;
      const { totp } = words.security;
      const [former = "", used = ""] = recoveryCodes;
      await open("/personal?tab=security");
      await button(totp.renew).click();
      await field("code").fill("000000");
      await dialog.getByRole("button", { name: totp.do.renew, exact: true }).click();
      await dialog.getByRole("alert").waitFor();
      await newcomer.clean();
      await field("code").fill(used);
      await dialog.getByRole("button", { name: totp.do.renew, exact: true }).click();
      const codes = page.getByRole("status").locator("code");
      await codes.first().waitFor();
      const renewed = await codes.allTextContents();
      expect(renewed).toHaveLength(10);
      expect(new Set([...renewed, ...recoveryCodes]).size).toBe(renewed.length + recoveryCodes.length);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await button(words.components.copy.copy).click();
      await until(
        () => page.evaluate(() => navigator.clipboard.readText()),
        (text) => text === renewed.join("\n"),
      );
      await button(totp.recoverySaved).click();
      await button(totp.renew).waitFor();
      recoveryCodes = renewed;

      await signOut();
      await typePassword(NAME, password);
      await field("code").fill(former);
      await button(words.signIn.submit).click();
      await page.getByRole("alert").waitFor();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.signIn.submit).click();
      await page.waitForURL("**/token");
    },
    TIMEOUT_MS,
  );

  test(
    "reads in Chinese on a phone how to join, and what guards the account",
    async () => {
      const { open, page, words, field, button, dialog, typePassword } = reader;
      const { totp, passkeys } = words.security;
      await open("/register");
      await button(words.registration.submit).click();
      await page.getByText(words.registration.errors.username_required).waitFor();
      await page.getByText(words.registration.errors.email).waitFor();
      await reader.clean();
      await field("email").fill("newcomer@example.cn");
      await button(words.registration.send).click();
      await page.getByText(say("email_domain_refused", "zh"), { exact: true }).waitFor();

      await typePassword(NAME, password);
      await page.getByText(words.signIn.secondFactor.hint).waitFor();
      await field("code").fill("000000");
      await button(words.signIn.submit).click();
      await page.getByText(say("second_factor_wrong", "zh"), { exact: true }).waitFor();
      await reader.clean();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await button(words.signIn.submit).click();
      await page.waitForURL("**/token");

      for (const tab of ["account", "security"] as const) {
        await open(`/personal?tab=${tab}`);
        await page.getByRole("tabpanel").waitFor();
        await page.waitForFunction(() => !document.querySelector(".MuiSkeleton-root"));
        await reader.clean();
      }
      for (const [action, title] of [
        [totp.renew, totp.ask.renew],
        [totp.remove, totp.ask.remove],
        [passkeys.remove, fillPlaceholders(passkeys.removeTitle, { name: DEVICE })],
      ] as const) {
        // In Chinese “switch off” is also what closes a message above the page.
        await page.getByRole("tabpanel").getByRole("button", { name: action, exact: true }).click();
        await dialog.getByText(title, { exact: true }).waitFor();
        await reader.clean();
        await button(words.components.cancel).click();
        await dialog.waitFor({ state: "detached" });
      }
      await button(totp.renew).click();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await dialog.getByRole("button", { name: totp.do.renew, exact: true }).click();
      const codes = page.getByRole("status").locator("code");
      await codes.first().waitFor();
      recoveryCodes = await codes.allTextContents();
      await reader.clean();
    },
    TIMEOUT_MS,
  );

  test(
    "removes the passkey and turns two-step verification off: the password alone lets in again",
    async () => {
      const { open, page, words, field, button, dialog, entry, signOut, typePassword } = newcomer;
      const { totp, passkeys } = words.security;
      await open("/personal?tab=security");
      await entry(DEVICE).getByRole("button", { name: passkeys.remove, exact: true }).click();
      await dialog.getByText(fillPlaceholders(passkeys.removeTitle, { name: DEVICE })).waitFor();
      const remove = dialog.getByRole("button", { name: passkeys.remove, exact: true });
      await field("password").and(dialog.locator("input")).fill("a wrong password");
      await remove.click();
      await dialog.getByRole("alert").waitFor();
      await field("password").and(dialog.locator("input")).fill(password);
      await remove.click();
      await entry(DEVICE).waitFor({ state: "detached" });

      await button(totp.remove).click();
      const off = dialog.getByRole("button", { name: totp.do.remove, exact: true });
      await field("code").fill("000000");
      await off.click();
      await dialog.getByRole("alert").waitFor();
      await field("code").fill(recoveryCodes.pop() ?? "");
      await off.click();
      await button(totp.turnOn).waitFor();
      expect(await page.getByText(totp.on, { exact: true }).count()).toBe(0);

      await signOut();
      await open("/login");
      await button(words.signIn.passkey).click();
      await page.getByRole("alert").waitFor();
      await typePassword(NAME, password);
      await page.waitForURL("**/token");
    },
    TIMEOUT_MS,
  );

  test(
    "reads in Chinese on a phone how to turn two-step verification on, and resets the password there",
    async () => {
      const { open, page, words, field, button, dialog } = reader;
      await open("/personal?tab=security");
      await button(words.security.totp.turnOn).click();
      await dialog.locator('input[name="password"]').fill(password);
      await dialog.getByRole("button", { name: words.security.totp.do.password, exact: true }).click();
      await page.locator("code", { hasText: /^[A-Z2-7]{32}$/ }).waitFor();
      await reader.clean();

      await reader.signOut();
      await field("email").fill(ADDRESS);
      const coming = fixture.post.next();
      await button(words.reset.submit).click();
      await page.getByRole("status").first().waitFor();
      await reader.clean();
      const link = /http:\/\/\S+\/user\/reset\?\S+/.exec((await coming).text)?.[0] ?? "";
      await page.goto(link);
      await reader.clean();
      await button(words.reset.confirm.submit).click();
      await page.getByRole("status").locator("code").waitFor();
      await reader.clean();
      await page.goto(link);
      await button(words.reset.confirm.submit).click();
      await page.getByText(say("reset_link_invalid", "zh"), { exact: true }).waitFor();
      await reader.clean();
    },
    TIMEOUT_MS,
  );

  test("the browser complains of nothing", () => {
    expect([...newcomer.unexpected(), ...reader.unexpected()]).toEqual([]);
  });
});
