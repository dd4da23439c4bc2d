/** Signing in, binding and unbinding with every service, in a real browser, against fakes that check what real ones do. */
import { afterAll, describe, expect, test } from "bun:test";
import { until } from "../../src/lib/testing/until.ts";
import type { ServiceName } from "../../ui/features/oauth/services.ts";
import { login, ROOT_NAME, ROOT_PASSWORD, setOptions } from "./console-client.ts";
import { openFilesBrowser } from "./desk.ts";
import { addUser, openVisitor, setSignInStage, TIMEOUT_MS, type Visitor } from "./sign-in-stage.ts";

const NAME = "traveller";
const PASSWORD = "a traveller's word";
const BOT = "4711:bot-secret";

/** What each service says of the same person, and by what it is known here. */
const ELSEWHERE = {
  github: [{ id: 4711, login: "octocat", name: "Octo Cat" }, "4711"],
  oidc: [{ sub: "subject-4711", name: "Oi" }, "subject-4711"],
  linuxdo: [{ id: 4712, username: "lin", name: "Lin", active: true }, "4712"],
  discord: [{ id: "4713", username: "dis", global_name: "Dis" }, "4713"],
  telegram: [{ id: 4714 }, "4714"],
} as const satisfies Partial<Record<ServiceName, readonly [object, string]>>;
type Redirecting = keyof typeof ELSEWHERE;
const REDIRECTING = Object.keys(ELSEWHERE) as Redirecting[];
const ALL: readonly ServiceName[] = [...REDIRECTING, "wechat"];

const browser = await openFilesBrowser();
const stage = await setSignInStage({ SystemName: "The gate" });
afterAll(stage.stop);
await addUser(stage.root, NAME, PASSWORD);
const somebody = await openVisitor(browser, stage.url, { language: "en", width: 1280 });

const offered = (visitor: Visitor, service: ServiceName) => visitor.button(visitor.words.oauth.services[service]);
const seat = (service: Redirecting, change: object = {}) =>
  stage.outside.seat({ ...ELSEWHERE[service][0], ...change }, stage.url, BOT);
const line = ({ entry, words }: Visitor, service: ServiceName) => entry(words.oauth.services[service]);

async function configureAll(): Promise<void> {
  const { outside, root } = stage;
  await setOptions(root, {
    GitHubClientId: "github client",
    GitHubClientSecret: "github secret",
    GitHubOAuthEnabled: "true",
    LinuxDOClientId: "linuxdo client",
    LinuxDOClientSecret: "linuxdo secret",
    LinuxDOOAuthEnabled: "true",
    DiscordClientId: "discord client",
    DiscordClientSecret: "discord secret",
    DiscordOAuthEnabled: "true",
    "oidc.client_id": "oidc client",
    "oidc.client_secret": "oidc secret",
    "oidc.well_known": `${outside.url}/.well-known/openid-configuration`,
    "oidc.enabled": "true",
    WeChatServerAddress: outside.url,
    WeChatServerToken: "wechat token",
    WeChatAuthEnabled: "true",
    TelegramBotToken: BOT,
    TelegramOAuthEnabled: "true",
  });
}

/** Unbinds on the personal page, after the question. */
async function unbind(visitor: Visitor, service: ServiceName): Promise<void> {
  const { words, dialog } = visitor;
  const { unbind, bind } = words.personal.bindings;
  await line(visitor, service).getByRole("button", { name: unbind, exact: true }).click();
  await dialog.getByRole("button", { name: unbind, exact: true }).click();
  await line(visitor, service).getByRole("button", { name: bind, exact: true }).waitFor();
}

