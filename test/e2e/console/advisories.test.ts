/**
 * One test for each class of hole that was published of gateways of this kind (advisories of new-api, one-api, LiteLLM,
 * Portkey, Bifrost), against the whole server as visitors and users reach it.
 */
import { afterAll, describe, expect } from "bun:test";
import { waitForLogs } from "../../support/billing/books.ts";
import { openPage } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createApiKey, createChannel, login, setOptions } from "../../support/e2e/console-client.ts";
import { startConsoleFixture } from "../../support/e2e/console-page.ts";
import { type Session, setOption, startFixture, startGateway } from "../../support/e2e/fixture.ts";

const PASSWORD = "a user's password";
const DOLLAR = 500_000;

/** Keeps to public addresses, as on the internet. */
const { browser, gateway, root } = await startConsoleFixture(() =>
  startGateway({ env: { ALLOW_PRIVATE_UPSTREAMS: "" } }),
);
/** Has an upstream that answers, so that calls can be charged. */
const fixture = await startFixture(["m"]);
afterAll(fixture.stop);

/** Something on the inside that nobody may reach. */
const reached: string[] = [];
const inside = Bun.serve({
  port: 0,
  hostname: "0.0.0.0",
  fetch(request) {
    reached.push(request.url);
    return Response.json({ issuer: "inside" });
  },
});

async function addUser(username: string, at = { gateway, root }): Promise<Session> {
  await at.root.post("/api/user/", { username, password: PASSWORD, display_name: username });
  return login(at.gateway, username, PASSWORD);
}

/** Somebody with a dollar and a key, where calls are answered. */
async function addCaller(username: string): Promise<{ caller: Session; key: string }> {
  const caller = await addUser(username, fixture);
  await fixture.root.put("/api/user/", { id: caller.userId, username, quota: DOLLAR });
  return { caller, key: (await createApiKey(caller)).key };
}

const call = (key: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${fixture.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
    signal: AbortSignal.timeout(60_000),
  });

const ann = await addUser("ann");
const bob = await addUser("bob");
afterAll(() => inside.stop(true));

const text = async (session: Session, method: string, path: string, body?: object) =>
  (await session.send(method, path, body)).text();

const LOCAL_NAMES = [
  "127.0.0.1",
  "0.0.0.0",
  "localhost",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "2130706433",
  "0x7f.1",
  "127.1",
];

