/** A public page as search engines get it. Texts are plain, `content` is HTML. */
export type PublicPage = Readonly<{
  language: string;
  title: string;
  description: string;
  siteName: string;
  /** The page's own address. */
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
    `<meta property="og:url" content="${escapeHtml(url)}">`,
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
