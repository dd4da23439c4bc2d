import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import siteConfig from "../../docs/.vitepress/config.ts";
import { scripts } from "../../package.json";
import { anchors, brokenLinks, readChinesePages, readPages, shellBlocks } from "../../test/support/docs/pages.ts";
import { proxyFile } from "../../test/support/docs/proxy-files.ts";

const ROOT = `${import.meta.dir}/../..`;
const pages = readPages();

test("every link of the documentation leads to a page, a heading or a file", () => {
  expect(pages.flatMap((page) => brokenLinks(page, pages))).toEqual([]);
});

describe("in Chinese", () => {
  const chinese = readChinesePages();
  const codeOf = (text: string) => text.match(/^ *```[\s\S]*?^ *```$/gm) ?? [];
  const levelsOf = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").match(/^#+(?= )/gm) ?? [];

  test.each(chinese.map(({ path }) => path))(
    "%s has the headings, the anchors and the code of the English page",
    (path) => {
      const textOf = (of: typeof pages, name: string) => of.find((page) => page.path === name)?.text ?? "";
      const [english, translated] = [textOf(pages, path.replace("docs/zh/", "docs/")), textOf(chinese, path)];
      expect(codeOf(translated)).toEqual(codeOf(english));
      expect(levelsOf(translated)).toEqual(levelsOf(english));
      expect(anchors(translated).slice(1)).toEqual(anchors(english).slice(1));
    },
  );

  test("every link leads to a page, a heading or a file", () => {
    expect(chinese.flatMap((page) => brokenLinks(page, [...pages, ...chinese]))).toEqual([]);
  });
});

test("a broken link is found", () => {
  const page = { path: "docs/a.md", text: "[x](b.md) [y](#gone) [z](#here) [site](https://example.test)\n\n## Here\n" };
  expect(brokenLinks(page, [page])).toEqual(["docs/a.md → b.md", "docs/a.md → #gone"]);
});

test("the README is a landing page", () => {
  const readme = pages.find(({ path }) => path === "README.md")?.text ?? "";
  expect(Buffer.byteLength(readme)).toBeGreaterThan(1000);
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(8192);
});

/** What a command of the README or of CONTRIBUTING needs in the tree; one that is none of these can't be written there. */
const NEEDS: readonly (readonly [RegExp, (match: RegExpExecArray) => string[]])[] = [
  [/^sh (scripts\/\S+)/, ([, file = ""]) => [file]],
  [/^docker compose (?:up|--profile)\b/, () => ["compose.yaml", "Dockerfile"]],
  [/^(?:curl|export) /, () => []],
  [/^bun run ([\w:-]+)/, ([, script = ""]) => (script in scripts ? [] : [`package.json: scripts.${script}`])],
  [/^bun (?:test )?((?:src|scripts|test)\/\S+)/, ([, path = ""]) => [path]],
];

