import { Elysia } from "elysia";
import { type AssetLoader, createAssetLoader } from "./asset-loader.ts";
import { assetResponse } from "./web-assets.ts";

const PREFIX = "/docs";
/** The pages as a list for agents (https://llmstxt.org), which stands where they look for it. */
const LIST = "/llms.txt";
const OWN_SCRIPTS = { scriptHosts: () => [], isOffline: false };

/**
 * Serves the documentation site in `root` under /docs to everyone, with the same headers as the console's files. Page
 * addresses have no `.html`; unknown pages get the site's own 404 page. None of it counts as a page of the console.
 */
export function docsSite(root: string, basePath = "") {
  const load = createAssetLoader(root, { basePath, files: /\.(html|js|css|txt)$/, roots: [`${PREFIX}/`] });
  const serve = async ({ request, path }: { request: Request; path: string }) => {
    // The router treats /docs and /docs/ alike, but relative links on the pages need the trailing slash.
    if (path === PREFIX) return new Response(null, { status: 308, headers: { location: `${PREFIX}/` } });
    const file = path.slice(PREFIX.length);
    const hashed = file.startsWith("/assets/");
    const accepted = request.headers.get("accept-encoding") ?? "";
    const found = hashed ? await load(file, accepted) : await loadPage(load, file, accepted);
    if (found || hashed) return assetResponse(request, found, hashed, OWN_SCRIPTS);
    return assetResponse(request, await load("/404.html", accepted), false, OWN_SCRIPTS, 404);
  };
  const list = async ({ request }: { request: Request }) =>
    assetResponse(request, await load(LIST, request.headers.get("accept-encoding") ?? ""), false, OWN_SCRIPTS);
  const hidden = { detail: { hide: true } };
  return new Elysia({ name: "docs-site" })
    .get(PREFIX, serve, hidden)
    .get(`${PREFIX}/*`, serve, hidden)
    .get(LIST, list, hidden);
}

/** `/guide/pricing` is guide/pricing.html, `/decisions/` is decisions/index.html. */
const loadPage = async (load: AssetLoader, file: string, accepted: string) =>
  file.endsWith("/")
    ? load(`${file}index.html`, accepted)
    : ((await load(file, accepted)) ?? load(`${file}.html`, accepted));
