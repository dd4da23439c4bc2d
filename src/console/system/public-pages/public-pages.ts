import type { ModelHealthReader } from "../../../domain/models/model-health.ts";
import { decodePath } from "../../../lib/http/request.ts";
import { type Language, languageOf, type MessageCode, type MessageParams, say } from "../../../lib/messages.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { type ModelPageView, mayReadStatus, type PublicModels } from "../../models/public-models.ts";
import {
  contextText,
  escapeHtml,
  hasBrandStyles,
  insertBrand,
  insertPage,
  type PublicPage,
  pagePath,
  priceText,
  type Rate,
  shareText,
  tableHtml,
} from "./page-html.ts";

type Services = Readonly<{ settings: SettingsReader; publicModels: PublicModels; modelHealth: ModelHealthReader }>;

/** A page of the console with what this site adds to it. */
export type RenderedPage = Readonly<{ html: string; status: 200 | 404 }>;

/** Renders the page at an address into the console's page (`shell`). `origin`: the address that visitors use. */
export type PageRenderer = (request: Request, shell: string) => Promise<RenderedPage>;

type Content = Pick<PublicPage, "title" | "description" | "content"> & Readonly<{ data?: object }>;
type Say = (code: MessageCode, params?: MessageParams) => string;

const VISITORS = "default";

/**
 * Renders the public pages (home, prices, models, status, about) with a head and content that need no script, for search
 * engines and link previews; other pages get the operator's name, icon and style sheet.
 */
export function createPublicPages({ settings, publicModels, modelHealth }: Services): PageRenderer {
  const rateOf = (): Rate => ({
    groupRatio: publicModels.book(VISITORS).groups.groupRatio[VISITORS] ?? 1,
    quotaPerUnit: settings.get("QuotaPerUnit"),
  });
  const contentOf = async (path: string, language: Language): Promise<Content | "missing" | null> => {
    const site = settings.get("SystemName");
    const text: Say = (code, params) => say(code, language, params);
    if (path === "/") return homeContent(settings, site, text);
    if (path === "/about") return aboutContent(settings, site, text);
    if (path === "/pricing") return pricesContent(publicModels, rateOf(), site, text);
    if (path === "/status" && mayReadStatus(settings, null)) return statusContent(modelHealth, site, text);
    if (!path.startsWith("/model/")) return null;
    const page = await publicModels.page(path.slice("/model/".length), null);
    return page ? modelContent(page, rateOf(), site, settings.get("ServerAddress"), text) : "missing";
  };
  return async (request, shell) => {
    const path = decodePath(new URL(request.url).pathname);
    const name = settings.get("SystemName");
    const logo = settings.get("Logo");
    const language = languageOf(request);
    const description = settings.get("HomeLead") || say("page_home", language);
    const branded = insertBrand(shell, { name, description, logo, styles: hasBrandStyles(settings) });
    const content = await contentOf(path, language);
    if (content === null) return { html: branded, status: 200 };
    if (content === "missing") return { html: branded, status: 404 };
    const address = settings.get("ServerAddress");
    const html = insertPage(branded, {
      ...content,
      language,
      siteName: name,
      url: `${address}${new URL(request.url).pathname}`,
      image: logo.startsWith("/") ? address && address + logo : /^https?:/.test(logo) ? logo : "",
      isHidden: !mayBeIndexed(settings),
    });
    return { html, status: 200 };
  };
}

/** Whether search engines may list the site: not one that its owner keeps to themselves. */
export const mayBeIndexed = (settings: SettingsReader): boolean =>
  settings.get("SearchIndexingEnabled") && !settings.get("SelfUseModeEnabled");

/** HTML in an operator's Markdown shows as text here. */
const markdown = (text: string): string => Bun.markdown.html(text, { noHtmlBlocks: true, noHtmlSpans: true });

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text.trim());

function homeContent(settings: SettingsReader, site: string, text: Say): Content {
  const own = settings.get("HomePageContent");
  const title = settings.get("HomeTitle") || site;
  const lead = settings.get("HomeLead") || text("page_home");
  const intro = `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(lead)}</p>`;
  const links = `<p><a href="/pricing">${escapeHtml(text("page_prices"))}</a></p>`;
  const content = own.trim() === "" || isAddress(own) ? intro : markdown(own);
  return {
    title: settings.get("HomeTitle") || site,
    description: settings.get("SiteDescription") || lead,
    content: content + links,
    data: { "@context": "https://schema.org", "@type": "WebSite", name: site },
  };
}