describe("services to sign in with", () => {
  /** What the gateway has printed must open nothing. */
  afterAll(() => {
    for (const secret of [PASSWORD, BOT, "github secret", "oidc secret", "wechat token"]) {
      expect(stage.gateway.output()).not.toContain(secret);
    }
  });

  test("are offered where they are configured, and nowhere else", async () => {
    const { open, words, page } = somebody;
    await open("/login");
    // The site's name comes with what it offers.
    await page.getByText(words.login.title.replace("{{site}}", "The gate")).waitFor();
    for (const service of ALL) expect(await offered(somebody, service).count()).toBe(0);
    await configureAll();
    for (const path of ["/login", "/register"]) {
      await open(path);
      for (const service of ALL) await offered(somebody, service).waitFor();
      await somebody.clean();
    }
  });

  test.each(REDIRECTING)(
    "%s: bound on the personal page, used to sign in, unbound",
    async (service) => {
      const { page, open, words, typePassword, signOut } = somebody;
      const subject = ELSEWHERE[service][1];
      await signOut();
      await typePassword(NAME, PASSWORD);
      await page.waitForURL("**/token");
      seat(service);
      await open("/personal");
      await line(somebody, service).getByRole("button", { name: words.personal.bindings.bind, exact: true }).click();
      await page.waitForURL("**/personal");
      await line(somebody, service).getByText(subject).waitFor();

      await signOut();
      await open("/login?returnTo=/personal");
      await offered(somebody, service).click();
      await page.waitForURL("**/personal");
      await page.getByText(NAME, { exact: true }).first().waitFor();
      await unbind(somebody, service);
      if (service === "oidc") {
        const { form } = stage.outside.calls.findLast(({ path }) => path === "/oidc/token") ?? { form: {} };
        expect(form).toMatchObject({ client_id: "oidc client", client_secret: "oidc secret" });
      }
    },
    TIMEOUT_MS,
  );

  test(
    "WeChat: a code that its account sends binds and signs in, a guessed one does neither",
    async () => {
      const { page, open, words, field, dialog, signOut } = somebody;
      const enter = async (code: string, action: string) => {
        await field("code").fill(code);
        await dialog.getByRole("button", { name: action, exact: true }).click();
      };
      await open("/personal");
      await line(somebody, "wechat").getByRole("button", { name: words.personal.bindings.bind, exact: true }).click();
      await dialog.getByRole("button", { name: words.personal.bindings.bind, exact: true }).click();
      await dialog.getByText(words.oauth.wechat.missing).waitFor();
      await enter("guess", words.personal.bindings.bind);
      await dialog.getByRole("alert").waitFor();
      await somebody.clean();
      await enter(stage.outside.codeFor({ wechat: "wx-4711" }), words.personal.bindings.bind);
      await line(somebody, "wechat").getByText("wx-4711").waitFor();

      await signOut();
      await open("/login?returnTo=/personal");
      await offered(somebody, "wechat").click();
      await enter(stage.outside.codeFor({ wechat: "wx-4711" }), words.oauth.wechat.signIn);
      await page.waitForURL("**/personal");
      await unbind(somebody, "wechat");
    },
    TIMEOUT_MS,
  );

  test(
    "an answer that another visit asked for is not taken, in the browser or behind it",
    async () => {
      const { page, open, words, signOut } = somebody;
      await signOut();
      await open("/oauth/github?code=planted&state=planted");
      await page.getByText(words.oauth.notStarted).waitFor();

      stage.outside.sayInIdToken({ nonce: "of another visit" });
      seat("oidc");
      await open("/login");
      await offered(somebody, "oidc").click();
      await page.waitForURL("**/login");
      await page.getByRole("alert").waitFor();
      stage.outside.sayInIdToken({ nonce: "" });
    },
    TIMEOUT_MS,
  );

  test(
    "a newcomer joins by GitHub, invited by the link of another visit; a bound account is not found by its name",
    async () => {
      const inviter = await login(stage.gateway, NAME, PASSWORD);
      const code = await inviter.get("/api/user/aff");
      const { page, open } = somebody;
      await open(`/register?aff=${code}`);
      await page.waitForFunction((expected) => localStorage.getItem("aff") === expected, code);
      await open("/register");
      seat("github", { id: 9000, login: NAME });
      await offered(somebody, "github").click();
      await page.waitForURL("**/token");
      const joined = await page.evaluate(() => JSON.parse(localStorage.getItem("user") ?? "{}"));
      expect(joined.id).not.toBe(inviter.userId);
      expect(await inviter.get("/api/user/self")).toMatchObject({ aff_count: 1 });
      // The only way in stays.
      const { words, dialog } = somebody;
      await open("/personal");
      const { unbind } = words.personal.bindings;
      await line(somebody, "github").getByRole("button", { name: unbind, exact: true }).click();
      await dialog.getByRole("button", { name: unbind, exact: true }).click();
      await page.getByRole("alert").waitFor();
      await line(somebody, "github").getByText("9000").waitFor();
    },
    TIMEOUT_MS,
  );

  test(
    "whoever joined by a service sets a first password, signs in with it, and may unbind the service",
    async () => {
      const { page, open, words, field, button, signOut, typePassword } = somebody;
      const { username } = await page.evaluate(() => JSON.parse(localStorage.getItem("user") ?? "{}"));
      const own = words.personal.password;
      await open("/personal?tab=security");
      await button(own.set).waitFor();
      expect(await field("original").count()).toBe(0);
      await field("password").fill("a first password");
      await field("confirm").fill("another password");
      await button(own.set).click();
      await page.getByText(own.errors.confirm).waitFor();
      await somebody.clean();
      await field("confirm").fill("a first password");
      await button(own.set).click();
      await field("original").waitFor();
      await button(own.submit).waitFor();
      await open("/personal");
      await unbind(somebody, "github");
      await signOut();
      await typePassword(username, "a first password");
      await page.waitForURL("**/token");
      expect(somebody.unexpected()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "in Chinese on a phone: the same ways, readable",
    async () => {
      const guest = await openVisitor(browser, stage.url, { language: "zh", dark: true, width: 390 });
      const { page, open, words, typePassword, button } = guest;
      await open("/login");
      for (const service of ALL) await offered(guest, service).waitFor();
      await offered(guest, "wechat").click();
      await page.getByText(words.oauth.wechat.hint).waitFor();
      await guest.clean();
      await typePassword(NAME, PASSWORD);
      await page.waitForURL("**/token");
      await open("/personal");
      for (const service of ALL) {
        await line(guest, service).getByRole("button", { name: words.personal.bindings.bind, exact: true }).waitFor();
      }
      await guest.clean();
      await line(guest, "wechat").getByRole("button", { name: words.personal.bindings.bind, exact: true }).click();
      await button(words.components.cancel).waitFor();
      await guest.clean();
      expect(guest.unexpected()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "the last way to sign in cannot be turned off, whichever comes last",
    async () => {
      const boss = await openVisitor(browser, stage.url, { language: "en", width: 1280 });
      const { page, open, words, button, typePassword } = boss;
      const turnOff = async (key: string) => {
        await open("/setting?tab=system");
        await page.locator(`[id="setting-${key}"]`).click({ force: true });
        if (key === "PasswordLoginEnabled") await button(words.settings.passwordLogin.action).click();
        await page.locator('[id="section-login"]').getByRole("button", { name: /^Save/ }).click();
      };
      const isOn = async (key: string) => {
        const options: { key: string; value: string }[] = await stage.root.get("/api/option/");
        return options.find((option) => option.key === key)?.value;
      };
      await typePassword(ROOT_NAME, ROOT_PASSWORD);
      await page.waitForURL("**/token");
      await turnOff("PasswordLoginEnabled");
      await page.getByText(/no super admin has bound another way/).waitFor();
      expect(await isOn("PasswordLoginEnabled")).toBe("true");

      seat("github", { id: 1 });
      await open("/personal");
      await line(boss, "github").getByRole("button", { name: words.personal.bindings.bind, exact: true }).click();
      await line(boss, "github").getByText(words.personal.bindings.boundTo.replace("{{subject}}", "1")).waitFor();
      await turnOff("PasswordLoginEnabled");
      await until(
        () => isOn("PasswordLoginEnabled"),
        (value) => value === "false",
      );
      await turnOff("GitHubOAuthEnabled");
      await page.getByText(/password login is off/).waitFor();
      expect(await isOn("GitHubOAuthEnabled")).toBe("true");

      await somebody.signOut();
      await somebody.typePassword(NAME, PASSWORD);
      await somebody.page.getByRole("alert").waitFor();
      await setOptions(stage.root, { PasswordLoginEnabled: "true", GitHubOAuthEnabled: "false" });
      expect(boss.unexpected()).toEqual([]);
      await boss.close();
    },
    TIMEOUT_MS,
  );
});
