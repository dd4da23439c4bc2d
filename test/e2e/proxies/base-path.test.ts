/** The console, the API and the documentation below a path, by a proxy that passes the path on and by one that cuts it off. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { discoverOAuthServerInfo } from "@modelcontextprotocol/sdk/client/auth.js";
import type { Page } from "playwright";
import { startFakeSignInServices } from "../../support/console/services/sign-in.ts";
import { openPage, WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import {
  createApiKey,
  createChannel,
  login,
  ROOT_NAME,
  ROOT_PASSWORD,
  setOptions,
} from "../../support/e2e/console-client.ts";
import { openSharedBrowser, PAGE_TIMEOUT_MS } from "../../support/e2e/console-page.ts";
import { type FakeUpstream, type Gateway, startFakeUpstream, startGateway } from "../../support/e2e/fixture.ts";

const BASE = "/sluice";
const words = WORDS.en;
const browser = await openSharedBrowser();
let upstream: FakeUpstream;
let outside: Awaited<ReturnType<typeof startFakeSignInServices>>;
let gateway: Gateway;
/** Passes the path on, and serves something else next to it. */
let passing: ReturnType<typeof startProxy>;
/** Cuts the path off. */
let cutting: ReturnType<typeof startProxy>;

function startProxy(cutsOff: boolean) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith(BASE)) return new Response("another site", { status: 404 });
      const path = cutsOff ? pathname.slice(BASE.length) || "/" : pathname;
      return fetch(gateway.url + path + search, {
        ...{ method: request.method, headers: request.headers, redirect: "manual", decompress: false },
        ...(request.body && { body: await request.arrayBuffer() }),
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}${BASE}`, stop: () => server.stop(true) };
}

beforeAll(async () => {
  upstream = startFakeUpstream();
  outside = await startFakeSignInServices();
  gateway = await startGateway({
    env: { BASE_PATH: BASE, DISCORD_BASE_URL: outside.url },
  });
  [passing, cutting] = [startProxy(false), startProxy(true)];
}, 90_000);
afterAll(async () => {
  await Promise.all([passing.stop(), cutting.stop(), outside.stop(), upstream.stop()]);
  await gateway.stop();
});

/** A page, and the paths that it asked the proxy for outside of the base path. */
async function openVisitor() {
  const { page, complaints } = await openPage(browser, { language: "en" });
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const strays: string[] = [];
  page.on("request", (request) => {
    const { host, pathname } = new URL(request.url());
    if (
      request.url().startsWith("http") &&
      host !== new URL(outside.url).host &&
      !`${pathname}/`.startsWith(`${BASE}/`)
    )
      strays.push(request.url());
  });
  return { page, complaints, strays, close: () => page.context().close() };
}

const pathOf = (page: Page) => new URL(page.url()).pathname;

describe("a journey below a path", () => {
  test("from set-up to an answer, and back in", async () => {
    const { page, complaints, strays, close } = await openVisitor();
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await page.goto(passing.url);
    await page.getByLabel(words.setup.username).fill(ROOT_NAME);
    await page.getByLabel(words.setup.password, { exact: true }).fill(ROOT_PASSWORD);
    await page.getByLabel(words.setup.confirm, { exact: true }).fill(ROOT_PASSWORD);
    // The browser's own address is proposed, and stored.
    expect(await page.getByLabel(words.setup.address, { exact: true }).inputValue()).toBe(passing.url);
    await button(words.setup.submit).click();
    await page.waitForURL(`${passing.url}/start`);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, path }) => [name, path]).sort()).toEqual([
      ["device-1", BASE],
      ["session", BASE],
    ]);

    const root = await login({ url: passing.url }, ROOT_NAME, ROOT_PASSWORD);
    await createChannel(root, upstream.url, ["gpt-4o-mini"]);
    await page.getByRole("link", { name: words.shell.playground, exact: true }).click();
    await page.getByLabel(words.playground.ask).fill("What is a sluice?");
    await button(words.playground.send).click();
    await page.locator("article").getByText("sluice is a gate").waitFor();
    expect(pathOf(page)).toBe(`${BASE}/playground`);

    // A page of its own address, then an expired session, which leads back to it after signing in.
    await page.goto(`${passing.url}/log`);
    await page.getByText("gpt-4o-mini").first().waitFor();
    await page.context().clearCookies();
    await page.reload();
    await page.waitForURL(`${passing.url}/login?**`);
    await page.locator('input[name="username"]').fill(ROOT_NAME);
    await page.locator('input[name="password"]').fill(ROOT_PASSWORD);
    await button(words.signIn.submit).click();
    await page.waitForURL((url) => url.pathname === `${BASE}/log`);
    await page.getByText("gpt-4o-mini").first().waitFor();

    expect(strays).toEqual([]);
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    await close();
  }, 180_000);

  test.each(["passing", "cutting"])(
    "signing in elsewhere returns below the path, by a proxy that is %s it",
    async (kind) => {
      const site = kind === "passing" ? passing : cutting;
      const root = await login({ url: site.url }, ROOT_NAME, ROOT_PASSWORD);
      const settings = { DiscordClientId: "id", DiscordClientSecret: "secret", DiscordOAuthEnabled: "true" };
      await setOptions(root, { ServerAddress: new URL(site.url).origin, ...settings });
      expect((await root.get("/api/status")).server_address).toBe(site.url);
      outside.seat({ id: "7", username: "ada" }, site.url);
      const { page, strays, close } = await openVisitor();
      await page.goto(`${site.url}/login`);
      const elsewhere = page.waitForRequest((request) => request.url().startsWith(outside.url));
      await page.getByRole("button", { name: /Discord/ }).click();
      expect(new URL((await elsewhere).url()).searchParams.get("redirect_uri")).toBe(`${site.url}/oauth/discord`);
      await page.waitForURL((url) => url.pathname === `${BASE}/start`);
      expect(strays).toEqual([]);
      await close();
    },
    120_000,
  );

  test("the documentation, its search and its links stay below the path", async () => {
    const { page, complaints, strays, close } = await openVisitor();
    await page.goto(`${passing.url}/docs`);
    await page.getByRole("link", { name: "Getting started", exact: true }).first().click();
    await page.waitForURL(`${passing.url}/docs/guide/getting-started`);
    await page.getByRole("heading", { name: "Getting started", level: 1 }).waitFor();
    // Examples are copied as they run here.
    await page
      .locator("code", { hasText: `curl ${passing.url}/v1/chat/completions` })
      .first()
      .waitFor();
    await page.goto(`${passing.url}/docs/guide/pricing`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect([strays, complaints]).toEqual([[], []]);
    await close();
  }, 90_000);
});

test("calls, probes and files answer below the path and at the root", async () => {
  const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
  const { key } = await createApiKey(root);
  for (const site of [gateway.url, gateway.url + BASE, passing.url, cutting.url]) {
    for (const path of ["/v1/chat/completions", "/api/v1/chat/completions", "/chat/completions"]) {
      const answer = await fetch(site + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] }),
      });
      expect([site + path, answer.status]).toEqual([site + path, 200]);
    }
    expect((await fetch(`${site}/nothing`, { headers: { accept: "text/html" } })).status).toBe(404);
    for (const path of [
      "/healthz",
      "/readyz",
      "/metrics",
      "/openapi.json",
      "/manifest.webmanifest",
      "/icon.svg",
      "/docs/",
    ]) {
      expect([site + path, (await fetch(site + path)).status]).toEqual([site + path, 200]);
    }
  }
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}${BASE}/openai/v1/responses`, [
    "realtime",
    `openai-insecure-api-key.${key}`,
  ]);
  const last = Promise.withResolvers<string>();
  socket.onerror = () => last.reject(new Error("the socket failed"));
  socket.onopen = () => socket.send(JSON.stringify({ type: "response.create", model: "gpt-4o-mini", input: "Hi" }));
  socket.onmessage = ({ data }) => {
    if (/"type":"(response\.completed|error)"/.test(String(data))) last.resolve(String(data));
  };
  expect(await last.promise).toContain('"type":"response.completed"');
  socket.close();
  const manifest = await fetch(`${passing.url}/manifest.webmanifest`);
  expect(await manifest.json()).toMatchObject({ start_url: `${BASE}/detail`, scope: `${BASE}/` });
}, 60_000);

test("clients of MCP find the authorization server below the path", async () => {
  const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
  for (const site of [passing.url, cutting.url, `${gateway.url}${BASE}`]) {
    await setOptions(root, { ServerAddress: new URL(site).origin });
    const found = await discoverOAuthServerInfo(`${site}/mcp`, {
      resourceMetadataUrl: new URL(`${site}/.well-known/oauth-protected-resource/mcp`),
    });
    expect(found).toMatchObject({
      authorizationServerUrl: site,
      resourceMetadata: { resource: `${site}/mcp` },
      authorizationServerMetadata: { issuer: site, token_endpoint: `${site}/oauth/token` },
    });
  }
}, 60_000);
