/** What stands around an account in a real browser: where signing in leads, the human check, mail, other logins, lost devices. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { test } from "../../support/e2e/browser-test.ts";
import { login, ROOT_NAME, ROOT_PASSWORD, setOptions } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openSharedBrowser, VIEWPORTS } from "../../support/e2e/console-page.ts";
import {
  addUser,
  findMailCode,
  nextTotpCode,
  openVisitor,
  startSignInFixture,
  TIMEOUT_MS,
  type Visitor,
} from "../../support/e2e/sign-in-fixture.ts";

const PASSWORD = "a guarded word";
const EXPIRED = "/login?expired=true&returnTo=%2Fpersonal%3Ftab%3Dsecurity";

const browser = await openSharedBrowser();
const fixture = await startSignInFixture();
afterAll(fixture.stop);

/** Pages of other sites, as links may hide them. */
const ELSEWHERE = [
  "//evil.example",
  "https://evil.example/token",
  "/\\evil.example",
  "/.//evil.example",
  "javascript:alert(1)",
];

/** Fills the form that is open and sends it. */
async function submit({ field, button, words }: Visitor, name: string, password: string): Promise<void> {
  await field("username").fill(name);
  await field("password").fill(password);
  await button(words.signIn.submit).click();
}

const setCheck = (isOn: boolean) =>
  setOptions(fixture.root, {
    TurnstileSiteKey: "human key",
    TurnstileSecretKey: "human secret",
    TurnstileCheckEnabled: String(isOn),
  });
/** The person of the fake check, who ticks its box. */
const prove = ({ button }: Visitor) => button("I am human").click();

/** Names need not be Latin. */
const NAME = "被保护的人";
const somebody = await openVisitor(browser, fixture.url, VIEWPORTS.en);
/** The same person on a phone, in Chinese. */
const reader = await openVisitor(browser, fixture.url, VIEWPORTS.zh);
await addUser(fixture.root, NAME, PASSWORD);

/** No account can have so short a password here; only those that were brought along from elsewhere. */
async function enterDefaultPassword(visitor: Visitor): Promise<void> {
  const { page, words, dialog, open } = visitor;
  await page.route("**/api/user/login*", (route) =>
    route.continue({ postData: JSON.stringify({ username: ROOT_NAME, password: ROOT_PASSWORD }) }),
  );
  await open("/login");
  await submit(visitor, "root", "123456");
  await dialog.getByText(words.signIn.defaultPassword.title).waitFor();
  await page.unroute("**/api/user/login*");
  await visitor.clean();
}

describe("signing in", () => {
  test(
    "says that the login is over, and leads back to the requested page",
    async () => {
      const { open, page, words } = somebody;
      await open("/personal?tab=security");
      await page.waitForURL("**/login?**");
      await open(EXPIRED);
      await page.getByText(words.signIn.expired).waitFor();
      await submit(somebody, "", "");
      await page.getByText(words.signIn.missing).waitFor();
      await submit(somebody, NAME, PASSWORD);
      await page.waitForURL("**/personal?tab=security");
    },
    TIMEOUT_MS,
  );

  test.each(ELSEWHERE)(
    "never leads to another site: %s",
    async (returnTo) => {
      const { open, page, signOut } = somebody;
      await signOut();
      await open(`/login?${new URLSearchParams({ returnTo })}`);
      await submit(somebody, NAME, PASSWORD);
      await page.waitForURL(`${fixture.url}/token`);
    },
    TIMEOUT_MS,
  );

  test(
    "warns whoever signs in with the password that everybody knows",
    async () => {
      const { page, words, dialog, signOut } = somebody;
      await signOut();
      await enterDefaultPassword(somebody);
      await dialog.getByRole("button", { name: words.signIn.defaultPassword.action, exact: true }).click();
      await page.waitForURL("**/personal**");
      await signOut();
      await enterDefaultPassword(reader);
      await reader.signOut();
    },
    TIMEOUT_MS,
  );
});

