import { type OptionKey, optionKeys, registry } from "../../../src/settings/registry/index.ts";
import { SECTIONS } from "../../../ui/features/settings/sections.ts";
import { wordOf } from "../../../ui/features/settings/setting-field.ts";
import words from "../../../ui/locales/en/settings/settings.json";
import { between } from "./compatibility-table.ts";

/** Longer defaults are maps and lists: the console shows them. */
const MOST_CHARACTERS = 40;

type Words = Readonly<Record<string, Readonly<{ label?: string; help?: string; title?: string; purpose?: string }>>>;

const [sections, fields]: readonly [Words, Words] = [words.sections, words.fields];

/** Every section of the settings with its options: label, key of the API, default, and what it does. */
export function settingsTables(): string {
  const shown = new Set<OptionKey>();
  const parts = SECTIONS.filter(({ fields }) => fields.length > 0).map(({ id, tab, fields }) => {
    const { title = id, purpose = "" } = sections[id] ?? {};
    const rows = fields.map(({ key }) => {
      shown.add(key);
      return rowOf(key);
    });
    return [`### ${words.tabs[tab]}: ${title}`, "", purpose, "", ...headOf("Setting"), ...rows].join("\n");
  });
  const others = optionKeys.filter((key) => !shown.has(key));
  const rest = others.map((key) => `| \`${key}\` | ${defaultOf(key)} |`);
  return [...parts, ["### Set on other pages", "", "| Key | Default |", "| --- | --- |", ...rest].join("\n")].join(
    "\n\n",
  );
}

const headOf = (name: string) => [`| ${name} | Key | Default | What it does |`, "| --- | --- | --- | --- |"];

function rowOf(key: OptionKey): string {
  const { label = key, help = "" } = fields[wordOf(key)] ?? {};
  return `| ${cell(label)} | \`${key}\` | ${defaultOf(key)} | ${cell(help)} |`;
}

function defaultOf(key: OptionKey): string {
  const { initial, traits } = registry[key];
  if (traits.secret) return "*secret*";
  if (initial === "") return "";
  const text = initial.replace(/\s+/g, " ");
  return text.length > MOST_CHARACTERS ? "*a list*" : `\`${text.replaceAll("|", "\\|")}\``;
}

const cell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{{", "{").replaceAll("}}", "}");

/** The page of settings with its tables between their markers. Throws when it has no markers. */
export const withSettings = (text: string): string => between(text, "settings", settingsTables());
