import * as en from "../../ui/locales/en.ts";
import { type Findings, isTestFile, type SourceFile } from "./source.ts";

/** Keys that the code puts together: a start, values, and an end. */
const PUT_TOGETHER = /`([\w.]+\.)\$\{[^}]*\}(?:[\w.]*\$\{[^}]*\})*([\w.]*)`/g;

/** Columns of a list whose values have texts under a key: its description names only that. */
const CHOICES = /\btexts: "([\w.]+)"/g;

/** The names by which a list's description knows a text, which ui/components/page/list completes. */
const namesOfList = (name: string): readonly string[] => [
  name,
  name.replace(/^(columns|filters)\./, ""),
  name.replace(/(Title|Body)$/, ""),
];

/** Checks that the console's code names every text of the console, as it stands or put together from parts. */
export function checkUnusedTexts(files: readonly SourceFile[], texts: object = en): Findings {
  const code = files
    .filter(({ path }) => path.startsWith("ui/") && !isTestFile(path))
    .map(({ text }) => text)
    .join("\n");
  const literals = new Set(Array.from(code.matchAll(/"([\w.]+)"/g), ([, key]) => key));
  const words = new Set(code.match(/[\w.]+/g)?.flatMap((word) => [word, ...word.split(".")]));
  const patterns = [...code.matchAll(PUT_TOGETHER), ...code.matchAll(CHOICES)];
  const isPutTogether = (key: string) =>
    patterns.some(([, found = "", end = ""]) => {
      const start = found.endsWith(".") ? found : `${found}.`;
      if (!key.startsWith(start) || !key.endsWith(end)) return false;
      // Under a whole feature the end must stand in the code; deeper down it may be the server's word.
      const name = key.slice(start.length, key.length - end.length);
      return start.split(".").length > 2 || namesOfList(name).some((known) => words.has(known));
    });
  const keys = listKeys(texts).map((key) => key.replace(/_(one|other)$/, ""));
  return {
    problems: [...new Set(keys)]
      .filter((key) => !literals.has(key) && !isPutTogether(key))
      .map((key) => `ui/locales/en: no code of the console uses ${key}`),
  };
}

function listKeys(texts: object, prefix = ""): string[] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "object" ? listKeys(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}
