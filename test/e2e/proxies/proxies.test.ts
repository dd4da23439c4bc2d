/** The files that the documentation has for proxies, run: Debian's nginx and HAProxy with TLS on another port. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { request as httpsRequest } from "node:https";
import { waitForLogs } from "../../support/billing/books.ts";
import { startFakeSignInServices } from "../../support/console/services/sign-in.ts";
import { DOCUMENTED_PROXIES, type DocumentedProxy, startDocumentedProxy } from "../../support/docs/proxy-files.ts";
import { WORDS } from "../../support/e2e/browser.ts";
import { keepOnFailure, test } from "../../support/e2e/browser-test.ts";
import { ROOT_NAME, ROOT_PASSWORD, setOptions } from "../../support/e2e/console-client.ts";
import { openSharedBrowser, PAGE_TIMEOUT_MS } from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, type Fixture, startFixture } from "../../support/e2e/fixture.ts";

const browser = await openSharedBrowser();
const INSECURE = { tls: { rejectUnauthorized: false } } as const;
const TIMEOUT_MS = 120_000;
let outside: Awaited<ReturnType<typeof startFakeSignInServices>>;
let fixture: Fixture;

beforeAll(async () => {
  outside = await startFakeSignInServices();
  fixture = await startFixture(["hold-after-1", "gpt-4o-mini"], {
    engine: CHEAPEST_ENGINE,
    env: { TRUSTED_PROXIES: "127.0.0.1", DISCORD_BASE_URL: outside.url },
  });
}, TIMEOUT_MS);
afterAll(async () => {
  await fixture.stop();
  await outside.stop();
});

describe.each(DOCUMENTED_PROXIES)("%s", (kind) => {
  let proxy: DocumentedProxy;
  beforeAll(async () => {
    proxy = await startDocumentedProxy(kind, fixture.gateway.url);
    await setOptions(fixture.root, {
      ServerAddress: proxy.url,
      ...{ DiscordClientId: "id", DiscordClientSecret: "secret", DiscordOAuthEnabled: "true" },
    });
  }, TIMEOUT_MS);
  afterAll(() => proxy?.stop());

  const call = (body: object, init: RequestInit = {}) =>
    fetch(`${proxy.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.key}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }),
      ...init,
      ...INSECURE,
    });

  async function openPage() {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en-US" });
    const page = await context.newPage();
    await keepOnFailure(context, page);
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    return { context, page };
  }

  test("leads from plain HTTP to TLS", async () => {
    const { status, headers } = await fetch(`${proxy.plainUrl}/login`, { redirect: "manual" });
    expect([301, 302]).toContain(status);
    expect(headers.get("location")).toMatch(/^https:\/\/localhost(:\d+)?\/login$/);
  });

  test(
    "passes on what a browser's sign-in needs, and cookies are secure",
    async () => {
      const { context, page } = await openPage();
      await page.goto(`${proxy.url}/login`);
      await page.locator('input[name="username"]').fill(ROOT_NAME);
      await page.locator('input[name="password"]').fill(ROOT_PASSWORD);
      await page.getByRole("button", { name: WORDS.en.signIn.submit, exact: true }).click();
      await page.waitForURL(`${proxy.url}/detail`);
      const session = (await context.cookies()).find(({ name }) => name.includes("session"));
      expect(session).toMatchObject({ name: "__Host-session", secure: true, path: "/" });
      await context.close();
    },
    TIMEOUT_MS,
  );

  test(
    "passes on the port of the address, by which browsers without Sec-Fetch-Site are known",
    async () => {
      const enter = (origin: string) =>
        fetch(`${proxy.url}/api/user/login`, {
          method: "POST",
          headers: { origin, "content-type": "application/json", "x-forwarded-host": "evil.example" },
          body: JSON.stringify({ username: ROOT_NAME, password: ROOT_PASSWORD }),
          ...INSECURE,
        });
      // Without the public address, by which this would pass too.
      await setOptions(fixture.root, { ServerAddress: "" });
      expect((await enter(proxy.url)).status).toBe(200);
      expect((await enter("https://evil.example")).status).toBe(403);
      await setOptions(fixture.root, { ServerAddress: proxy.url });
    },
    TIMEOUT_MS,
  );

  test(
    "returns from a sign-in service",
    async () => {
      outside.seat({ id: `${kind}-7`, username: kind.toLowerCase() }, proxy.url);
      const { context, page } = await openPage();
      await page.goto(`${proxy.url}/login`);
      const elsewhere = page.waitForRequest((request) => request.url().startsWith(outside.url));
      await page.getByRole("button", { name: /Discord/ }).click();
      const { searchParams } = new URL((await elsewhere).url());
      expect(searchParams.get("redirect_uri")).toBe(`${proxy.url}/oauth/discord`);
      await page.waitForURL(`${proxy.url}/start`);
      await context.close();
    },
    TIMEOUT_MS,
  );

  test(
    "streams events as they come",
    async () => {
      const response = await call({ model: "hold-after-1", stream: true });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      // The upstream sends the rest only after this has arrived.
      let text = "";
      while (!text.includes("data: ")) text += (await reader?.read())?.value ?? "";
      expect(text).not.toContain("[DONE]");
      fixture.upstream.release();
      for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) text += step.value;
      expect(text).toContain("[DONE]");
    },
    TIMEOUT_MS,
  );

  test(
    "carries a WebSocket",
    async () => {
      // The types of browsers, which this project has, know no options.
      const options = { headers: { authorization: `Bearer ${fixture.key}` }, tls: { rejectUnauthorized: false } };
      const socket: WebSocket = Reflect.construct(WebSocket, [
        `${proxy.url.replace("https", "wss")}/v1/responses`,
        options,
      ]);
      const done = Promise.withResolvers<void>();
      const types: string[] = [];
      socket.onerror = () => done.reject(new Error("the socket failed"));
      socket.onopen = () => socket.send(JSON.stringify({ type: "response.create", model: "gpt-4o-mini", input: "Hi" }));
      socket.onmessage = ({ data }) => {
        const { type } = JSON.parse(String(data)) as { type: string };
        types.push(type);
        if (type === "response.completed" || type === "error") done.resolve();
      };
      await done.promise;
      expect(types).toContain("response.completed");
      socket.close();
    },
    TIMEOUT_MS,
  );

  test(
    "names the client's own address, whatever the client writes",
    async () => {
      const sent = Promise.withResolvers<number>();
      // Another address of this machine for each proxy.
      const localAddress = `127.0.0.${2 + DOCUMENTED_PROXIES.indexOf(kind)}`;
      const options = {
        method: "POST",
        localAddress,
        rejectUnauthorized: false,
        headers: {
          authorization: `Bearer ${fixture.key}`,
          "content-type": "application/json",
          "x-forwarded-for": "203.0.113.9",
        },
      };
      const target = `${proxy.url.replace("localhost", "127.0.0.1")}/v1/chat/completions`;
      const outgoing = httpsRequest(target, options, (response) => {
        response.resume();
        response.on("end", () => sent.resolve(response.statusCode ?? 0));
      });
      outgoing.on("error", sent.reject);
      outgoing.end(JSON.stringify({ model: "gpt-4o-mini", user: kind, messages: [{ role: "user", content: "Hi" }] }));
      expect(await sent.promise).toBe(200);
      const rows = await waitForLogs(fixture.root, (row) => "ip" in row && row.ip === localAddress);
      expect(rows).toHaveLength(1);
    },
    TIMEOUT_MS,
  );
});
