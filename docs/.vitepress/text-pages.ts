import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withRequirements } from "./asvs.ts";

type Section = Readonly<{ text: string; items: readonly Readonly<{ text: string; link: string }>[] }>;

const INCLUDE = /^<!--@include: (.+)-->$/gm;

/**
 * Writes each page as Markdown next to its HTML, and `llms.txt`, which lists them (https://llmstxt.org): for agents, which read
 * text. `pages`: sources in `srcDir`, as VitePress names them.
 */
export function writeTextPages(
  { srcDir, outDir, pages }: Readonly<{ srcDir: string; outDir: string; pages: readonly string[] }>,
  { title, summary, base, sections }: Readonly<{ title: string; summary: string; base: string; sections: Section[] }>,
): void {
  const texts = new Map(pages.map((page) => [page, textOf(srcDir, page)]));
  for (const [page, text] of texts) {
    mkdirSync(dirname(join(outDir, page)), { recursive: true });
    writeFileSync(join(outDir, page), text);
  }
  const line = ({ text, link }: Section["items"][number]) => {
    const page = `${link.slice(1)}${link.endsWith("/") ? "index" : ""}.md`;
    const said = summaryOf(texts.get(page) ?? "");
    return `- [${text}](${base}${page})${said && `: ${said}`}`;
  };
  const lists = sections.map(({ text, items }) => `## ${text}\n\n${items.map(line).join("\n")}\n`);
  writeFileSync(join(outDir, "llms.txt"), `# ${title}\n\n> ${summary}\n\n${lists.join("\n")}`);
}

/** The text of a page, with what it includes; links of included pages fit the site. */
const textOf = (srcDir: string, page: string): string =>
  withRequirements(readFileSync(join(srcDir, page), "utf8")).replace(INCLUDE, (_mark, file: string) =>
    readFileSync(join(srcDir, dirname(page), file.trim()), "utf8")
      .replace(/\]\((ARCHITECTURE|CONTRIBUTING)\.md/g, (_link, name: string) => `](${name.toLowerCase()}.md`)
      .replaceAll("](docs/", "]("),
  );

/** The first sentence of a page's first paragraph, without links and emphasis; empty: it has none. */
function summaryOf(text: string): string {
  const paragraph = text
    .replace(/^---\n.*?\n---\n/s, "")
    .split(/\n\s*\n/)
    .find((block) => /^(?!```)[A-Z*`[]/i.test(block.trim()));
  const plain = (paragraph ?? "").replace(/\s+/g, " ").replace(/\[([^\]]+)\]\([^)]*\)|\*\*/g, "$1");
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
}
