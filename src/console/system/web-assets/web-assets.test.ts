import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import { webAssets } from "./web-assets.ts";

const SCRIPT = "export const water = 'level';";

let root = "";
const get = (path: string, headers: Record<string, string> = {}) =>
  webAssets(root).handle(new Request(`http://localhost${path}`, { headers }));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "assets-"));
  await Bun.write(join(root, "index.html"), "<!doctype html><title>console</title>");
  await Bun.write(join(root, "assets/app-1a2b.js.br"), brotliCompressSync(SCRIPT));
  await Bun.write(join(root, "assets/small-1a2b.js"), "plain");
});
afterAll(() => rm(root, { recursive: true }));

test("hashed assets are cached for ever and come in the best accepted encoding", async () => {
  const best = await get("/assets/app-1a2b.js", { "accept-encoding": "gzip, br" });
  expect(brotliDecompressSync(await best.bytes()).toString()).toBe(SCRIPT);
  expect(best.headers.get("content-encoding")).toBe("br");
  expect(best.headers.get("cache-control")).toContain("immutable");
  expect(best.headers.get("content-type")).toContain("javascript");
  // Browsers take no Brotli from another machine without https.
  for (const _ of ["first", "again"]) {
    const zipped = await get("/assets/app-1a2b.js", { "accept-encoding": "gzip, deflate" });
    expect([gunzipSync(await zipped.bytes()).toString(), zipped.headers.get("content-encoding")]).toEqual([
      SCRIPT,
      "gzip",
    ]);
  }
  const plain = await get("/assets/app-1a2b.js");
  expect([await plain.text(), plain.headers.get("content-encoding")]).toEqual([SCRIPT, null]);
  const small = await get("/assets/small-1a2b.js", { "accept-encoding": "br" });
  expect([await small.text(), small.headers.get("content-encoding")]).toEqual(["plain", null]);
});

test("an unchanged file answers 304 without a body", async () => {
  const etag = (await get("/token")).headers.get("etag");
  const again = await get("/token", { "if-none-match": etag ?? "" });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe("");
});

test("pages answer the application, also with 404 where there is none; unknown assets are 404", async () => {
  for (const [path, status] of [
    ["/token", 200],
    ["/log/req-1", 200],
    ["/some/page", 404],
    ["/.well-known/oauth-authorization-server", 404],
    ["/wp-login.php", 404],
  ] as const) {
    const page = await get(path);
    expect([path, page.status]).toEqual([path, status]);
    expect(await page.text()).toContain("console");
    expect(page.headers.get("cache-control")).toBe("no-cache");
  }
  expect((await get("/assets/gone.js")).status).toBe(404);
});

test("a program gets its error where there is no page, and never instead of one", async () => {
  const app = webAssets(root, { refuseProgram: (_, path) => Response.json({ path }, { status: 404 }) });
  const read = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).text();
  expect(await read("/some/page")).toBe('{"path":"/some/page"}');
  expect(await read("/token")).toContain("console");
});

test("pages carry a policy without inline scripts and without foreign sources of code", async () => {
  const policy = (await get("/")).headers.get("content-security-policy") ?? "";
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("object-src 'none'");
});

test("pages cannot be framed elsewhere, are not guessed at, and send other sites no path", async () => {
  const { headers } = await get("/token");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
  expect(headers.get("content-security-policy")).toContain("base-uri 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
});

test("paths cannot leave the folder", async () => {
  await Bun.write(join(root, "../../outside.txt"), "secret");
  for (const path of ["/..%2foutside.txt", "/%2e%2e/outside.txt", "/assets/../../outside.txt"]) {
    expect(await (await get(path)).text()).not.toContain("secret");
  }
  await rm(join(root, "../../outside.txt"));
});

test("pages are limited, files are not", async () => {
  await Bun.write(join(root, "logo.svg"), "<svg/>");
  const app = webAssets(root, { limit: async () => new Response("later", { status: 429 }) });
  const status = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).status;
  expect([await status("/"), await status("/token"), await status("/some/page")]).toEqual([429, 429, 429]);
  expect([await status("/assets/app-1a2b.js"), await status("/logo.svg"), await status("/assets/gone.js")]).toEqual([
    200, 200, 404,
  ]);
});

test("below a path, pages and scripts lead below it, and are compressed when they are read", async () => {
  const render = async (_: Request, shell: string) => ({ html: shell, status: 200 });
  const app = webAssets(root, { render, basePath: "/sluice" });
  const read = async (path: string, encoding = "") =>
    app.handle(new Request(`http://localhost${path}`, { headers: { "accept-encoding": encoding } }));
  await Bun.write(
    join(root, "index.html"),
    '<html lang="en"><script src="/assets/x.js"></script><a href="//cdn.example">',
  );
  await Bun.write(join(root, "assets/x.js"), 'import("/assets/y.js");fetch("/api/status")');
  expect(await (await read("/token")).text()).toBe(
    '<html data-base-path="/sluice" lang="en"><script src="/sluice/assets/x.js"></script><a href="//cdn.example">',
  );
  const script = await read("/assets/x.js");
  expect(await script.text()).toBe('import("/sluice/assets/y.js");fetch("/api/status")');
  const packed = await read("/assets/x.js", "gzip, br");
  expect(packed.headers.get("content-encoding")).toBe("br");
  expect(packed.headers.get("etag")).toBe(script.headers.get("etag"));
  expect((await read("/assets/none.js")).status).toBe(404);
});
