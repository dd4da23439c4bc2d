import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFromPrimary } from "../../../../db/server/replica.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { callRecord, writeCalls } from "../../../../test/support/logs.ts";
import { createRoutingIndex } from "../../../domain/channels/routing/routing-index.ts";
import { createModelHealth } from "../../../domain/models/model-health.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { createPublicModels } from "../../models/public-models.ts";
import { createPublicPages, type PageRenderer } from "./public-pages.ts";
import { siteFiles } from "./site-files.ts";

const ORIGIN = "https://ai.example.com";
const SHELL =
  '<!doctype html><html lang="en"><head><title>Sluice</title><link rel="icon" href="/x.svg"></head><body><div id="root"></div></body></html>';

let app: TestConsole;
let render: PageRenderer;
const index = createRoutingIndex();
beforeAll(async () => {
  app = await startTestConsole(undefined, async ({ db, database, settings }) => {
    const calls = Array.from({ length: 4 }, (_, at) =>
      callRecord({ modelName: "acme/chat-1", createdAt: nowSeconds(), failed: at === 0, elapsedMs: 900 }),
    );
    await writeCalls(database, calls);
    await settings.set("ServerAddress", ORIGIN);
    await settings.set("ModelRatio", '{"acme/chat-1": 1.25}');
    await settings.set("CompletionRatio", '{"acme/chat-1": 4}');
    await settings.set("GroupRatio", '{"default": 2}');
    await settings.set("UserUsableGroups", '{"default": "Everybody"}');
    await settings.set("ModelCatalog", '{"acme/chat-1": {"description": "Says <hello>.", "context_window": 128000}}');
    index.add(channelEntry({ id: 1, name: "secret supplier", models: ["acme/chat-1"], groups: ["default"] }));
    index.add(channelEntry({ id: 2, models: ["hidden"], groups: ["staff"] }));
    const channels = { ...index, get: () => undefined, all: () => [], close: () => undefined };
    const modelHealth = createModelHealth({ reads: readFromPrimary(db), settings, channels });
    const publicModels = createPublicModels({ settings, channels, modelHealth });
    render = createPublicPages({ settings, publicModels, modelHealth });
    return siteFiles({ settings, publicModels, config: { basePath: "" } });
  });
});
afterAll(() => app.close());

const page = (path: string, language = "en") =>
  render(new Request(`http://gateway.test${path}`, { headers: { "accept-language": language } }), SHELL);

test("a model's page says what it is, what it costs and how to call it, without a script", async () => {
  const { html, status } = await page("/model/acme/chat-1");
  expect(status).toBe(200);
  expect(html).toContain("<title>acme/chat-1 · Sluice</title>");
  expect(html.match(/<meta name="description"[^>]*>/g)).toEqual([
    '<meta name="description" content="Says &lt;hello&gt;.">',
  ]);
  expect(html).toContain(`<link rel="canonical" href="${ORIGIN}/model/acme/chat-1">`);
  // 1.25 × 2 dollars a million, times the group's two.
  expect(html).toContain("$5 input, $20 output per million tokens");
  expect(html).toContain("128,000 tokens");
  expect(html).toContain("/v1/chat/completions");
  const data = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)?.[1] ?? "";
  expect(JSON.parse(data)).toMatchObject({ name: "acme/chat-1", description: "Says <hello>." });
  expect(html).not.toContain("secret supplier");
});

test("what is not offered to visitors is not found", async () => {
  for (const path of ["/model/hidden", "/model/nothing", "/model/%E0%A4%A", "/model/"]) {
    const { html, status } = await page(path);
    expect([path, status]).toEqual([path, 404]);
    expect(html).toContain('<div id="root"></div>');
  }
});

test("prices are a table with a link for each model, in the reader's language", async () => {
  const { html } = await page("/pricing", "zh-CN");
  expect(html).toContain('<html lang="zh"');
  expect(html).toContain('<a href="/model/acme/chat-1">acme/chat-1</a>');
  expect(html).toContain("每百万 token：输入 $5，输出 $20");
  expect(html).not.toContain("hidden");
});

test("of very many models the table has the first 300", async () => {
  const models = Array.from({ length: 400 }, (_, at) => `many/model-${at + 1000}`);
  const many = channelEntry({ id: 3, models, groups: ["default"] });
  index.add(many);
  const { html } = await page("/pricing");
  index.remove(many);
  expect(html.match(/<tr>/g)).toHaveLength(1 + 300);
  expect(html).toContain("401");
});

