/**
 * `bun run missing-texts`: what the machine-made languages lack, of the console's texts and of the server's messages; exit code 1 if
 * they lack anything. Between releases English stands for it; a release lacks none.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { catalogue } from "../../../src/lib/messages.ts";
import { completeTexts, MACHINE_MADE, type Texts } from "../../../ui/locales/translation.ts";
import { keyOf, listTextFiles } from "./texts-plugin.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
/** Written by this project: its shape is tested. */
const read = (file: string): Texts => JSON.parse(readFileSync(path.join(ROOT, file), "utf8"));

const english: Texts = Object.fromEntries(
  listTextFiles().map((file) => [keyOf(file), read(`ui/locales/en/${file}.json`)]),
);
const lines = MACHINE_MADE.flatMap((language) => {
  const texts = read(`ui/locales/translations/${language}.json`);
  const messages = read(`src/lib/messages/translations/${language}.json`);
  return [
    ...missing(completeTexts(language, english), texts).map(
      (key) => `ui/locales/translations/${language}.json: ${key}`,
    ),
    ...missing(catalogue, messages, ["en", "zh"]).map(
      (code) => `src/lib/messages/translations/${language}.json: ${code}`,
    ),
  ];
});
process.stdout.write(lines.length > 0 ? `${lines.join("\n")}\n` : "Nothing is missing.\n");
process.exit(lines.length > 0 ? 1 : 0);

/** The keys of `all` that `own` has not; texts under a name of `leaves` count as one. */
function missing(all: object, own: unknown, leaves: readonly string[] = [], prefix = ""): string[] {
  return Object.entries(all).flatMap(([key, text]) => {
    const mine =
      typeof own === "object" && own !== null ? Object.entries(own).find(([name]) => name === key)?.[1] : undefined;
    const isLeaf = typeof text === "string" || leaves.some((leaf) => leaf in text);
    if (isLeaf) return mine === undefined ? [`${prefix}${key}`] : [];
    return missing(text, mine, leaves, `${prefix}${key}.`);
  });
}
