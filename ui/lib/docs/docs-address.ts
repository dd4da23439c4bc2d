import { sitePath } from "../base-path.ts";

/** What the site's link to the documentation is, where it is the one inside the executable. */
const OWN_DOCS = "/docs/";

/** The page of the documentation that explains each page of the console, and the forms on it. */
const PAGES: Readonly<Record<string, string>> = {
  "/alerts": "/operate/alerts",
  "/admin-roles": "/accounts/roles",
  "/catalog": "/guide/model-catalog",
  "/channel": "/guide/channels",
  "/channel-checks": "/operate/monitoring/model-checks",
  "/detail": "/guide/console",
  "/doctor": "/operate/operations",
  "/experiments": "/guide/routes",
  "/exports": "/operate/monitoring/exports",
  "/failures": "/guide/console",
  "/guardrails": "/operate/site/guardrails",
  "/identity-providers": "/accounts/single-sign-on",
  "/jobs": "/operate/operations",
  "/key": "/guide/api",
  "/log": "/guide/console",
  "/mcp-servers": "/operate/site/mcp",
  "/mcp-sign-ins": "/guide/agents/mcp",
  "/order": "/accounts/payments",
  "/organization": "/guide/organizations",
  "/plan": "/accounts/plans",
  "/playground": "/guide/console",
  "/pricing": "/guide/pricing",
  "/provider-keys": "/guide/agents/provider-keys",
  "/reference": "/guide/api",
  "/replays": "/operate/monitoring/replays",
  "/router": "/guide/channels",
  "/routes": "/guide/routes",
  "/service-accounts": "/accounts/service-accounts",
  "/sessions": "/operate/monitoring/sessions",
  "/setting": "/operate/configuration",
  "/start": "/guide/getting-started",
  "/statement": "/accounts/statements",
  "/token": "/guide/agents/examples",
  "/topup": "/accounts/payments",
};

/** Paths of the documentation that the console links to. */
export const LINKED_DOCS: readonly string[] = Object.values(PAGES);

/** Where the Chinese documentation begins. */
export const CHINESE_DOCS = "/zh";

/** What is there in English only: tables that programs write, figures, and what contributors read. */
const ENGLISH_ONLY =
  /^\/(guide\/compatibility|operate\/(accessibility|benchmarks)|architecture|decisions\/|contributing.*)$/;

/** Whether a page is translated into Chinese, at the same path below `/zh`. */
export const isInChinese = (path: string): boolean => !ENGLISH_ONLY.test(path);

/** The address of a page of the documentation, in the reader's language; null: the site links to another documentation, or none. */
export function docsAddress(docsLink: string | undefined, path: string, language: string): string | null {
  const isChinese = language.startsWith("zh") && isInChinese(path);
  return docsLink === OWN_DOCS ? sitePath(`/docs${isChinese ? CHINESE_DOCS : ""}${path}`) : null;
}

/** The path of the documentation that explains a page of the console, and its forms; null: there is none. */
export function docsOf(consolePath: string): string | null {
  const [, first = ""] = consolePath.split("/");
  return PAGES[`/${first}`] ?? null;
}
