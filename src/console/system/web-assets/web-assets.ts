import { Elysia } from "elysia";
import { rebasePage } from "../../../lib/http/base-path.ts";
import type { PeerSource } from "../../../lib/http/client-ip.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { PageLimit } from "../page-limit.ts";
import { type Asset, type AssetLoader, createAssetLoader, encodeText } from "./asset-loader.ts";
import { isConsolePage } from "./console-pages.ts";

/** What the page may load and who may frame it; only the page needs this header. */
const pageHeaders = (scriptHosts: readonly string[], isOffline: boolean): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    "default-src 'self'",
    ["script-src 'self'", ...scriptHosts].join(" "),
    // Emotion inserts style elements at run time; scripts are never inline.
    "style-src 'self' 'unsafe-inline'",
    // Logos and images of sites on a local network have http addresses.
    isOffline ? "img-src 'self' data: blob:" : "img-src 'self' data: blob: https: http:",
    // Audio files of questions in the playground.
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    // Chats on plain http, for consoles on plain http: in others browsers refuse them themselves.
    isOffline ? "frame-src 'self'" : "frame-src 'self' https: http:",
    "frame-ancestors 'self'",
    "form-action 'self' https:",
    "base-uri 'none'",
    "object-src 'none'",
  ].join("; "),
  "referrer-policy": "strict-origin-when-cross-origin",
});

/** Adds what this site says of itself to the console's page. */
type RenderPage = (request: Request, shell: string) => Promise<Readonly<{ html: string; status: number }>>;

/** Other hosts whose scripts the page may run under the current settings. */
type ScriptHosts = () => readonly string[];

/** What depends on the site. */
type Site = Readonly<{
  /** Applies to pages, not to files: assets, logos, icons. */
  limit: PageLimit;
  scriptHosts: ScriptHosts;
  /** Browsers load nothing from other hosts. */
  isOffline: boolean;
  render: RenderPage | null;
  /** The response to a program that requests a path without page; null: a browser opens it. */
  refuseProgram(request: Request, path: string): Response | null;
  /** Links of pages lead below it. */
  basePath: string;
}>;

const BARE_SITE: Site = {
  limit: async () => null,
  scriptHosts: () => [],
  isOffline: false,
  render: null,
  refuseProgram: () => null,
  basePath: "",
};

/**
 * Serves the built console from `root` (embedded in the executable). Hashed assets are cached forever, everything else is
 * revalidated by ETag; the addresses of pages get the application's page, and others get it with 404: its router says that there is
 * no such page. Replaces @elysiajs/static (docs/decisions/project/static-files.md).
 */
export function webAssets(root: string, options: Partial<Site> = {}) {
  const site = { ...BARE_SITE, ...options };
  const load = createAssetLoader(root, { basePath: site.basePath, files: /\.(js|css)$/, roots: ["/assets/"] });
  return new Elysia({ name: "web-assets" }).get(
    "/*",
    ({ request, path, server }) => serve(load, site, request, path, server),
    { detail: { hide: true } },
  );
}

async function serve(
  load: AssetLoader,
  site: Site,
  request: Request,
  path: string,
  server: PeerSource,
): Promise<Response> {
  const { limit, scriptHosts, isOffline, render, refuseProgram, basePath } = site;
  const hashed = path.startsWith("/assets/");
  const accepted = request.headers.get("accept-encoding") ?? "";
  const file = await load(path, accepted);
  if (file || hashed) return assetResponse(request, file, hashed, { scriptHosts, isOffline });
  const isPage = isConsolePage(path);
  const refused = (isPage ? null : refuseProgram(request, path)) ?? (await limit(request, server));
  if (refused) return refused;
  const shell = await load("/index.html", render ? "" : accepted);
  if (!shell || !render) return assetResponse(request, shell, false, { scriptHosts, isOffline }, isPage ? 200 : 404);
  const { html: rendered, status } = await render(request, new TextDecoder().decode(shell.bytes));
  const html = rebasePage(rendered, basePath);
  const etag = `"${Bun.hash(html).toString(36)}"`;
  const page = await encodeText(html, accepted);
  return assetResponse(
    request,
    { ...page, type: shell.type, etag },
    false,
    { scriptHosts, isOffline },
    isPage ? status : 404,
  );
}

/**
 * Responds with a file: one with a hashed name may be cached forever, any other is revalidated. Null is a 404; `status` is that
 * of the response to a file.
 */
export function assetResponse(
  request: Request,
  asset: Asset | null,
  hashed: boolean,
  { scriptHosts, isOffline }: Pick<Site, "scriptHosts" | "isOffline">,
  status = 200,
): Response {
  if (!asset) return new Response("Not found", { status: 404, headers: { "cache-control": "no-store" } });
  const headers: Record<string, string> = {
    ...(asset.type.startsWith("text/html") && pageHeaders(scriptHosts(), isOffline)),
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

/** Serves the web app manifest (https://www.w3.org/TR/appmanifest/), so that browsers can install the console under the site's name. */
export const webManifest = (settings: SettingsReader, basePath = "") =>
  new Elysia({ name: "web-manifest" }).get(
    "/manifest.webmanifest",
    () => {
      const name = settings.get("SystemName");
      const logo = settings.get("Logo");
      const manifest = {
        id: `${basePath}/`,
        name,
        short_name: name,
        start_url: `${basePath}/detail`,
        scope: `${basePath}/`,
        display: "standalone",
        background_color: "#f6f8fa",
        theme_color: "#f6f8fa",
        icons: logo ? [{ src: logo, sizes: "any" }] : ICONS.map((icon) => ({ ...icon, src: basePath + icon.src })),
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
