import { parseJson } from "../../../../formats/json.ts";
import { findOption, isOptionKey, type OptionKey, optionKeys, registry } from "../../../../settings/registry/index.ts";
import { guardWaysIn } from "../../../accounts/sign-in/sign-in-methods.ts";
import { PRICE_OPTIONS } from "../../../models/pricing.ts";
import type { Kind } from "../kind.ts";

type OptionEntry = { value: unknown };

/** Options that are resources of their own in files, or the gateway's notes to itself. */
const ELSEWHERE: ReadonlySet<string> = new Set<OptionKey>([
  ...PRICE_OPTIONS,
  ...([
    "ModelRoutes",
    "Guardrails",
    "GuardrailKeys",
    "GroupRatio",
    "UserUsableGroups",
    "TopupGroupRatio",
    "ModelCatalogUpdate",
  ] as const),
]);

/** Options of the site. */
export const optionsKind: Kind<OptionEntry> = {
  section: "options",
  right: "settings:write",
  defaults: {},
  // Switches need what they work with, and those that exclude each other are turned off first.
  entriesOf: ({ options = {} }) =>
    Object.entries(options)
      .map(([name, value]) => ({ name, at: name, entry: { value } }))
      .sort((a, b) => rankOf(a.entry.value) - rankOf(b.entry.value)),
  toValue: ({ value }) => value,
  secretsOf: (_, name) => (isSecretOption(name) ? [["value"]] : []),
  async open({ db, settings }, entries) {
    await guardWaysIn(
      { db, settings },
      Object.fromEntries(entries.map(({ name, entry }) => [name, textOf(entry.value)])),
    );
    const texts = new Map(settings.list().map(({ key, value }) => [key, value]));
    const keys = optionKeys.filter((key) => !ELSEWHERE.has(key));
    const save = async (entry: Partial<OptionEntry>, name: string) => settings.set(name, textOf(entry.value));
    return {
      stored: keys.map((key) => {
        const text = texts.get(key) ?? String(settings.get(key) ?? "");
        return { id: 0, name: key, entry: { value: typedValue(text) }, isInitial: text === registry[key].initial };
      }),
      create: save,
      update: (stored, changed) => save(changed, stored.name),
      remove: async ({ name }) => isOptionKey(name) && settings.reset(name),
    };
  },
};

const isSecretOption = (name: string): boolean => findOption(name)?.traits.secret === true;

const rankOf = (value: unknown): number => (value === false ? 0 : value === true ? 2 : 1);

/** JSON and numbers as a file has them: only what turns into the same text again. */
function typedValue(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?\d{1,15}$/.test(text) && String(Number(text)) === text) return Number(text);
  const json = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  return json ?? text;
}

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : String(value ?? "");
