import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { docsSite } from "./docs-site.ts";

let root = "";
const get = (path: string, headers: Record<string, string> = {}) =>
  docsSite(root).handle(new Request(`http://localhost${path}`, { headers }));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "docs-"));
  await Bun.write(join(root, "index.html"), "<!doctype html><title>home</title>");
  await Bun.write(join(root, "404.html"), "<!doctype html><title>missing</title>");
  await Bun.write(join(root, "guide/pricing.html"), "<!doctype html><title>pricing</title>");
  await Bun.write(join(root, "decisions/index.html"), "<!doctype html><title>decisions</title>");
  await Bun.write(join(root, "guide/pricing.md"), "# Pricing – exact");
  await Bun.write(join(root, "llms.txt"), "# Docs\n\n- [Pricing](/docs/guide/pricing.md)\n");
  await Bun.write(join(root, "assets/app.1a2b.js"), "plain");
});
afterAll(() => rm(root, { recursive: true }));

test.each([
  ["/docs/", "home"],
  ["/docs/guide/pricing", "pricing"],
  ["/docs/guide/pricing.html", "pricing"],
  ["/docs/decisions/", "decisions"],
])("%s is the page %s, with the console's policy", async (path, title) => {
  const page = await get(path);
  expect([page.status, await page.text()]).toEqual([200, `<!doctype html><title>${title}</title>`]);
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
  expect(page.headers.get("cache-control")).toBe("no-cache");
});

test("/docs leads to /docs/", async () => {
  const reply = await get("/docs");
  expect([reply.status, reply.headers.get("location")]).toEqual([308, "/docs/"]);
});

test("files with hashed names are cached forever", async () => {
  const file = await get("/docs/assets/app.1a2b.js");
  expect([file.status, await file.text()]).toEqual([200, "plain"]);
  expect(file.headers.get("cache-control")).toContain("immutable");
  expect((await get("/docs/assets/gone.js")).status).toBe(404);
});

test("an unknown page is the site's 404", async () => {
  const missing = await get("/docs/nowhere");
  expect([missing.status, await missing.text()]).toEqual([404, "<!doctype html><title>missing</title>"]);
});

test("paths cannot leave the folder", async () => {
  expect((await get("/docs/..%2f..%2fetc/passwd")).status).toBe(404);
});

test("agents find a list of the pages and each page as Markdown", async () => {
  const list = await get("/llms.txt");
  expect([list.status, list.headers.get("content-type")]).toEqual([200, "text/plain;charset=utf-8"]);
  const [, link = ""] = /\((.+)\)/.exec(await list.text()) ?? [];
  const page = await get(link);
  expect([page.headers.get("content-type"), await page.text()]).toEqual([
    "text/markdown;charset=utf-8",
    "# Pricing – exact",
  ]);
});

test("the list leads below the site's path", async () => {
  const site = docsSite(root, "/ai");
  expect(await (await site.handle(new Request("http://localhost/llms.txt"))).text()).toContain(
    "(/ai/docs/guide/pricing.md)",
  );
});
