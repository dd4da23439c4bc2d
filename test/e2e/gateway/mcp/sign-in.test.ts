/** MCP clients that sign people in by OAuth: the official SDK's, with a person in a browser. */
import { afterAll, expect } from "bun:test";
import { auth, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { startMcpServer } from "../../../gateway/mcp/mcp-server.ts";
import { waitForLogs } from "../../../support/billing/books.ts";
import { openPage, WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { ROOT_NAME, ROOT_PASSWORD } from "../../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  expectChinesePages,
  openConsolePage,
  startConsoleFixture,
} from "../../../support/e2e/console-page.ts";

const words = WORDS.en;
const { browser, gateway, root } = await startConsoleFixture();
const upstream = startMcpServer();
afterAll(upstream.stop);

/** Where the browser comes back to: the client's own server. */
const answers: URL[] = [];
const callback = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1" },
  fetch(request) {
    if (new URL(request.url).pathname === "/callback") answers.push(new URL(request.url));
    return new Response("You can close this page.", { headers: { "content-type": "text/html" } });
  },
});
afterAll(() => callback.stop(true));

async function addServer(name: string) {
  const { id } = await root.post("/api/mcp-server/", { name, server: { url: upstream.url } });
  const tools = await root.get(`/api/mcp-server/${id}/tools`);
  await root.post(`/api/mcp-server/${id}/tools/approve`, {
    tools: tools.map(({ name: tool, hash }: { name: string; hash: string }) => ({ name: tool, hash })),
  });
}

/** A client that keeps what it gets in memory. */
class MemoryProvider implements OAuthClientProvider {
  authorizationUrl: URL | null = null;
  stored: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = "";
  readonly redirectUrl = `http://127.0.0.1:${callback.port}/callback`;
  readonly clientMetadata = {
    client_name: "Test agent",
    // Another port than it will have: those of this machine are free.
    redirect_uris: ["http://127.0.0.1:1/callback"],
    token_endpoint_auth_method: "none",
  };
  state = () => "a state with = and &";
  clientInformation = () => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.#client = client;
  };
  tokens = () => this.stored;
  saveTokens = (tokens: OAuthTokens) => {
    this.stored = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.authorizationUrl = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

async function connect(provider: OAuthClientProvider) {
  const client = new Client({ name: "tests", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { authProvider: provider }));
  return client;
}

const texts = words.apiKeys.application;
const filled = (text: string, values: Readonly<Record<string, string>>) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? "");

test("a person signs in, chooses what an application may do, and ends its access", async () => {
  for (const name of ["city", "country"]) await addServer(name);
  const provider = new MemoryProvider();
  const serverUrl = `${gateway.url}/mcp`;
  expect(await auth(provider, { serverUrl })).toBe("REDIRECT");
  const address = provider.authorizationUrl?.href ?? "";

  // Nobody is signed in: the page comes back after that.
  const { page } = await openPage(browser, BOTH_VIEWPORTS);
  await page.goto(address);
  await page.getByLabel(words.signIn.username).fill(ROOT_NAME);
  await page.getByLabel(words.signIn.password, { exact: true }).fill(ROOT_PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: filled(texts.question, { client: "Test agent" }) }).waitFor();
  await page.getByText(filled(texts.toThisDevice, { host: `127.0.0.1:${callback.port}` })).waitFor();
  await page.getByLabel(texts.servers).fill("city");
  await page.keyboard.press("Enter");
  await page.getByLabel(texts.limit).fill("2");
  await page.getByRole("button", { name: texts.approve, exact: true }).click();
  await page.getByText("You can close this page.").waitFor();
  const answer = answers.at(-1)?.searchParams;
  expect(answer?.get("state")).toBe("a state with = and &");
  expect(answer?.get("iss")).toBe(gateway.url);

  expect(await auth(provider, { serverUrl, authorizationCode: answer?.get("code") ?? "" })).toBe("AUTHORIZED");
  const client = await connect(provider);
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(0);
  expect(tools.every(({ name }) => name.startsWith("city__"))).toBe(true);
  const result = await client.callTool({ name: "city__weather", arguments: { city: "Ghent" } });
  expect(result.content).toEqual([{ type: "text", text: "rainy in Ghent" }]);
  const [row] = await waitForLogs(root, () => true, 1);
  expect(row).toMatchObject({ token_name: "Test agent", model_name: "mcp/city/weather" });

  // An access token that has ended is refreshed by the client itself.
  const before = provider.stored;
  provider.stored = { ...before, access_token: `${before?.access_token}0`, token_type: "Bearer" };
  await client.callTool({ name: "city__weather", arguments: { city: "Bruges" } });
  expect(provider.stored?.refresh_token).not.toBe(before?.refresh_token);

  // It is good for nothing else.
  const headers = { authorization: `Bearer ${provider.stored?.access_token}` };
  for (const path of ["/v1/models", "/api/user/self", "/api/token/"])
    expect((await fetch(gateway.url + path, { headers })).status).toBe(401);

  const view = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
  await view.open("/token");
  await view.page.getByText(filled(texts.keyOf, { client: "Test agent" })).waitFor();
  expect(await view.listRowActions("Test agent")).not.toContain(words.apiKeys.rotate.action);
  await view.page.getByRole("heading", { name: texts.list }).waitFor();
  await view.expectAccessible();
  await view.button(texts.end).click();
  await view.button(texts.end, view.dialog()).click();
  await view.waitForNotice(filled(texts.ended, { client: "Test agent" }));
  await view.page.getByText(filled(texts.keyOf, { client: "Test agent" })).waitFor({ state: "detached" });
  const ended = await fetch(`${gateway.url}/mcp`, { method: "POST", headers, body: "{}" });
  expect(ended.status).toBe(401);
  expect(ended.headers.get("www-authenticate")).toContain('error="invalid_token"');
  expect(view.complaints).toEqual([]);
  await view.close();
});

test("a refusal, of a person or of the site, goes to the client or is shown", async () => {
  const provider = new MemoryProvider();
  await auth(provider, { serverUrl: `${gateway.url}/mcp/city` });
  const address = provider.authorizationUrl ?? new URL(gateway.url);
  const view = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
  const open = (change: Readonly<Record<string, string>>) => {
    const changed = new URL(address);
    for (const [name, value] of Object.entries(change)) changed.searchParams.set(name, value);
    return view.load(changed.pathname + changed.search);
  };
  await open({});
  await view.page.getByText("city", { exact: true }).waitFor();
  await view.expectAccessible();
  await view.button(texts.deny).click();
  await view.page.getByText("You can close this page.").waitFor();
  expect(answers.at(-1)?.searchParams.get("error")).toBe("access_denied");

  await open({ code_challenge_method: "plain" });
  await view.page.getByRole("heading", { name: filled(texts.refused, { client: "Test agent" }) }).waitFor();
  await view.expectAccessible();
  await view.button(filled(texts.back, { host: `127.0.0.1:${callback.port}` })).click();
  await view.page.getByText("You can close this page.").waitFor();
  expect(answers.at(-1)?.searchParams.get("error")).toBe("invalid_request");

  const count = answers.length;
  await open({ redirect_uri: "https://evil.example/callback" });
  await view.page.getByRole("alert").waitFor();
  expect(await view.button(texts.approve).count()).toBe(0);
  expect(answers.length).toBe(count);
  await view.close();
  await expectChinesePages(browser, gateway, [address.pathname + address.search]);
});