describe("advisories", () => {
  test("overflowing charges: no number in a call raises a balance or passes for nothing", async () => {
    const { caller, key } = await addCaller("eve");
    const balance = async () => Number((await caller.get("/api/user/self")).quota);
    const messages = JSON.stringify([{ role: "user", content: "hi" }]);
    const numbers = [2 ** 31, 2 ** 53, 1e300, -1, -(2 ** 63), 9_223_372_036_854_775_807n.toString()];
    let answered = 0;
    for (const field of ["max_tokens", "max_completion_tokens", "n"]) {
      for (const value of numbers) {
        const reply = await call(key, `{"model":"m","messages":${messages},"${field}":${value}}`);
        await reply.text();
        if (reply.status === 200) answered += 1;
        expect(await balance()).toBeLessThanOrEqual(DOLLAR);
      }
    }
    // The same caller is served when the numbers are sound; whatever was answered is paid for.
    expect((await call(key, `{"model":"m","messages":${messages},"max_tokens":5}`)).status).toBe(200);
    const charged = await waitForLogs(fixture.root, ({ user_id }) => user_id === caller.userId, answered + 1);
    expect(charged).toHaveLength(answered + 1);
    for (const { quota } of charged) expect(quota).toBeGreaterThan(0);
    expect(await balance()).toBe(DOLLAR - charged.reduce((sum, { quota }) => sum + quota, 0));
  }, 120_000);

  test("overflowing charges: an administrator's numbers stay within what is counted exactly", async () => {
    for (const quota of [2 ** 60, 1e300, -(2 ** 60)]) {
      const reply = await root.send("PUT", "/api/user/", { id: ann.userId, username: "ann", quota });
      const { success } = (await reply.json()) as { success: boolean };
      expect(success).toBe(false);
    }
    const { quota } = await root.get(`/api/user/${ann.userId}`);
    expect(Number.isSafeInteger(quota)).toBe(true);
  });

  test("leaked access tokens: no list, record or log shows what opens an account", async () => {
    const token = await root.get("/api/user/token");
    expect(String(token).length).toBeGreaterThan(20);
    for (const path of [
      "/api/user/?p=1",
      "/api/user/search?keyword=root",
      `/api/user/${root.userId}`,
      "/api/user/self",
      "/api/log/?p=1",
      "/api/option/",
      "/api/status",
    ]) {
      const answer = await text(root, "GET", path);
      expect(answer).not.toContain(String(token));
      expect(answer).not.toMatch(/argon2|password_hash|"password":"[^"]/);
    }
  });

  test("SSRF by notification: addresses inside are refused, however they are written", async () => {
    for (const name of LOCAL_NAMES) {
      const webhook = `https://${name}:${inside.port}/hook`;
      await ann.send("PUT", "/api/user/setting", {
        notify_type: "webhook",
        webhook_url: webhook,
        quota_warning_threshold: 1,
      });
      // Nobody listens with TLS there, so the answer has to say that nothing was tried.
      const answer = await text(ann, "POST", "/api/user/setting/test", {});
      expect(answer).toContain("notify_address_refused");
    }
    expect(reached).toEqual([]);
  }, 120_000);

  test("SSRF by discovery and by channel: addresses inside are refused", async () => {
    for (const name of LOCAL_NAMES) {
      const address = `http://${name}:${inside.port}`;
      const wellKnown = { well_known: `${address}/.well-known/openid-configuration` };
      expect(await text(root, "POST", "/api/option/oidc_discovery", wellKnown)).toContain("private, loopback");
      const models = { type: 1, key: "k", base_url: address };
      expect(await text(root, "POST", "/api/channel/fetch_models", models)).toContain("private, loopback");
    }
    expect(reached).toEqual([]);
  }, 120_000);

  test("SSRF by signing in and by mail: what a super admin typed in is not asked inside either", async () => {
    for (const name of LOCAL_NAMES) {
      const address = `http://${name}:${inside.port}`;
      const options = {
        "oidc.client_id": "client",
        "oidc.well_known": `${address}/.well-known/openid-configuration`,
        "oidc.enabled": "true",
        WeChatServerAddress: address,
        WeChatAuthEnabled: "true",
        SMTPServer: name.replace(/[[\]]/g, ""),
        SMTPPort: String(inside.port),
        SMTPFrom: "gate@example.com",
      };
      await setOptions(root, options);
      for (const [path, code] of [
        ["/api/oauth/oidc/start", "oauth_unreachable"],
        ["/api/oauth/wechat?code=x", "oauth_unreachable"],
        [`/api/verification?email=${Bun.randomUUIDv7().slice(-12)}@example.com`, "mail_failed"],
      ] as const) {
        const answer = await fetch(gateway.url + path);
        expect(await answer.json()).toMatchObject({ success: false, code });
      }
    }
    expect(reached).toEqual([]);
    for (const key of ["oidc.enabled", "WeChatAuthEnabled"]) await setOption(root, key, "false");
    await setOption(root, "SMTPServer", "");
  }, 120_000);

  test("SSRF by image: an address inside that a call names is not fetched for an upstream that wants bytes", async () => {
    await createChannel(root, "https://upstream.example", ["sees"], { type: 24 });
    await setOption(root, "ModelRatio", { sees: 1 });
    await root.put("/api/user/", { id: root.userId, username: "root", quota: DOLLAR });
    const { key } = await createApiKey(root);
    for (const name of LOCAL_NAMES) {
      const image = { type: "image_url", image_url: { url: `http://${name}:${inside.port}/picture.png` } };
      const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "sees", messages: [{ role: "user", content: [image] }] }),
      });
      expect({ name, status: reply.status }).toEqual({ name, status: 400 });
      expect(await reply.text()).toContain("Couldn't fetch");
    }
    expect(reached).toEqual([]);
  }, 120_000);

  test("SSRF by redirect: an address outside that sends one inside is in safe-fetch.test.ts; here, no address of a caller's is taken for an upstream", async () => {
    const { key } = await addCaller("mia");
    const address = `http://127.0.0.1:${inside.port}`;
    const body = { model: "m", messages: [{ role: "user", content: "hi" }], api_base: address, base_url: address };
    fixture.upstream.requests.length = 0;
    const reply = await call(key, JSON.stringify(body), { "x-portkey-custom-host": address, "x-base-url": address });
    expect(reply.status).toBe(200);
    expect(fixture.upstream.requests).toHaveLength(1);
    expect(reached).toEqual([]);
  }, 120_000);

  test("stored XSS: scripts in the home page, in notices and about do not run", async () => {
    const evil = [
      '<img src="data:image/png;base64,none" onerror="window.hit=1">',
      "<script>window.hit=2</script>",
      '<svg onload="window.hit=3"></svg>',
      '<a id="evil" href="javascript:window.hit=4">x</a>',
      "[y](javascript:window.hit=5)",
      '<iframe srcdoc="<script>parent.hit=6</script>"></iframe>',
      '<a href="data:text/html,<script>1</script>">z</a><form action="javascript:window.hit=7"></form>',
      "plain words",
    ].join("\n\n");
    for (const key of ["HomePageContent", "About", "Notice", "Footer"]) await setOption(root, key, evil);
    const { page } = await openPage(browser, { language: "en" });
    for (const path of ["/", "/about"]) {
      await page.goto(gateway.url + path);
      await page.getByText("plain words").first().waitFor();
      for (const link of await page.locator("main a, footer a").all()) {
        expect((await link.getAttribute("href")) ?? "").not.toMatch(/^\s*(javascript|data):/i);
      }
      expect(await page.locator("main form, main script, main iframe, main [onerror], main [onload]").count()).toBe(0);
      expect(await page.evaluate("window.hit")).toBeUndefined();
    }
    await page.context().close();
    for (const key of ["HomePageContent", "About", "Notice", "Footer"]) await setOption(root, key, "");
  }, 120_000);

  test("LIKE wildcards: a percent sign finds a percent sign, and long patterns do not hold the database", async () => {
    await createApiKey(ann, { name: "plain name" });
    for (const wild of ["%", "_", "%%%%%%%%%%", "\\"]) {
      const found = await ann.get(`/api/token/search?keyword=${encodeURIComponent(wild)}`);
      expect((found.items ?? found).length).toBe(0);
      const users = await root.get(`/api/user/search?keyword=${encodeURIComponent(wild)}`);
      expect((users.items ?? users).length).toBe(0);
    }
    await ann.send("GET", `/api/token/search?keyword=${encodeURIComponent("%a".repeat(2000))}`);
  }, 60_000);

  test("object access by id: what is somebody else's is not there", async () => {
    const { id, key } = await createApiKey(ann, { name: "ann's", remain_quota: DOLLAR, unlimited_quota: false });
    const bare = key.replace(/^sk-/, "");
    const [session] = await ann.get("/api/user/sessions");
    for (const [method, path, body] of [
      ["GET", `/api/token/${id}`],
      ["PUT", "/api/token/", { id, name: "taken", remain_quota: 1, unlimited_quota: true, expired_time: -1 }],
      ["DELETE", `/api/token/${id}`],
      ["GET", `/api/user/${ann.userId}`],
      ["PUT", "/api/user/", { id: ann.userId, username: "ann", quota: 1 }],
      ["DELETE", `/api/user/${ann.userId}`],
      ["GET", `/api/log/?username=ann`],
      ["DELETE", `/api/user/sessions/${session.id}`],
    ] as const) {
      const reply = await bob.send(method, path, body);
      const answer = await reply.text();
      expect(answer).not.toContain(bare);
      expect(reply.status >= 400 || !answer.includes('"success":true')).toBe(true);
    }
    expect(await ann.get(`/api/token/${id}`)).toMatchObject({ name: "ann's" });
    const own = await bob.get("/api/log/self?username=ann&token_name=ann%27s");
    expect((own.items ?? own).length).toBe(0);
  });

  test("raising one's own role: fields that decide over rights and money are not taken from their owner", async () => {
    await bob.send("PUT", "/api/user/self", {
      username: "bob",
      display_name: "Bob",
      password: "",
      role: 100,
      quota: 10 ** 12,
      group: "vip",
      status: 1,
    });
    expect(await root.get(`/api/user/${bob.userId}`)).toMatchObject({ role: 1, group: "default" });
    expect((await bob.get("/api/user/self")).quota).toBeLessThan(10 ** 12);
    const promoted = await bob.send("POST", "/api/user/manage", { id: bob.userId, action: "promote" });
    expect(await promoted.json()).toMatchObject({ success: false });
  });

  test("acting on a higher role: an administrator changes nothing of the super administrator's", async () => {
    const admin = await addUser("deputy");
    await root.post("/api/user/manage", { id: admin.userId, action: "promote" });
    const deputy = await login(gateway, "deputy", PASSWORD);
    const before = await root.get("/api/user/self");
    const { userId: id } = root;
    for (const [method, path, body] of [
      ["DELETE", `/api/user/${id}/second_factor`],
      ["PUT", "/api/user/", { id, username: before.username, password: "another password", quota: 1 }],
      ["POST", "/api/user/manage", { id, action: "demote" }],
      ["POST", "/api/user/manage", { id, action: "disable" }],
      ["POST", "/api/user/manage", { id: admin.userId, action: "promote" }],
      ["DELETE", `/api/user/${id}`],
    ] as const) {
      const answer = await deputy.send(method, path, body);
      expect([method, path, await answer.json()]).toMatchObject([method, path, { success: false }]);
    }
    expect(await root.get("/api/user/self")).toMatchObject({ role: before.role, status: 1, quota: before.quota });
    expect(await root.get(`/api/user/${admin.userId}`)).toMatchObject({ role: 10 });
  });

  test("cache keys shorter than a secret: what differs from one in use by its end alone opens nothing", async () => {
    const { caller, key } = await addCaller("cached");
    const token = String(await caller.get("/api/user/token"));
    const ask = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
    const self = (headers: Record<string, string>) =>
      fetch(`${fixture.gateway.url}/api/user/self`, { headers: { ...headers, "sluice-user": String(caller.userId) } });
    const other = (secret: string) => secret.slice(0, -1) + (secret.endsWith("a") ? "b" : "a");
    const [, name = "", value = ""] = /([^;=\s]*session)=([\w-]{43})/.exec(caller.cookie) ?? [];
    expect(value).not.toBe("");
    for (let round = 0; round < 2; round += 1) {
      expect((await call(key, ask)).status).toBe(200);
      expect((await self({ authorization: `Bearer ${token}` })).status).toBe(200);
      expect((await self({ cookie: caller.cookie })).status).toBe(200);
      for (const wrong of [other(key), `${key}a`, key.slice(0, -1)]) expect((await call(wrong, ask)).status).toBe(401);
      for (const wrong of [other(token), `${token}a`, token.slice(0, -1)])
        expect((await self({ authorization: `Bearer ${wrong}` })).status).toBe(401);
      for (const wrong of [other(value), `${value}a`, value.slice(0, -1)])
        expect((await self({ cookie: `${name}=${wrong}` })).status).toBe(401);
    }
  });

  test("empty webhook secrets: a payment notice without a secret to check it by credits nobody", async () => {
    const before = (await ann.get("/api/user/self")).quota;
    const body = JSON.stringify({ type: "checkout.session.completed", data: { object: { client_reference_id: "x" } } });
    const seconds = Math.floor(Date.now() / 1000);
    const signature = new Bun.CryptoHasher("sha256", "").update(`${seconds}.${body}`).digest("hex");
    const stripe = await fetch(`${gateway.url}/api/stripe/webhook`, {
      method: "POST",
      headers: { "stripe-signature": `t=${seconds},v1=${signature}`, "content-type": "application/json" },
      body,
    });
    expect(stripe.status).toBeGreaterThanOrEqual(400);
    const sign = new Bun.CryptoHasher("md5").update("money=10&out_trade_no=x&trade_status=TRADE_SUCCESS").digest("hex");
    const notice = new URLSearchParams({ money: "10", out_trade_no: "x", trade_status: "TRADE_SUCCESS", sign });
    const easyPay = await fetch(`${gateway.url}/api/user/epay/notify?${notice}`);
    expect((await easyPay.text()).trim()).not.toBe("success");
    expect((await ann.get("/api/user/self")).quota).toBe(before);
  });

  test("oversized webhook bodies: what no payment service sends is not read to its end", async () => {
    const reply = await fetch(`${gateway.url}/api/stripe/webhook`, {
      method: "POST",
      headers: { "stripe-signature": "t=1,v1=00", "content-type": "application/json" },
      body: "x".repeat(40_000_000),
    }).catch(() => null);
    expect([413, 0]).toContain(reply?.status ?? 0);
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  }, 120_000);

  test("CSRF: a page elsewhere cannot act with the browser's cookie, by GET binding or otherwise", async () => {
    const cookie = ann.cookie;
    const email = (await ann.get("/api/user/self")).email;
    const github = { GitHubClientId: "client", GitHubClientSecret: "secret", GitHubOAuthEnabled: "true" };
    await setOptions(root, github);
    for (const [method, path] of [
      ["GET", "/api/oauth/email/bind?email=evil%40example.com&code=000000"],
      ["GET", "/api/oauth/github?code=x&state=y"],
      ["GET", "/api/oauth/wechat/bind?code=x"],
      ["GET", "/api/user/token"],
    ] as const) {
      const reply = await fetch(gateway.url + path, { method, headers: { cookie, "sec-fetch-site": "cross-site" } });
      const answer = await reply.text();
      expect(answer).not.toContain('"success":true');
    }
    const posted = await fetch(`${gateway.url}/api/user/self`, {
      method: "PUT",
      headers: {
        cookie,
        "content-type": "application/json",
        origin: "https://evil.example",
        "sluice-user": String(ann.userId),
      },
      body: JSON.stringify({ username: "ann", display_name: "owned", password: "" }),
    });
    expect(posted.status).toBe(403);
    expect(await ann.get("/api/user/self")).toMatchObject({ email, display_name: "ann" });
  });

  test("the Host header and addresses of forwarders open nothing", async () => {
    for (const headers of [
      { host: "localhost" },
      { host: "127.0.0.1" },
      { "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1" },
      { "x-original-url": "/api/status", "x-rewrite-url": "/api/status" },
    ] as Record<string, string>[]) {
      const reply = await fetch(`${gateway.url}/api/option/`, { headers });
      expect(reply.status).toBe(401);
    }
  });

  test("headers: answers are what they say they are, and https stays https", async () => {
    for (const [path, type] of [
      ["/", "text/html;charset=utf-8"],
      ["/api/status", "application/json"],
      ["/api/nowhere", "application/json"],
    ] as const) {
      const plain = await fetch(gateway.url + path, { redirect: "manual" });
      expect(plain.headers.get("content-type")?.toLowerCase().replace("; ", ";")).toStartWith(type);
      // Nothing redirects to https: a client that sends its key in clear gets to know.
      expect([path, plain.status >= 300 && plain.status < 400]).toEqual([path, false]);
      expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
      expect(plain.headers.get("strict-transport-security")).toBeNull();
      // Sent by somebody who is no trusted proxy, it means nothing.
      const claimed = await fetch(gateway.url + path, { headers: { "x-forwarded-proto": "https" } });
      expect(claimed.headers.get("strict-transport-security")).toBeNull();
    }
    const behindProxy = await startGateway({ env: { TRUSTED_PROXIES: "127.0.0.1" } });
    const answer = await fetch(behindProxy.url, { headers: { "x-forwarded-proto": "https" } });
    expect(answer.headers.get("strict-transport-security")).toContain("max-age=");
    await behindProxy.stop();
  }, 120_000);

  test("acts that nobody owns up to: the log says who, when, from where and in which request", async () => {
    const before = Math.floor(Date.now() / 1000);
    const headers = { cookie: root.cookie, "sluice-user": String(root.userId), "content-type": "application/json" };
    const body = JSON.stringify({ username: "recorded", password: PASSWORD, display_name: "r" });
    const options = { method: "POST", headers: { ...headers, "x-request-id": "act-4711" }, body };
    expect((await fetch(`${gateway.url}/api/user/`, options)).status).toBe(200);
    const { items } = await root.get("/api/log/?type=3&p=1&page_size=1");
    expect(items[0]).toMatchObject({ username: "root", ip: "127.0.0.1" });
    expect(items[0].content).toContain("recorded");
    expect(items[0].created_at).toBeGreaterThanOrEqual(before);
    expect(JSON.parse(items[0].other).request_id).toBe("act-4711");
  });

  test("injection: quotes and templates in every kind of field are only text", async () => {
    const nasty = `'; drop table users; --"\`\${7*7}{{7*7}}<%= 7*7 %>`;
    const { id } = await createApiKey(ann, { name: "q" });
    await ann.send("PUT", "/api/token/", { id, name: nasty.slice(0, 30), unlimited_quota: true, expired_time: -1 });
    for (const path of [
      `/api/log/self?model_name=${encodeURIComponent(nasty)}`,
      `/api/token/search?keyword=${encodeURIComponent(nasty)}`,
    ]) {
      expect((await ann.send("GET", path)).status).toBeLessThan(500);
    }
    const key = `Bearer sk-${nasty.replaceAll(/[^\x20-\x7e]/g, "")}`;
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization: key } })).status).toBe(401);
    expect(await root.get(`/api/user/${root.userId}`)).toMatchObject({ username: "root" });
  });
});
