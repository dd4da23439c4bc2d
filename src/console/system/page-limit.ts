import { type Sessions, sessionCookieOf } from "../../domain/accounts/sign-in/sessions.ts";
import { rebasePage } from "../../lib/http/base-path.ts";
import { type ClientAddress, limitKeyOf, type PeerSource } from "../../lib/http/client-ip.ts";
import type { Limit } from "../../lib/limits/rate-limiter.ts";
import { createLimiter, type SharedLimits } from "../../lib/limits/shared-limits.ts";
import { languageOf, say } from "../../lib/messages.ts";
import type { CountRefusal } from "../../lib/runtime/metrics/metrics.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { escapeHtml, hasBrandStyles } from "./public-pages/page-html.ts";

/** Refuses a page of the console for now; null: it may be loaded. */
export type PageLimit = (request: Request, server: PeerSource) => Promise<Response | null>;

type PageLimitServices = Readonly<{
  limit: Limit | null;
  basePath: string;
  settings: SettingsReader;
  sessions: Pick<Sessions, "find">;
  clientAddress: ClientAddress;
  sharedLimits: SharedLimits | null;
  countRefusal: CountRefusal;
}>;

/**
 * Limits page loads by address over all processes. Pages of people who are signed in do not count: an office has one address.
 * `limit` null: off.
 */
export function createPageLimit(services: PageLimitServices): PageLimit {
  const { limit, basePath, settings, sessions, clientAddress, sharedLimits, countRefusal } = services;
  const limiter = limit && createLimiter(sharedLimits, "console-pages", limit);
  const isSignedIn = async (request: Request): Promise<boolean> => {
    const cookie = sessionCookieOf(request);
    // Without a database nobody new is known; the page itself needs none.
    return cookie !== null && (await sessions.find(cookie).catch(() => null)) !== null;
  };
  return async (request, server) => {
    const ip = clientAddress.ip(request, server);
    if (!limiter || ip === "" || (await isSignedIn(request))) return null;
    const seconds = await limiter.take(limitKeyOf(ip));
    if (seconds === 0) return null;
    countRefusal("console_pages");
    return limitPage(settings, request, { seconds, basePath });
  };
}

/** A page in the console's look that loads again by itself when `seconds` have passed; plain text for programs. */
function limitPage(
  settings: SettingsReader,
  request: Request,
  { seconds, basePath }: Readonly<{ seconds: number; basePath: string }>,
): Response {
  const language = languageOf(request);
  const text = say("too_many_requests", language, { seconds });
  const headers = { "retry-after": String(seconds), "cache-control": "no-store", "x-content-type-options": "nosniff" };
  if (!request.headers.get("accept")?.includes("text/html")) {
    return new Response(text, { status: 429, headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
  }
  const site = escapeHtml(settings.get("SystemName"));
  const logo = escapeHtml(settings.get("Logo") || "/icon.svg");
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(say("page_limited", language))} · ${site}</title>
<link rel="icon" href="${logo}">
<style>${STYLE}</style>${hasBrandStyles(settings) ? '<link rel="stylesheet" href="/brand.css">' : ""}
</head>
<body>
<header><img src="${logo}" alt="" width="24" height="24"><b>${site}</b></header>
<main>
<h1>${escapeHtml(say("page_limited", language))}</h1>
<p>${escapeHtml(text)} ${escapeHtml(say("page_limited_about", language))}</p>
<p><a href="">${escapeHtml(say("page_limited_again", language))}</a></p>
</main>
</body>
</html>
`;
  return new Response(rebasePage(html, basePath), {
    status: 429,
    headers: {
      ...headers,
      refresh: String(seconds),
      vary: "accept-language",
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https: http:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
    },
  });
}

/** The colors and sizes of ui/theme/tokens.ts: the page must not load the console that it stands in for. */
const STYLE = `
:root{--canvas:#f6f8fa;--paper:#fff;--line:#e0e6ed;--text:#0f1b2d;--soft:#45556b;--accent:#0f766e;--on-accent:#fff}
@media(prefers-color-scheme:dark){:root{--canvas:#0a1016;--paper:#0f161e;--line:#223040;--text:#e7edf4;--soft:#a9b7c7;--accent:#2dd4bf;--on-accent:#04211e}}
body{margin:0;background:var(--canvas);color:var(--text);font:15px/24px "Inter Variable",system-ui,sans-serif}
header{display:flex;gap:10px;align-items:center;padding:16px 24px;background:var(--paper);border-bottom:1px solid var(--line)}
main{max-width:440px;margin:16vh auto 0;padding:24px;background:var(--paper);border:1px solid var(--line);border-radius:12px}
h1{margin:0 0 8px;font-size:20px;line-height:28px}
p{margin:0 0 16px;color:var(--soft)}p:last-child{margin:0}
a{display:inline-block;padding:6px 16px;border-radius:8px;background:var(--accent);color:var(--on-accent);text-decoration:none;font-weight:600}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media(max-width:488px){main{margin:24px 16px 0}}`;
