/** Signing in, binding and unbinding with every service, in a real browser, against fakes that check what real ones do. */
import { afterAll, describe, expect } from "bun:test";
import { say } from "../../../src/lib/messages.ts";
import type { ServiceName } from "../../../ui/features/accounts/sign-in/sign-in-services.ts";
import { startSamlIdp } from "../../support/console/saml-idp.ts";
import type { Language } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login, ROOT_NAME, ROOT_PASSWORD, setOptions } from "../../support/e2e/console-client.ts";
import { BOTH_VIEWPORTS, fillPlaceholders, openSharedBrowser, VIEWPORTS } from "../../support/e2e/console-page.ts";
import {
  addUser,
  openVisitor,
  startSignInFixture,
  TIMEOUT_MS,
  type Visitor,
} from "../../support/e2e/sign-in-fixture.ts";
import { until } from "../../support/lib/until.ts";

const PASSWORD = "a traveler's word";
const BOT = "4711:bot-secret";
const PROVIDERS = "/api/identity_provider/";

/** The services that lead to a page of their own and back. */
type Redirecting = Exclude<ServiceName, "wechat">;
/** Somebody with an account here and at each service, and the number at GitHub of the newcomer whom they invite. */
type Traveler = Readonly<{
  name: string;
  newcomerId: number;
  services: Record<Redirecting, readonly [object, string]>;
}>;

/** What each service says of the traveler of each language, and by what it knows them. */
const TRAVELERS = {
  en: {
    name: "traveler",
    newcomerId: 9000,
    services: {
      github: [{ id: 4711, login: "octocat", name: "Octo Cat" }, "4711"],
      oidc: [{ sub: "subject-4711", name: "Oi" }, "subject-4711"],
      linuxdo: [{ id: 4712, username: "lin", name: "Lin", active: true }, "4712"],
      discord: [{ id: "4713", username: "dis", global_name: "Dis" }, "4713"],
      telegram: [{ id: 4714 }, "4714"],
    },
  },
  zh: {
    name: "旅行者",
    newcomerId: 9001,
    services: {
      github: [{ id: 8011, login: "zhangsan", name: "张三" }, "8011"],
      oidc: [{ sub: "subject-8011", name: "张三" }, "subject-8011"],
      linuxdo: [{ id: 8012, username: "zhang", name: "张三", active: true }, "8012"],
      discord: [{ id: "8013", username: "zhangsan", global_name: "张三" }, "8013"],
      telegram: [{ id: 8014 }, "8014"],
    },
  },
} as const satisfies Record<Language, Traveler>;
const REDIRECTING: readonly Redirecting[] = ["github", "oidc", "linuxdo", "discord", "telegram"];
const ALL: readonly ServiceName[] = [...REDIRECTING, "wechat"];

const browser = await openSharedBrowser();
const fixture = await startSignInFixture({ SystemName: "The gate" });
const idp = await startSamlIdp();
afterAll(async () => {
  await fixture.stop();
  await idp.stop();
});
await setOptions(fixture.root, { Organizations: "on" });
const visitors = {
  en: await openVisitor(browser, fixture.url, BOTH_VIEWPORTS),
  zh: await openVisitor(browser, fixture.url, VIEWPORTS.zh),
};
for (const { name } of Object.values(TRAVELERS)) await addUser(fixture.root, name, PASSWORD);

const offered = (visitor: Visitor, service: ServiceName) => visitor.button(visitor.words.identities.services[service]);
const seat = (person: object) => fixture.outside.seat({ ...person }, fixture.url, BOT);
const line = ({ entry, words }: Visitor, service: ServiceName) => entry(words.identities.services[service]);

async function configureAll(): Promise<void> {
  const { outside, root } = fixture;
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
  const { unbind, bind } = words.profile.bindings;
  await line(visitor, service).getByRole("button", { name: unbind, exact: true }).click();
  await dialog.getByRole("button", { name: unbind, exact: true }).click();
  await line(visitor, service).getByRole("button", { name: bind, exact: true }).waitFor();
}

