import { Elysia } from "elysia";
import { isHexColor } from "../../../lib/values/color.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { mayReadStatus, type PublicModels } from "../../models/public-models.ts";
import { accentStyles, brandStyles, escapeHtml, pagePath } from "./page-html.ts";
import { mayBeIndexed } from "./public-pages.ts";

type Services = Readonly<{
  settings: SettingsReader;
  publicModels: PublicModels;
  config: Readonly<{ basePath: string }>;
}>;

const hidden = { detail: { hide: true } };

/** /brand.css with the operator's colors (`?color=` previews one), /robots.txt and /sitemap.xml for search engines. */
export function siteFiles({ settings, publicModels, config }: Services) {
  const { basePath } = config;
  return new Elysia({ name: "site-files" })
    .get(
      "/brand.css",
      ({ request }) => {
        const color = new URL(request.url).searchParams.get("color");
        const styles = color !== null && isHexColor(color) ? accentStyles(color) : brandStyles(settings);
        return revalidated(request, styles, "text/css; charset=utf-8");
      },
      hidden,
    )
    .get(
      "/robots.txt",
      ({ request }) => {
        const address = settings.get("ServerAddress");
        const lines = mayBeIndexed(settings)
          ? [
              "User-agent: *",
              `Disallow: ${basePath}/api/`,
              `Disallow: ${basePath}/v1/`,
              ...(address ? [`Sitemap: ${address}/sitemap.xml`] : []),
            ]
          : ["User-agent: *", "Disallow: /"];
        return revalidated(request, `${lines.join("\n")}\n`, "text/plain; charset=utf-8");
      },
      hidden,
    )
    .get(
      "/sitemap.xml",
      ({ request }) => {
        // Its addresses must be whole ones.
        const address = settings.get("ServerAddress");
        if (!mayBeIndexed(settings) || address === "") return new Response("Not found", { status: 404 });
        const pages = ["/", "/pricing", "/about", ...(mayReadStatus(settings, null) ? ["/status"] : [])];
        const models = publicModels.book("default").names().map(pagePath);
        const urls = [...pages, ...models].map((path) => `<url><loc>${escapeHtml(address + path)}</loc></url>`);
        const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>\n`;
        return revalidated(request, xml, "application/xml; charset=utf-8");
      },
      hidden,
    );
}

/** A small text that browsers ask for again, and get only where it has changed. */
function revalidated(request: Request, text: string, type: string): Response {
  const etag = `"${Bun.hash(text).toString(36)}"`;
  const headers = { "content-type": type, "cache-control": "no-cache", etag };
  if (request.headers.get("if-none-match")?.includes(etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}
