import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestOrganization } from "../../../../test/support/console/organizations.ts";
import { startSamlIdp } from "../../../../test/support/console/saml-idp.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { startTestWallet, type TestWallet } from "../../../../test/support/console/wallet.ts";

/** Whoever sends a request chooses its Host header. */
const EVIL = "evil.example";
const SITE = "https://gate.example.com";
const MISSING = "server_address_missing";

type Ask = TestConsole["ask"];
/** Asks under the foreign host, with the headers by which a proxy would name it too. */
const askAs =
  (ask: Ask) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(method, `http://${EVIL}${path}`, body, { host: EVIL, "x-forwarded-host": EVIL, ...headers });

describe("sign-in", () => {
  let app: TestConsole;
  let idp: Awaited<ReturnType<typeof startSamlIdp>>;
  let user: Record<string, string>;
  let name: string;
  beforeAll(async () => {
    [app, idp] = await Promise.all([startTestConsole(), startSamlIdp()]);
    await app.addUser("root", "root");
    await app.addUser("user");
    user = await app.login("user");
    const { body } = await app.ask(
      "POST",
      "/api/identity_provider/",
      {
        ...{ type: "saml", name: "Acme", icon: "", enabled: true, secret: "", enforced: false, creates_accounts: true },
        ...{ domains: ["acme.example"], mappings: [] },
        config: { entry_point: idp.entryPoint, idp_issuer: idp.entityId, certificate: idp.certificate },
      },
      await app.login("root"),
    );
    name = `sso-${(body.data as { id: number }).id}`;
    await app.settings.set("GitHubClientId", "client");
    await app.settings.set("GitHubClientSecret", "secret");
    await app.settings.set("GitHubOAuthEnabled", "true");
    await app.settings.set("TelegramBotName", "bot");
    await app.settings.set("TelegramBotToken", "1:token");
    await app.settings.set("TelegramOAuthEnabled", "true");
  });
  afterAll(async () => {
    await app.close();
    await idp.stop();
  });

  const CALLS: readonly (readonly [string, () => readonly [method: string, path: string, body?: unknown]])[] = [
    ["SAML", () => ["GET", `/api/oauth/${name}/start`]],
    ["GitHub", () => ["GET", "/api/oauth/github/start"]],
    ["a flow that the browser builds", () => ["GET", "/api/oauth/state"]],
    ["Telegram", () => ["GET", "/api/oauth/telegram/start?state=x"]],
    ["a mail to reset a password", () => ["GET", "/api/reset_password?email=user@example.com"]],
    ["a passkey to sign in with", () => ["POST", "/api/user/passkey/login/begin", {}]],
    ["a new passkey", () => ["POST", "/api/user/passkey/register/begin", { password: TEST_PASSWORD }]],
  ];
  test.each(CALLS)("%s is refused without a public address, and built from it", async (_, call) => {
    await app.settings.reset("ServerAddress");
    const [method, path, body] = call();
    const refused = await askAs(app.ask)(method, path, body, user);
    expect([refused.body.success, refused.body.code]).toEqual([false, MISSING]);
    expect(refused.body.message).toContain("Settings → System → Server");
    expect(refused.headers.get("set-cookie")).toBeNull();
    await app.settings.set("ServerAddress", SITE);
    const built = await askAs(app.ask)(method, path, body, user);
    expect(built.body.code).not.toBe(MISSING);
    expect(decodeURIComponent(built.text)).not.toContain(EVIL);
  });

  test("SAML metadata say where to set the address, and name it then", async () => {
    await app.settings.reset("ServerAddress");
    const refused = await askAs(app.ask)("GET", `/saml/${name}/metadata`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Settings → System → Server");
    await app.settings.set("ServerAddress", SITE);
    const { text } = await askAs(app.ask)("GET", `/saml/${name}/metadata`);
    expect(text).toContain(`entityID="${SITE}/saml/${name}/metadata"`);
    expect(text).not.toContain(EVIL);
  });
});

test("links that invite into an organization are built from the public address", async () => {
  const app = await startTestOrganization();
  await app.settings.reset("ServerAddress");
  const { headers } = app.who("alice");
  const invite = () =>
    askAs(app.ask)(
      "POST",
      `/api/organization/${app.id}/invitations`,
      { role: "developer", email: "x@y.example" },
      headers,
    );
  expect((await invite()).body.code).toBe(MISSING);
  expect(app.mails).toEqual([]);
  await app.settings.set("ServerAddress", SITE);
  expect((await invite()).body.success).toBe(true);
  expect(app.mails[0]?.text).toContain(`${SITE}/organization/join`);
  expect(JSON.stringify(app.mails)).not.toContain(EVIL);
  await app.close();
});

describe("payments", () => {
  let app: TestWallet;
  beforeAll(async () => {
    app = await startTestWallet({
      ...{ PayAddress: "https://pay.example", EpayId: "1000", EpayKey: "a key", MinTopUp: "1" },
    });
  });
  afterAll(() => app.close());

  test.each([
    ["POST", "/api/user/pay", { amount: 10, payment_method: "wx" }],
    ["POST", "/api/user/pay", { amount: 10, payment_method: "stripe" }],
    ["POST", "/api/user/pay", { amount: 10, payment_method: "alipay" }],
    ["POST", "/api/user/auto_top_up/card", {}],
    ["POST", "/api/user/subscriptions/checkout", { plan_id: 1 }],
    ["POST", "/api/user/subscriptions/order", { plan_id: 1, method: "zfb" }],
    ["POST", "/api/user/subscriptions/next", { id: 1, method: "zfb" }],
    ["POST", "/api/user/subscriptions/portal", {}],
  ])("%s %s %j leads to no foreign host", async (method, path, body) => {
    await app.settings.reset("ServerAddress");
    const refused = await askAs(app.ask)(method, path, body, app.as.user);
    expect(refused.text).toContain("Settings → System → Server");
    await app.settings.set("ServerAddress", SITE);
    expect((await askAs(app.ask)(method, path, body, app.as.user)).text).not.toContain(EVIL);
  });

  test("the callback and the page of a payment are at the public address", async () => {
    await app.settings.set("ServerAddress", SITE);
    const { body } = await askAs(app.ask)("POST", "/api/user/pay", { amount: 10, payment_method: "wx" }, app.as.user);
    expect(body.data).toMatchObject({
      notify_url: `${SITE}/api/user/epay/notify`,
      return_url: expect.stringContaining(`${SITE}/topup?order=`),
    });
  });
});