describe("services to sign in with", () => {
  /** What the gateway has printed must open nothing. */
  afterAll(() => {
    for (const secret of [PASSWORD, BOT, "github secret", "oidc secret", "wechat token"]) {
      expect(fixture.gateway.output()).not.toContain(secret);
    }
  });

  test("are offered where they are configured, and nowhere else", async () => {
    for (const visitor of Object.values(visitors)) {
      const { open, words, page } = visitor;
      await open("/login");
      // The site's name comes with what it offers.
      await page.getByText(fillPlaceholders(words.signIn.title, { site: "The gate" })).waitFor();
      for (const service of ALL) expect(await offered(visitor, service).count()).toBe(0);
    }
    await configureAll();
    for (const visitor of Object.values(visitors)) {
      for (const path of ["/login", "/register"]) {
        await visitor.open(path);
        for (const service of ALL) await offered(visitor, service).waitFor();
        await visitor.clean();
      }
    }
  });

  describe.each(["en", "zh"] as const)("in %s", (language) => {
    /** What has no screen of its own is tried in one language. */
    const isEnglish = language === "en";
    const somebody = visitors[language];
    const { name, services, newcomerId } = TRAVELERS[language];

    test.each(isEnglish ? REDIRECTING : REDIRECTING.slice(0, 1))(
      "%s: bound on the personal page, used to sign in, unbound",
      async (service) => {
        const { page, open, words, typePassword, signOut } = somebody;
        const subject = services[service][1];
        if (service === REDIRECTING[0]) {
          await signOut();
          await typePassword(name, PASSWORD);
          await page.waitForURL("**/token");
        }
        seat(services[service][0]);
        await open("/personal");
        await line(somebody, service).getByRole("button", { name: words.profile.bindings.bind, exact: true }).click();
        await page.waitForURL("**/personal");
        await line(somebody, service).getByText(subject).waitFor();

        await signOut();
        await open("/login?returnTo=/personal");
        await offered(somebody, service).click();
        await page.waitForURL("**/personal");
        await page.getByText(name, { exact: true }).first().waitFor();
        await unbind(somebody, service);
        if (service === "oidc") {
          const { form } = fixture.outside.calls.findLast(({ path }) => path === "/oidc/token") ?? { form: {} };
          expect(form).toMatchObject({ client_id: "oidc client", client_secret: "oidc secret" });
        }
      },
      TIMEOUT_MS,
    );

    test.if(isEnglish)(
      "WeChat: a code that its account sends binds and signs in, a guessed one does neither",
      async () => {
        const { page, open, words, field, dialog, signOut } = somebody;
        const enter = async (code: string, action: string) => {
          await field("code").fill(code);
          await dialog.getByRole("button", { name: action, exact: true }).click();
        };
        const { bind } = words.profile.bindings;
        await open("/personal");
        for (const service of ALL)
          await line(somebody, service).getByRole("button", { name: bind, exact: true }).waitFor();
        await somebody.clean();
        await line(somebody, "wechat").getByRole("button", { name: bind, exact: true }).click();
        await dialog.getByRole("button", { name: bind, exact: true }).click();
        await dialog.getByText(words.identities.wechat.missing).waitFor();
        await enter("guess", bind);
        await dialog.getByRole("alert").waitFor();
        await somebody.clean();
        await enter(fixture.outside.codeFor({ wechat: `wx-${language}` }), bind);
        await line(somebody, "wechat").getByText(`wx-${language}`).waitFor();

        await signOut();
        await open("/login?returnTo=/personal");
        await offered(somebody, "wechat").click();
        await page.getByText(words.identities.wechat.hint).waitFor();
        await somebody.clean();
        await enter(fixture.outside.codeFor({ wechat: `wx-${language}` }), words.identities.wechat.signIn);
        await page.waitForURL("**/personal");
        await unbind(somebody, "wechat");
      },
      TIMEOUT_MS,
    );

    test.if(isEnglish)(
      "an answer that another visit asked for is not taken, in the browser or behind it",
      async () => {
        const { page, open, words, signOut } = somebody;
        await signOut();
        await open("/oauth/github?code=planted&state=planted");
        await page.getByText(words.identities.notStarted).waitFor();

        fixture.outside.sayInIdToken({ nonce: "of another visit" });
        seat(services.oidc[0]);
        await open("/login");
        await offered(somebody, "oidc").click();
        await page.waitForURL("**/login");
        await page.getByRole("alert").waitFor();
        fixture.outside.sayInIdToken({ nonce: "" });
      },
      TIMEOUT_MS,
    );

    test.if(isEnglish)(
      "a newcomer joins by GitHub, invited by the link of another visit; a bound account is not found by its name",
      async () => {
        const inviter = await login(fixture.gateway, name, PASSWORD);
        const code = await inviter.get("/api/user/aff");
        const { page, open, signOut } = somebody;
        await signOut();
        await open(`/register?aff=${code}`);
        await page.waitForFunction((expected) => localStorage.getItem("aff") === expected, code);
        await open("/register");
        seat({ id: newcomerId, login: name });
        await offered(somebody, "github").click();
        await page.waitForURL("**/start");
        const joined = await page.evaluate(() => JSON.parse(localStorage.getItem("user") ?? "{}"));
        expect(joined.id).not.toBe(inviter.userId);
        expect(await inviter.get("/api/user/self")).toMatchObject({ aff_count: 1 });
        // The only way in stays.
        const { words, dialog } = somebody;
        await open("/personal");
        const { unbind } = words.profile.bindings;
        await line(somebody, "github").getByRole("button", { name: unbind, exact: true }).click();
        await dialog.getByRole("button", { name: unbind, exact: true }).click();
        await page.getByText(say("last_sign_in", language), { exact: true }).waitFor();
        await line(somebody, "github").getByText(String(newcomerId)).waitFor();
      },
      TIMEOUT_MS,
    );

    test.if(isEnglish)(
      "whoever joined by a service sets a first password, signs in with it, and may unbind the service",
      async () => {
        const { page, open, words, field, button, signOut, typePassword } = somebody;
        const { username } = await page.evaluate(() => JSON.parse(localStorage.getItem("user") ?? "{}"));
        const own = words.profile.password;
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
      "a company's people sign in at its OpenID or SAML provider, and get accounts with its memberships",
      async () => {
        const { root, outside, url } = fixture;
        const { page, open, words, button, signOut } = somebody;
        const [openid, saml] = [`OpenID ${language}`, `SAML ${language}`];
        const common = { icon: "", enabled: true, enforced: false, creates_accounts: true, domains: [], mappings: [] };
        const oidc = { issuer: outside.url, client_id: "oidc client", groups_claim: "groups" };
        await root.post(PROVIDERS, { ...common, type: "oidc", name: openid, secret: "oidc secret", config: oidc });
        const config = { entry_point: idp.entryPoint, idp_issuer: idp.entityId, certificate: idp.certificate };
        const attributes = { email_attribute: "mail", name_attribute: "cn", groups_attribute: "groups" };
        const { id: harbor } = await root.post("/api/organization/", { username: `harbor-${language}` });
        const mappings = [{ group: "engineers", organization_id: harbor, role: "developer" }];
        const { id } = await root.post(PROVIDERS, {
          ...{ ...common, type: "saml", name: saml, secret: "", mappings },
          config: { ...config, ...attributes },
        });
        const metadata = await (await fetch(`${fixture.gateway.url}/saml/sso-${id}/metadata`)).text();
        idp.trust(metadata);
        idp.say({ nameId: `ann-${language}`, attributes: { cn: [`Ann ${language}`], groups: ["engineers"] } });
        // The provider's page posts its response to the gateway by itself, as browsers do it.
        await page.route(`${idp.entryPoint}**`, async (route) => {
          const answer = await (await fetch(route.request().url())).json();
          const fields = Object.entries({ SAMLResponse: answer.response, RelayState: answer.relayState });
          const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join("");
          const form = `<form method="post" action="${url}/saml/sso-${id}/acs">${inputs}</form>`;
          await route.fulfill({ contentType: "text/html", body: `${form}<script>document.forms[0].submit()</script>` });
        });
        seat({ sub: `company-${language}`, name: `Ben ${language}` });
        for (const [provider, person] of [
          [openid, `Ben ${language}`],
          [saml, `Ann ${language}`],
        ] as const) {
          await signOut();
          await open("/login");
          await button(provider).click();
          await page.waitForURL("**/start");
          await open("/personal");
          await page.getByText(person, { exact: true }).first().waitFor();
          await page.getByText(words.profile.bindings.title).first().waitFor();
        }
        const memberships = await page.evaluate(async () => {
          const headers = { "Sluice-User": String(JSON.parse(localStorage.getItem("user") ?? "{}").id) };
          return (await (await fetch("/api/organization/", { headers })).json()).data;
        });
        expect(memberships).toMatchObject([{ id: harbor, role: "developer" }]);
        await page.unroute(`${idp.entryPoint}**`);

        // Whoever has an account already binds the company's provider, and unbinds it.
        await signOut();
        await somebody.typePassword(name, PASSWORD);
        await page.waitForURL("**/token");
        seat({ sub: `bound-${language}`, name: "Anybody" });
        const { bind, bound, unbind } = words.profile.bindings;
        const act = (action: string) => somebody.entry(openid).getByRole("button", { name: action, exact: true });
        await open("/personal");
        await act(bind).click();
        await page.waitForURL("**/personal");
        await somebody.entry(openid).getByText(bound, { exact: true }).waitFor();
        await act(unbind).click();
        await somebody.dialog.getByRole("button", { name: unbind, exact: true }).click();
        await act(bind).waitFor();
        expect(somebody.unexpected()).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test.if(!isEnglish)("is asked on a phone for the code that WeChat's account sends", async () => {
      const { page, open, words, dialog, signOut } = somebody;
      await open("/personal");
      await somebody.clean();
      await signOut();
      await open("/login");
      await offered(somebody, "wechat").click();
      await page.getByText(words.identities.wechat.hint).waitFor();
      await dialog.getByRole("button", { name: words.identities.wechat.signIn, exact: true }).waitFor();
      await somebody.clean();
      expect(somebody.unexpected()).toEqual([]);
    });

    test.if(isEnglish)(
      "the last way to sign in cannot be turned off, whichever comes last",
      async () => {
        const boss = await openVisitor(browser, fixture.url, VIEWPORTS[language]);
        const { page, open, words, button, typePassword } = boss;
        const turnOff = async (key: string) => {
          await open("/setting?tab=system&section=login");
          await page.locator(`[id="setting-${key}"]`).click({ force: true });
          if (key === "PasswordLoginEnabled") await button(words.settings.passwordLogin.action).click();
          await page
            .getByRole("tabpanel")
            .getByRole("button", { name: new RegExp(`^${words.settings.save}`) })
            .click();
        };
        const isOn = async (key: string) => {
          const options: { key: string; value: string }[] = await fixture.root.get("/api/option/");
          return options.find((option) => option.key === key)?.value;
        };
        await typePassword(ROOT_NAME, ROOT_PASSWORD);
        await page.waitForURL("**/detail");
        await turnOff("PasswordLoginEnabled");
        await page.getByText(say("option_password_login_needed", language), { exact: true }).waitFor();
        expect(await isOn("PasswordLoginEnabled")).toBe("true");

        seat({ id: 1 });
        await open("/personal");
        await line(boss, "github").getByRole("button", { name: words.profile.bindings.bind, exact: true }).click();
        await line(boss, "github")
          .getByText(fillPlaceholders(words.profile.bindings.boundTo, { subject: 1 }))
          .waitFor();
        await turnOff("PasswordLoginEnabled");
        await until(
          () => isOn("PasswordLoginEnabled"),
          (value) => value === "false",
        );
        await turnOff("GitHubOAuthEnabled");
        await page.getByText(say("option_last_sign_in_needed", language), { exact: true }).waitFor();
        expect(await isOn("GitHubOAuthEnabled")).toBe("true");

        await somebody.signOut();
        await somebody.typePassword(name, PASSWORD);
        await somebody.page.getByRole("alert").waitFor();
        await setOptions(fixture.root, { PasswordLoginEnabled: "true" });
        await open("/personal");
        await unbind(boss, "github");
        expect(boss.unexpected()).toEqual([]);
        await boss.close();
      },
      TIMEOUT_MS,
    );
  });
});
