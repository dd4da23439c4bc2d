import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { PARTS } from "../../../ui/locales/parts.ts";
import { completeTexts, MACHINE_MADE, type Texts } from "../../../ui/locales/translation.ts";

const LOCALES = path.resolve(import.meta.dir, "../../../ui/locales");
const LANGUAGES = ["en", "zh", ...MACHINE_MADE];

/**
 * The console's texts as modules, made from `ui/locales` while it is bundled: `texts:all` has a loader for each part of each language,
 * `texts:LANGUAGE/PART` the texts of a part, `texts:LANGUAGE:FILE` those of a file under `ui/locales/en`.
 */
const textsPlugin: Bun.BunPlugin = {
  name: "texts",
  setup(build) {
    build.onResolve({ filter: /^texts:/ }, ({ path: name }) => ({ path: name.slice(6), namespace: "texts" }));
    build.onLoad({ filter: /.*/, namespace: "texts" }, ({ path: name }) => ({
      contents: moduleOf(name),
      loader: "js",
    }));
  },
};

export default textsPlugin;

function moduleOf(name: string): string {
  if (name === "all") {
    const loaders = LANGUAGES.map((language) => {
      const parts = Object.keys(PARTS).map((part) => `${part}: () => import("texts:${language}/${part}")`);
      return `"${language}": { ${parts.join(", ")} }`;
    });
    return `export default { ${loaders.join(", ")} };`;
  }
  const [, language = "", file] = /^([^/:]+):(.+)$/.exec(name) ?? [];
  if (file !== undefined) return `export default ${JSON.stringify(readTexts(language, file))};`;
  const [, tag = "", part = ""] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const files = Object.entries(PARTS).find(([known]) => known === part)?.[1] ?? [];
  return files.map((one) => `export { default as ${keyOf(one)} } from "texts:${tag}:${one}";`).join("\n");
}

/** The texts of a language for a file under `ui/locales/en`. */
function readTexts(language: string, file: string): Texts {
  const english = readJson(`en/${file}`);
  if (language === "en" || language === "zh") return readJson(`${language}/${file}`);
  const own = readJson(`translations/${language}`)[keyOf(file)];
  return completeTexts(language, english, typeof own === "object" ? own : {});
}

/** The first word of the keys of a file's texts: `api-keys/key-usage` has `keyUsage`. */
export const keyOf = (file: string): string =>
  path.basename(file).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The files of English, as parts name them. */
export const listTextFiles = (): string[] =>
  readdirSync(path.join(LOCALES, "en"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -5).replaceAll(path.sep, "/"))
    .sort();

/** Written by this project: its shape is tested. */
const readJson = (file: string): Texts => JSON.parse(readFileSync(path.join(LOCALES, `${file}.json`), "utf8"));