test("every command of the README and of CONTRIBUTING has what it needs in the tree", () => {
  const named = pages.filter(({ path }) => path === "README.md" || path === "CONTRIBUTING.md");
  const inBlocks = named.flatMap((page) => shellBlocks(page).map(({ script }) => script.replaceAll("\\\n", " ")));
  const inTables = named.flatMap(({ text }) =>
    [...text.matchAll(/`((?:bun|sh) [^`\n]+)`/g)].map(([, command = ""]) => command),
  );
  const commands = [
    ...inBlocks.flatMap((block) => block.split(/\n|&&|,\s(?=bun |sh )/)),
    ...inTables.flatMap((line) => line.split("&&")),
  ]
    .map((command) => command.trim())
    .filter((command) => command !== "" && !command.startsWith("#"));
  expect(commands).toContain("docker compose up -d");
  expect(commands.filter((command) => command.startsWith("bun "))).not.toBeEmpty();
  const missing = commands.flatMap((command) => {
    for (const [pattern, needs] of NEEDS) {
      const match = pattern.exec(command);
      if (match)
        return needs(match)
          .filter((file) => !existsSync(`${ROOT}/${file}`))
          .map((file) => `${command}: ${file}`);
    }
    return [`${command}: unknown`];
  });
  expect(missing).toEqual([]);
});

test("the README names both commands, and CONTRIBUTING where their Bun is", () => {
  const textOf = (name: string) => pages.find(({ path }) => path === name)?.text ?? "";
  for (const command of ["sh scripts/run.sh", "sh scripts/test.sh", "docker compose up -d"])
    expect(textOf("README.md")).toContain(command);
  const line = /^export PATH="\$PWD\/(\S+?):\$PATH"/m.exec(textOf("CONTRIBUTING.md"))?.[1];
  const tools = readFileSync(`${ROOT}/scripts/tools.sh`, "utf8");
  expect(tools).toContain(`PATH="$root/${line}:$PATH"`);
  // What `bun run` starts finds it too, however Bun itself was started.
  expect(Bun.TOML.parse(readFileSync(`${ROOT}/bunfig.toml`, "utf8"))).toMatchObject({ run: { bun: true } });
});

test("every guide and operator's page is in the site's sidebar", () => {
  const sidebar = JSON.stringify(siteConfig.themeConfig?.sidebar);
  const listed = pages.filter(({ path }) => /^docs\/(guide|operate)\//.test(path));
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter(({ path }) => !sidebar.includes(`"${path.slice("docs".length, -".md".length)}"`))).toEqual([]);
});

/** Words of a page as `wc` counts them, without what a program wrote between its marks. */
const wordsOf = (text: string): number =>
  text
    .replace(/<!-- ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g, "")
    .split(/\s+/)
    .filter(Boolean).length;

/** Where a page needs more, another one gives it up; tables that a program writes do not count. */
const MAX_WORDS = 62_000;

test("the documentation is short enough to be read, and a decision fits on a page", () => {
  const docs = pages.filter(({ path }) => path.startsWith("docs/"));
  const words = docs.reduce((sum, { text }) => sum + wordsOf(text), 0);
  expect(words).toBeGreaterThan(10_000);
  expect(words).toBeLessThanOrEqual(MAX_WORDS);
  const proseOf = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word)).length;
  const decisions = docs.filter(({ path }) => path.startsWith("docs/decisions/"));
  expect(decisions.length).toBeGreaterThan(10);
  expect(decisions.filter(({ text }) => proseOf(text) > 500).map(({ path }) => path)).toEqual([]);
  const tree = decisions.find(({ path }) => path === "docs/decisions/house.md")?.text ?? "";
  expect(tree.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

test("what a program writes into a page does not count", () => {
  expect(wordsOf("one two\n<!-- table -->\n| a | b |\n<!-- /table -->\nthree\n")).toBe(3);
});

test("every decision is listed", () => {
  const index = pages.find(({ path }) => path === "docs/decisions/index.md")?.text ?? "";
  const decisions = pages.flatMap(({ path }) => /^docs\/decisions\/(?!index)(.+)$/.exec(path)?.[1] ?? []);
  expect(decisions.filter((file) => !index.includes(`](${file})`))).toEqual([]);
});

test("shell blocks are read with their reasons, in lists too", () => {
  const text = "1. Run:\n\n   ```sh\n   ls \\\n     -l\n   ```\n\n```sh not-run: needs root\nreboot\n```\n";
  expect(shellBlocks({ path: "docs/a.md", text })).toEqual([
    { page: "docs/a.md", line: 3, script: "ls \\\n  -l\n", reason: null },
    { page: "docs/a.md", line: 8, script: "reboot\n", reason: "needs root" },
  ]);
});

test("the files of the page about proxies are YAML where they say so, and have their braces", () => {
  for (const path of ["/etc/traefik/traefik.yml", "/etc/traefik/sluice.yml", "/etc/cloudflared/config.yml"])
    expect(Object.keys(Object(Bun.YAML.parse(proxyFile(path)))).length).toBeGreaterThan(0);
  const caddy = proxyFile("/etc/caddy/Caddyfile");
  expect(caddy.split("{").length).toBe(caddy.split("}").length);
});