describe("the human check", () => {
  beforeAll(() => setCheck(true), TIMEOUT_MS);
  afterAll(() => setCheck(false), TIMEOUT_MS);

  test(
    "stands before signing in, and each try needs a new proof",
    async () => {
      const { load, page, words, button } = somebody;
      // The page may run the check's script only if it was loaded after the check was turned on.
      await load("/login");
      await button("I am human").waitFor();
      await submit(somebody, NAME, PASSWORD);
      await page.getByText(words.signIn.turnstile.wait).waitFor();
      await somebody.clean();
      await reader.load("/login");
      await reader.button("I am human").waitFor();
      await submit(reader, NAME, PASSWORD);
      await reader.page.getByText(reader.words.signIn.turnstile.wait).waitFor();
      await reader.clean();
      await prove(somebody);
      await submit(somebody, NAME, "a wrong word");
      await page.getByRole("alert").filter({ hasNotText: words.signIn.turnstile.wait }).waitFor();
      await submit(somebody, NAME, PASSWORD);
      await page.getByText(words.signIn.turnstile.wait).waitFor();
      await prove(somebody);
      await submit(somebody, NAME, PASSWORD);
      await page.waitForURL("**/token");
    },
    TIMEOUT_MS,
  );

  test(
    "stands before joining and before mails",
    async () => {
      const { open, page, words, button, field, signOut } = somebody;
      await signOut();
      await open("/reset");
      await field("email").fill("somebody@example.com");
      await button(words.reset.submit).click();
      await page.getByText(words.signIn.turnstile.wait).waitFor();
      await open("/register");
      await field("username").fill(`${NAME}2`);
      await field("password").fill(PASSWORD);
      await field("confirm").fill(PASSWORD);
      await button(words.registration.submit).click();
      await page.getByText(words.signIn.turnstile.wait).waitFor();
      await prove(somebody);
      await button(words.registration.submit).click();
      await page.waitForURL("**/start");
      expect(fixture.outside.calls.findLast(({ path }) => path === "/turnstile/v0/siteverify")?.form).toMatchObject({
        secret: "human secret",
      });
      expect(await page.content()).not.toContain("human secret");
    },
    TIMEOUT_MS,
  );
});

describe("joining", () => {
  test("is not offered where it is turned off, nor with a password where only services are wanted", async () => {
    const { open, page, signOut, words } = somebody;
    await signOut();
    await setOptions(fixture.root, { PasswordRegisterEnabled: "false" });
    await open("/register");
    await page.getByText(words.registration.noPassword).waitFor();
    await setOptions(fixture.root, { RegisterEnabled: "false" });
    await open("/register");
    await page.getByText(words.registration.closed).waitFor();
    await page.getByRole("link", { name: words.signIn.links.toLogin }).click();
    await page.getByRole("link", { name: words.signIn.links.toReset }).waitFor();
    expect(await page.getByRole("link", { name: words.signIn.links.toRegister }).count()).toBe(0);
    await setOptions(fixture.root, { RegisterEnabled: "true", PasswordRegisterEnabled: "true" });
  });
});

