import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Elysia } from "elysia";
import type { PeerSource } from "../../lib/http/client-ip.ts";
import { languageOf, say } from "../../lib/messages.ts";
import type { SettingsReader } from "../../settings/settings.ts";

/** Compressed variants that the build writes next to each file, best first. */
const ENCODINGS = [
  ["br", ".br"],
  ["zstd", ".zst"],
  ["gzip", ".gz"],
] as const;

/** What the page may load and who may frame it; only the page needs this header. */
const pageHeaders = (scriptHosts: readonly string[]): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    "default-src 'self'",
    ["script-src 'self'", ...scriptHosts].join(" "),
    // Emotion inserts style elements at run time; scripts are never inline.
    "style-src 'self' 'unsafe-inline'",
    // Logos and images of sites on a local network have http addresses.
    "img-src 'self' data: blob: https: http:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' https:",
    "frame-ancestors 'self'",
    "form-action 'self' https:",
    "base-uri 'none'",
    "object-src 'none'",
  ].join("; "),
  "referrer-policy": "strict-origin-when-cross-origin",
});

type Asset = { bytes: Uint8Array<ArrayBuffer>; type: string; etag: string; encoding: string | null };

/** Seconds that a caller must wait before the next page; 0: none. */
export type PageLimit = (request: Request, server: PeerSource) => Promise<number>;

/** Adds what this site says of itself to the console's page. */
type RenderPage = (
  request: Request,
  server: PeerSource,
  shell: string,
) => Promise<Readonly<{ html: string; status: number }>>;

/** Other hosts whose scripts the page may run under the current settings. */
type ScriptHosts = () => readonly string[];

/**
 * Serves the built console from `root` (embedded in the executable). Hashed assets are cached forever, everything else is
 * revalidated by ETag; unknown paths get the application's page, so that its router can take over. `limit` applies to
 * pages, not to the assets they load. Replaces @elysiajs/static, which sends no precompressed files and has one set of
 * headers for all files.
 */
export function webAssets(
  root: string,
  limit: PageLimit = async () => 0,
  scriptHosts: ScriptHosts = () => [],
  render: RenderPage | null = null,
) {
  const load = createAssetLoader(root);
  return new Elysia({ name: "web-assets" }).get(
    "/*",
    async ({ request, path, server }) => {
      const seconds = path.startsWith("/assets/") ? 0 : await limit(request, server);
      if (seconds > 0) return tooManyPages(request, seconds);
      return serve({ load, scriptHosts, render }, request, path, server);
    },
    { detail: { hide: true } },
  );
}

/** Rejects a page request until `seconds` have passed; a browser shows a page that loads again by itself then. */
export function tooManyPages(request: Request, seconds: number): Response {
  const language = languageOf(request);
  const text = say("too_many_requests", language, { seconds });
  const headers = { "retry-after": String(seconds), "cache-control": "no-store" };
  if (!request.headers.get("accept")?.includes("text/html")) {
    return new Response(text, { status: 429, headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
  }
  const page = `<!doctype html>
<html lang="${language}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>429</title>
<p style="margin: 20vh auto 0; padding: 0 24px; max-width: 420px; font: 15px/24px system-ui, sans-serif">${text}</p>
`;
  return new Response(page, {
    status: 429,
    headers: { ...headers, refresh: String(seconds), "content-type": "text/html; charset=utf-8" },
  });
}

/** Reads the file at a path in the best encoding that the client accepts; null: there is none. */
export type AssetLoader = (path: string, acceptEncoding: string) => Promise<Asset | null>;

type Served = Readonly<{ load: AssetLoader; scriptHosts: ScriptHosts; render: RenderPage | null }>;

async function serve(served: Served, request: Request, path: string, server: PeerSource): Promise<Response> {
  const { load, scriptHosts, render } = served;
  const hashed = path.startsWith("/assets/");
  const accepted = request.headers.get("accept-encoding") ?? "";
  const file = await load(path, accepted);
  if (file || hashed) return assetResponse(request, file, hashed, scriptHosts);
  const shell = await load("/index.html", render ? "" : accepted);
  if (!shell || !render) return assetResponse(request, shell, false, scriptHosts);
  const { html, status } = await render(request, server, new TextDecoder().decode(shell.bytes));
  const etag = `"${Bun.hash(html).toString(36)}"`;
  const page = await encodePage(html, accepted);
  return assetResponse(request, { ...page, type: shell.type, etag }, false, scriptHosts, status);
}

const pack = promisify(gzip);

async function encodePage(html: string, accepted: string): Promise<Pick<Asset, "bytes" | "encoding">> {
  const bytes = new TextEncoder().encode(html);
  if (!accepted.includes("gzip")) return { bytes, encoding: null };
  return { bytes: new Uint8Array(await pack(bytes)), encoding: "gzip" };
}

/**
 * Responds with a file: one with a hashed name may be cached forever, any other is revalidated. Null is a 404; `status` is that
 * of the response to a file.
 */
export function assetResponse(
  request: Request,
  asset: Asset | null,
  hashed: boolean,
  scriptHosts: ScriptHosts,
  status = 200,
): Response {
  if (!asset) return new Response("Not found", { status: 404, headers: { "cache-control": "no-store" } });
  const headers: Record<string, string> = {
    ...(asset.type.startsWith("text/html") && pageHeaders(scriptHosts())),
    "x-content-type-options": "nosniff",
    "content-type": asset.type,
    "cache-control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding, accept-language",
    etag: asset.etag,
  };
  if (request.headers.get("if-none-match")?.includes(asset.etag)) return new Response(null, { status: 304, headers });
  if (asset.encoding) headers["content-encoding"] = asset.encoding;
  return new Response(asset.bytes, { status, headers });
}

/** Loads the files of `root` into memory on first use: they are a few megabytes in all. */
export function createAssetLoader(root: string): AssetLoader {
  const cache = new Map<string, Asset>();
  return async (path, acceptEncoding) => {
    if (path === "/" || path.includes("..") || path.includes("\0")) return null;
    for (const [encoding, suffix] of [...ENCODINGS, [null, ""] as const]) {
      if (encoding && !acceptEncoding.includes(encoding)) continue;
      const known = cache.get(path + suffix);
      if (known) return known;
      const file = Bun.file(join(root, path + suffix));
      if (!(await file.exists())) continue;
      const bytes = await file.bytes();
      const asset = { bytes, type: Bun.file(path).type, etag: `"${Bun.hash(bytes).toString(36)}"`, encoding };
      cache.set(path + suffix, asset);
      return asset;
    }
    return null;
  };
}

/** Serves the web app manifest (https://www.w3.org/TR/appmanifest/), so that browsers can install the console under the site's name. */
export const webManifest = (settings: SettingsReader) =>
  new Elysia({ name: "web-manifest" }).get(
    "/manifest.webmanifest",
    () => {
      const name = settings.get("SystemName");
      const logo = settings.get("Logo");
      const manifest = {
        id: "/",
        name,
        short_name: name,
        start_url: "/detail",
        scope: "/",
        display: "standalone",
        background_color: "#f6f8fa",
        theme_color: "#f6f8fa",
        icons: logo ? [{ src: logo, sizes: "any" }] : ICONS,
      };
      return new Response(JSON.stringify(manifest), {
        headers: { "content-type": "application/manifest+json", "cache-control": "no-cache" },
      });
    },
    { detail: { hide: true } },
  );

const ICONS = [
  { src: "/icon.svg", sizes: "any", type: "image/svg+xml" },
  { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "any" },
  { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
];