function aboutContent(settings: SettingsReader, site: string, text: Say): Content {
  const own = settings.get("About");
  const title = text("page_about", { site });
  const content = own.trim() === "" || isAddress(own) ? `<h1>${escapeHtml(title)}</h1>` : markdown(own);
  return { title, description: settings.get("SiteDescription") || title, content };
}

/** Rows of a table without scripts: thousands would hold up the console's own; the sitemap names every model. */
const MOST_ROWS = 300;

function pricesContent(publicModels: PublicModels, rate: Rate, site: string, text: Say): Content {
  const book = publicModels.book(VISITORS);
  const names = book.names();
  const rows = names
    .slice(0, MOST_ROWS)
    .map(book.priceOf)
    .map((model) => [
      { text: model.model_name, href: pagePath(model.model_name) },
      priceText(model, rate, text),
      contextText(model, text),
    ]);
  const title = text("page_prices");
  return {
    title,
    description: text("page_prices_about", { count: names.length, site }),
    content: `<h1>${escapeHtml(title)}</h1>${tableHtml([text("page_model"), text("page_price"), text("page_context")], rows)}`,
  };
}

async function statusContent(modelHealth: ModelHealthReader, site: string, text: Say): Promise<Content> {
  const statuses = await modelHealth.statuses(VISITORS);
  const title = text("page_status");
  const rows = statuses
    .slice(0, MOST_ROWS)
    .map(({ model_name, state, availability }) => [
      { text: model_name, href: pagePath(model_name) },
      text(`page_state_${state}`),
      shareText(availability),
    ]);
  return {
    title,
    description: text("page_status_about", { count: statuses.length, site }),
    content: `<h1>${escapeHtml(title)}</h1>${tableHtml([text("page_model"), title, text("page_availability")], rows)}`,
  };
}

function modelContent(page: ModelPageView, rate: Rate, site: string, address: string, text: Say): Content {
  const { model, facts, status, speed } = page;
  const name = model.model_name;
  const description = facts.description ?? text("page_model_about", { model: name, site });
  const price = priceText(model, rate, text);
  const rows: (readonly [string, string])[] = [[text("page_price"), price]];
  if (facts.provider) rows.unshift([text("page_provider"), facts.provider]);
  if (model.context_window !== null) rows.push([text("page_context"), contextText(model, text)]);
  if (model.input_modalities) rows.push([text("page_inputs"), model.input_modalities.join(", ")]);
  if (model.output_modalities) rows.push([text("page_outputs"), model.output_modalities.join(", ")]);
  if (status) {
    rows.push([text("page_status"), text(`page_state_${status.state}`)]);
    rows.push([text("page_availability"), shareText(status.availability)]);
  }
  if (speed?.first_token_p50_ms)
    rows.push([text("page_first_token"), `${(speed.first_token_p50_ms / 1000).toFixed(2)} s`]);
  const facets = rows.map(([term, value]) => `<dt>${escapeHtml(term)}</dt><dd>${escapeHtml(value)}</dd>`).join("");
  const body = JSON.stringify({ model: name, messages: [{ role: "user", content: "Hello" }] });
  const example = `curl ${address || "$SLUICE_URL"}/v1/chat/completions -H "Authorization: Bearer $SLUICE_KEY" -H "Content-Type: application/json" -d '${body}'`;
  return {
    title: name,
    description,
    content: `<h1>${escapeHtml(name)}</h1><p>${escapeHtml(description)}</p><dl>${facets}</dl><h2>${escapeHtml(text("page_example"))}</h2><pre><code>${escapeHtml(example)}</code></pre>`,
    data: {
      "@context": "https://schema.org",
      "@type": "Service",
      name,
      description,
      ...(address && { url: `${address}${pagePath(name)}` }),
      ...(facts.provider && { brand: { "@type": "Brand", name: facts.provider } }),
      provider: { "@type": "Organization", name: site },
    },
  };
}
