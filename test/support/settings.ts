import { type OptionKey, registry } from "../../src/settings/registry/index.ts";
import { readAll, type SettingsReader } from "../../src/settings/settings.ts";

/** Settings that never change, for tests of what reads them: defaults, and the given texts. Throws on a refused text. */
export function fixedSettings(texts: Partial<Record<OptionKey, string>> = {}): SettingsReader {
  const given = Object.entries(texts) as [OptionKey, string][];
  for (const [key, text] of given) registry[key].read(text, key);
  const { values } = readAll(new Map(given));
  return { get: (key) => values[key], version: 1 };
}
