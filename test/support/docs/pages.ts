import { readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

const ROOT = join(import.meta.dir, "../../..");
const PAGES = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/**/*.md"];
const CHINESE = /^docs\/zh\//;

/** A page of the documentation; `path` is relative to the project. */
export type DocPage = Readonly<{ path: string; text: string }>;

/** A fenced `sh` block; `reason` says why it cannot run in a test, null: it can. */
export type ShellBlock = Readonly<{ page: string; line: number; script: string; reason: string | null }>;

/** Every page of the documentation in English. */
export const readPages = (): DocPage[] => readAll().filter(({ path }) => !CHINESE.test(path));

/** Every page in Chinese. */
export const readChinesePages = (): DocPage[] => readAll().filter(({ path }) => CHINESE.test(path));

function readAll(): DocPage[] {
  const paths = PAGES.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]);
  return paths.sort().map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** The `sh` blocks of a page, in order; those in lists without their indentation. */
export function shellBlocks({ path, text }: DocPage): ShellBlock[] {
  return [...text.matchAll(/^( *)```sh([^\n]*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = "", info = "", script = ""], at, all) => ({
      page: path,
      line: text.slice(0, all[at]?.index).split("\n").length,
      script: script.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      reason: /not-run: (.+)/.exec(info)?.[1] ?? null,
    }),
  );
}

/**
 * Links of a page that lead nowhere, as `page → target`: files that do not exist and headings that their page has not. Links to
 * other sites are not followed.
 */
export function brokenLinks({ path, text }: DocPage, pages: readonly DocPage[]): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && !leads(path, target, pages))
    .map((to) => `${path} → ${to}`);
}

function leads(from: string, target: string, pages: readonly DocPage[]): boolean {
  const [file = "", anchor] = target.split("#");
  // The documentation's own root: an English page, from one in Chinese.
  const path =
    file === ""
      ? from
      : file.startsWith("/")
        ? join("docs", file.endsWith("/") ? `${file}index.md` : `${file}.md`)
        : normalize(join(dirname(from), file));
  const page = pages.find((candidate) => candidate.path === path);
  if (anchor !== undefined) return page !== undefined && anchors(page.text).includes(anchor);
  return (
    page !== undefined || new Bun.Glob(relative(ROOT, join(ROOT, path))).scanSync({ cwd: ROOT }).next().done === false
  );
}

/** What VitePress' `slugify` makes a line of (https://github.com/mdit-vue/mdit-vue, packages/shared). */
const SPECIAL = /[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g;

/** Anchors of headings, as the site makes them; those that a heading names itself. */
export function anchors(text: string): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(
    ([, heading = ""]) =>
      /\{#([^}]+)\}$/.exec(heading)?.[1] ??
      heading
        .toLowerCase()
        .replaceAll(SPECIAL, "-")
        .replace(/^-+|-+$/g, "")
        .replace(/^(\d)/, "_$1"),
  );
}
