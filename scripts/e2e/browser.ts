import { existsSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { type Browser, chromium, type Page } from "playwright-core";
import en from "../../ui/locales/en.ts";
import zh from "../../ui/locales/zh.ts";

/** The console's words, by which a test finds what it clicks. */
export const WORDS = { en, zh } as const;
export type Language = keyof typeof WORDS;

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts the system's Chromium. Throws when there is none. */
export function openBrowser(): Promise<Browser> {
  const executablePath = CHROMIUM.find(existsSync);
  if (!executablePath) throw new Error("Chromium is not installed: apt-get install chromium");
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** A page in a language and colour scheme, with what it complains of: errors of scripts and refused requests. */
export async function openPage(
  browser: Browser,
  options: Readonly<{ language: Language; dark?: boolean; width?: number; height?: number }>,
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    locale: options.language === "zh" ? "zh-CN" : "en-US",
    colorScheme: options.dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { page, complaints };
}

/** Only what is wrong is put together, and no frames of other sites are looked into: a fifth of the time. */
const AXE_OPTIONS = { resultTypes: ["violations" as const] };

/** What axe finds serious or critical on the page as it stands. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options(AXE_OPTIONS).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

/** Pixels by which the page can be scrolled sideways; 0 is right. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
