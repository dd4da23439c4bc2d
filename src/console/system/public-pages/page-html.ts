import type { PricedModel } from "../../../domain/channels/prices/list-prices.ts";
import type { MessageCode, MessageParams } from "../../../lib/messages.ts";
import { hexOf, mixColors, readableOn, readColor, textOn } from "../../../lib/values/color.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

/** A public page as search engines get it. Texts are plain, `content` is HTML. */
export type PublicPage = Readonly<{
  language: string;
  title: string;
  description: string;
  siteName: string;
  /** The page's own address, or its path where the site has no public address. */
  url: string;
  /** The address of an image; empty: none. */
  image: string;
  content: string;
  /** Search engines should leave the page out. */
  isHidden: boolean;
  /** Structured data by schema.org. */
  data?: object;
}>;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as HTML, also within quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** A table; cells are plain texts, the first of a row may link. */
export function tableHtml(heads: readonly string[], rows: readonly (readonly (string | Link)[])[]): string {
  const cell = (value: string | Link) =>
    typeof value === "string" ? escapeHtml(value) : `<a href="${escapeHtml(value.href)}">${escapeHtml(value.text)}</a>`;
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((value) => `<td>${cell(value)}</td>`).join("")}</tr>`).join("");
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

type Link = Readonly<{ text: string; href: string }>;

/** Close to the console's own look, so that little moves when it takes over. */
const STYLE = `<style>.pre{max-width:1200px;margin:0 auto;padding:80px 24px;font:14px/22px system-ui,sans-serif}.pre table{border-collapse:collapse;width:100%}.pre th,.pre td{padding:8px 12px 8px 0;text-align:left;border-bottom:1px solid #8884}.pre pre{overflow:auto}</style>`;

const descriptionTag = (text: string): string => `<meta name="description" content="${escapeHtml(text)}">`;

/** Puts the page's head and content into the console's page. The console replaces the content when it starts. */
export function insertPage(shell: string, page: PublicPage): string {
  const { title, description, siteName, url, image, isHidden, data } = page;
  const full = title === siteName ? title : `${title} · ${siteName}`;
  const head = [
    `<title>${escapeHtml(full)}</title>`,
    descriptionTag(description),
    isHidden ? '<meta name="robots" content="noindex">' : `<link rel="canonical" href="${escapeHtml(url)}">`,
    `<meta property="og:type" content="website">`,
    `<meta property="og:title" content="${escapeHtml(full)}">`,
    `<meta property="og:description" content="${escapeHtml(description)}">`,
    `<meta property="og:site_name" content="${escapeHtml(siteName)}">`,
    // Without a public address there is only a path, which this property may not be.
    !url.startsWith("/") && `<meta property="og:url" content="${escapeHtml(url)}">`,
    image && `<meta property="og:image" content="${escapeHtml(image)}">`,
    // A "<" in a text must not end the element.
    data && `<script type="application/ld+json">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`,
    STYLE,
  ];
  return shell
    .replace(/<html lang="[^"]*"/, () => `<html lang="${escapeHtml(page.language)}"`)
    .replace(/<title>[^<]*<\/title>(<meta name="description"[^>]*>)?/, () => head.filter(Boolean).join(""))
    .replace('<div id="root"></div>', () => `<div id="root"><main class="pre">${page.content}</main></div>`);
}

type Brand = Readonly<{ name: string; description: string; logo: string; styles: boolean }>;

/** Adds the operator's name, description, icon and style sheet to any page of the console. */
export function insertBrand(shell: string, brand: Brand): string {
  const head = `<title>${escapeHtml(brand.name)}</title>${descriptionTag(brand.description)}`;
  let html = shell.replace(/<title>[^<]*<\/title>/, () => head);
  if (brand.logo !== "")
    html = html.replace(/<link rel="icon"[^>]*>/, () => `<link rel="icon" href="${escapeHtml(brand.logo)}">`);
  return brand.styles ? html.replace("</head>", () => '<link rel="stylesheet" href="/brand.css"></head>') : html;
}

type Say = (code: MessageCode, params?: MessageParams) => string;

/** USD of an image for each unit of model ratio, at 1024 × 1024. */
const USD_OF_IMAGE_PER_RATIO = 0.0025;
const TOKENS_PER_PRICE = 1_000_000;
/** Tokens charged per minute of audio. */
const TOKENS_PER_MINUTE = 1000;
const DECIMALS = 6;
const FULL = 10_000;

/** The path of a model's page; names contain slashes. */
export const pagePath = (model: string): string => `/model/${model.split("/").map(encodeURIComponent).join("/")}`;

/** What turns the price list's ratios into dollars. */
export type Rate = Readonly<{ groupRatio: number; quotaPerUnit: number }>;

/** The price of a model in a group, as a short text. */
export function priceText(model: PricedModel, { groupRatio, quotaPerUnit }: Rate, say: Say): string {
  if (!model.is_priced) return say("page_unpriced");
  const input = ((model.model_ratio * TOKENS_PER_PRICE) / quotaPerUnit) * groupRatio;
  if (model.unit === "token")
    return say("page_token_price", { input: usd(input), output: usd(input * model.completion_ratio) });
  const perUnit = {
    call: 0,
    second: 0,
    video: 0,
    image: model.model_ratio * USD_OF_IMAGE_PER_RATIO * groupRatio,
    minute: (input * TOKENS_PER_MINUTE) / TOKENS_PER_PRICE,
    character: input,
  };
  const price = usd(model.quota_type === 1 ? model.model_price * groupRatio : perUnit[model.unit]);
  return say(`page_${model.unit}_price`, { price });
}

/** The context window as a text; empty where it is not known. */
export const contextText = ({ context_window }: PricedModel, say: Say): string =>
  context_window === null ? "" : say("page_tokens", { count: context_window.toLocaleString("en") });

/** A share of ten thousand as a percentage; a dash where there is none. */
export const shareText = (share: number | null): string =>
  share === null ? "–" : `${((share / FULL) * 100).toFixed(2)}%`;

const usd = (amount: number): string => `$${Number(amount.toFixed(DECIMALS))}`;

/** The grounds that the accent stands on, as ui/theme/tokens.ts has them. */
const GROUND = { light: readColor("#ffffff"), dark: readColor("#0f161e") } as const;
const HOVER = 0.16;

/** Whether the operator has a style sheet of their own. */
export const hasBrandStyles = (settings: SettingsReader): boolean =>
  settings.get("BrandColor") !== "" || settings.get("CustomCss").trim() !== "";

/** The operator's style sheet: the accent color in both color schemes, then their own CSS. */
export function brandStyles(settings: SettingsReader): string {
  const color = settings.get("BrandColor");
  return `${color === "" ? "" : accentStyles(color)}${settings.get("CustomCss")}\n`;
}

/** The variables of the theme that depend on the accent color, adapted until text in it is readable on either ground. */
export function accentStyles(color: string): string {
  const scheme = (name: "light" | "dark"): string => {
    const main = readableOn(readColor(color), GROUND[name]);
    const away = readColor(name === "light" ? "#000000" : "#ffffff");
    const channel = main.map((part) => Math.round(part)).join(" ");
    const variables = {
      "primary-main": hexOf(main),
      "primary-mainChannel": channel,
      "primary-dark": hexOf(mixColors(main, away, HOVER)),
      "primary-light": hexOf(mixColors(main, away, HOVER / 2)),
      "primary-contrastText": hexOf(textOn(main)),
      accentTint: `${hexOf(main)}24`,
      "surface-selected": hexOf(mixColors(GROUND[name], main, 0.08)),
    };
    const lines = Object.entries(variables).map(([variable, value]) => `--sl-palette-${variable}:${value};`);
    return `html[data-scheme="${name}"]{${lines.join("")}}\n`;
  };
  return scheme("light") + scheme("dark");
}