describe("an account", () => {
  test(
    "changes its address by a code, and the former address is notified",
    async () => {
      const { open, page, words, button, field, countdown, dialog, entry, signOut, typePassword } = somebody;
      const { bindings } = words.profile;
      await signOut();
      await typePassword(NAME, PASSWORD);
      await page.waitForURL("**/token");
      await open("/personal");
      for (const [address, action, former] of [
        ["first@example.com", bindings.bind, ""],
        ["second@example.com", bindings.change, "first@example.com"],
      ] as const) {
        await entry(words.registration.email).getByRole("button", { name: action, exact: true }).click();
        await dialog.getByRole("button", { name: bindings.bind, exact: true }).click();
        await dialog.getByText(words.registration.errors.email).waitFor();
        await field("email").fill(address);
        const coming = fixture.post.next();
        await button(words.registration.send).click();
        const code = findMailCode(await coming);
        await countdown(words.registration.resend).waitFor();
        await field("verification_code").fill(code === "000000" ? "111111" : "000000");
        await dialog.getByRole("button", { name: bindings.bind, exact: true }).click();
        await dialog.getByRole("alert").waitFor();
        await somebody.clean();
        await field("verification_code").fill(code);
        const notification = former ? fixture.post.next() : null;
        await dialog.getByRole("button", { name: bindings.bind, exact: true }).click();
        await entry(words.registration.email).getByText(address).waitFor();
        if (notification) expect((await notification).to).toEqual([former]);
      }
    },
    TIMEOUT_MS,
  );

  test(
    "reads in Chinese on a phone what happens to an address and to other devices",
    async () => {
      const { open, page, words, button, field, dialog, entry, typePassword } = reader;
      const { bindings } = words.profile;
      await typePassword(NAME, PASSWORD);
      await page.waitForURL("**/token");
      await open("/personal");
      const email = entry(words.registration.email);
      const cancel = async () => {
        await dialog.getByRole("button", { name: words.components.cancel, exact: true }).click();
        await dialog.waitFor({ state: "detached" });
      };
      await email.getByRole("button", { name: bindings.change, exact: true }).click();
      await dialog.getByRole("button", { name: bindings.bind, exact: true }).click();
      await dialog.getByText(words.registration.errors.email).waitFor();
      await field("email").fill("third@example.com");
      await field("verification_code").fill("000000");
      await dialog.getByRole("button", { name: bindings.bind, exact: true }).click();
      await dialog.getByRole("alert").waitFor();
      await reader.clean();
      await cancel();
      await email.getByRole("button", { name: bindings.unbind, exact: true }).click();
      await dialog.getByText(bindings.unbindEmail).waitFor();
      await reader.clean();
      await cancel();
      await login(fixture.gateway, NAME, PASSWORD);
      await open("/personal?tab=security");
      await button(words.security.sessions.endAll).click();
      await dialog.getByText(words.security.sessions.endAllBody_other.split("{{count}}")[1] ?? "").waitFor();
      await reader.clean();
      await cancel();
      await page.goto("about:blank");
    },
    TIMEOUT_MS,
  );

  test(
    "lets go of its address after a question",
    async () => {
      const { words, dialog, entry } = somebody;
      const { bindings } = words.profile;
      const email = entry(words.registration.email);
      await email.getByRole("button", { name: bindings.unbind, exact: true }).click();
      await dialog.getByText(bindings.unbindEmail).waitFor();
      await somebody.clean();
      await dialog.getByRole("button", { name: bindings.unbind, exact: true }).click();
      await email.getByText(bindings.none).waitFor();
      await email.getByRole("button", { name: bindings.bind, exact: true }).waitFor();
      expect(await (await login(fixture.gateway, NAME, PASSWORD)).get("/api/user/self")).toMatchObject({ email: "" });
    },
    TIMEOUT_MS,
  );

  test(
    "signs another device out, which notices",
    async () => {
      const { open, page, words, entry } = somebody;
      const other = await openVisitor(browser, fixture.url, VIEWPORTS.en);
      await other.typePassword(NAME, PASSWORD);
      await other.page.waitForURL("**/token");
      // A page that is open would notice by itself.
      await other.page.goto("about:blank");
      await open("/personal?tab=security");
      const { end, current, endAll, endAllBody_other } = words.security.sessions;
      const others = page.getByRole("group").filter({ has: page.getByRole("button", { name: end, exact: true }) });
      await others.first().waitFor();
      expect(await entry(new RegExp(current)).getByRole("button").count()).toBe(0);
      while ((await others.count()) > 0) {
        const left = (await others.count()) - 1;
        await others.first().getByRole("button", { name: end, exact: true }).click();
        await page.waitForFunction(
          ([name, count]) =>
            [...document.querySelectorAll("[role=group] button")].filter((node) => node.textContent === name).length ===
            count,
          [end, left] as const,
        );
      }
      expect(await page.getByRole("button", { name: endAll, exact: true }).count()).toBe(0);
      await other.load("/log");
      await other.page.waitForURL("**/login?**");
      await other.page.getByText(words.signIn.expired).waitFor();
      await submit(other, NAME, PASSWORD);
      await other.page.waitForURL("**/log");

      const third = await login(fixture.gateway, NAME, PASSWORD);
      await page.reload();
      await somebody.button(endAll).click();
      await somebody.dialog.getByText(fillPlaceholders(endAllBody_other, { count: 2 })).waitFor();
      await somebody.clean();
      await somebody.dialog.getByRole("button", { name: endAll, exact: true }).click();
      await others.first().waitFor({ state: "detached" });
      expect((await third.send("GET", "/api/user/self")).status).toBe(401);
      await other.page.reload();
      await other.page.waitForURL("**/login?**");
      await page.reload();
      await entry(new RegExp(current)).waitFor();
      await other.close();
    },
    TIMEOUT_MS,
  );

  test(
    "whose device is lost gets in again with an administrator's help",
    async () => {
      const own = await login(fixture.gateway, NAME, PASSWORD);
      const { secret } = await own.post("/api/user/totp/begin", { password: PASSWORD });
      await own.post("/api/user/totp/confirm", { code: nextTotpCode(secret) });
      const { page, words, field, button, typePassword, signOut } = somebody;
      await signOut();
      await typePassword(NAME, PASSWORD);
      await field("code").waitFor();
      await button(words.signIn.secondFactor.again).click();
      await field("username").waitFor();

      const admin = await openVisitor(browser, fixture.url, VIEWPORTS.en);
      await admin.typePassword(ROOT_NAME, ROOT_PASSWORD);
      await admin.page.waitForURL("**/detail");
      await admin.open("/user");
      await admin.button(fillPlaceholders(words.components.table.actionsFor, { name: NAME })).click();
      await admin.page.getByRole("menuitem", { name: words.users.secondFactor.reset, exact: true }).click();
      await admin.dialog.getByRole("button", { name: words.users.secondFactor.reset, exact: true }).click();
      await admin.page.getByText(fillPlaceholders(words.users.secondFactor.done, { name: NAME })).waitFor();
      expect(admin.unexpected()).toEqual([]);
      await admin.close();

      await typePassword(NAME, PASSWORD);
      await page.waitForURL("**/token");
    },
    TIMEOUT_MS,
  );

  test("meets nothing that the browser complains of", () => {
    expect([...somebody.unexpected(), ...reader.unexpected()]).toEqual([]);
  });
});