test("how models do is on the page only where the site publishes it", async () => {
  expect((await page("/model/acme/chat-1")).html).not.toContain("75.00%");
  expect((await page("/status")).html).toContain('<div id="root"></div>');
  await app.settings.set("StatusPageEnabled", "true");
  expect((await page("/model/acme/chat-1")).html).toContain("75.00%");
  expect((await page("/status")).html).toContain("<td>75.00%</td>");
});

test("the operator's texts, name, logo and colors are in the page; their HTML is text", async () => {
  await app.settings.set("SystemName", "Ac<me");
  await app.settings.set("Logo", "/logo.png");
  await app.settings.set("BrandColor", "#FF0000");
  await app.settings.set("HomeTitle", "Models for $& everybody");
  await app.settings.set("SiteDescription", 'The "best"');
  const { html } = await page("/");
  expect(html).toContain("<title>Models for $&amp; everybody · Ac&lt;me</title>");
  expect(html).toContain('content="The &quot;best&quot;"');
  expect(html).toContain('<link rel="icon" href="/logo.png">');
  expect(html).toContain(`<meta property="og:image" content="${ORIGIN}/logo.png">`);
  expect(html).toContain('<link rel="stylesheet" href="/brand.css"></head>');
  await app.settings.set("HomePageContent", "# Hello\n\n<script>alert(1)</script>");
  const own = (await page("/")).html;
  expect(own).toContain("<h1>Hello</h1>");
  expect(own).not.toContain("<script>alert");
});

test("other pages of the console only get the brand", async () => {
  const { html } = await page("/token");
  expect(html).toContain("<title>Ac&lt;me</title>");
  expect(html.match(/<meta name="description" content="[^"]+">/g)).toHaveLength(1);
  expect(html).toContain('<div id="root"></div>');
  expect(html).toContain("/brand.css");
});

test("the style sheet has the color in both schemes, readable on their grounds, and the operator's CSS", async () => {
  await app.settings.set("CustomCss", ".logo { height: 40px }");
  const { text, headers } = await app.ask("GET", "/brand.css");
  expect(headers.get("content-type")).toContain("text/css");
  expect(text).toContain('html[data-scheme="light"]{--sl-palette-primary-main:#');
  expect(text).toContain('html[data-scheme="dark"]{');
  expect(text).toContain(".logo { height: 40px }");
  const preview = await app.ask("GET", "/brand.css?color=%230000ff");
  expect(preview.text).toContain("--sl-palette-primary-main:#0000ff;");
  const etag = headers.get("etag") ?? "";
  expect((await app.ask("GET", "/brand.css", undefined, { "if-none-match": etag })).status).toBe(304);
});

test("a color must be one", async () => {
  expect(app.settings.set("BrandColor", "red;}")).rejects.toThrow();
});

test("robots learn where the pages are, until the operator shuts them out", async () => {
  expect((await app.ask("GET", "/robots.txt")).text).toContain(`Sitemap: ${ORIGIN}/sitemap.xml`);
  const map = await app.ask("GET", "/sitemap.xml");
  expect(map.text).toContain(`<loc>${ORIGIN}/model/acme/chat-1</loc>`);
  expect(map.text).not.toContain("hidden");
  await app.settings.set("SearchIndexingEnabled", "false");
  expect((await app.ask("GET", "/robots.txt")).text).toContain("Disallow: /\n");
  expect((await app.ask("GET", "/sitemap.xml")).status).toBe(404);
  expect((await page("/pricing")).html).toContain('<meta name="robots" content="noindex">');
});

test("without a public address nothing names the host of the request", async () => {
  await app.settings.reset("ServerAddress");
  await app.settings.set("SearchIndexingEnabled", "true");
  await app.settings.set("SelfUseModeEnabled", "false");
  const request = new Request("http://evil.example/pricing", { headers: { host: "evil.example" } });
  const { html } = await render(request, SHELL);
  expect(html).toContain('<link rel="canonical" href="/pricing">');
  expect(html).not.toContain("og:url");
  const robots = await app.ask("GET", "http://evil.example/robots.txt", undefined, { host: "evil.example" });
  const texts = [html, (await render(new Request("http://evil.example/model/acme/chat-1"), SHELL)).html, robots.text];
  for (const text of texts) expect(text).not.toContain("evil.example");
  expect((await app.ask("GET", "http://evil.example/sitemap.xml")).status).toBe(404);
  await app.settings.set("ServerAddress", ORIGIN);
});
