import { type OptionKey, registry } from "../../../src/settings/registry/index.ts";
import { readAll, type SettingsReader } from "../../../src/settings/settings.ts";

/** Read once: shipped prices are thousands of numbers, and some tests start a gateway for every case. */
let defaults: ReturnType<typeof readAll>["values"] | undefined;

/** Settings that never change, for tests of what reads them: defaults, and the given texts. Throws on a refused text. */
export function fixedSettings(texts: Partial<Record<OptionKey, string>> = {}): SettingsReader {
  defaults ??= readAll(new Map()).values;
  const entries = Object.entries(texts) as [OptionKey, string][];
  const own = entries.map(([key, text]) => [key, registry[key].read(text, key).value] as const);
  const values = { ...defaults, ...Object.fromEntries(own) };
  return { values, get: (key) => values[key], version: 1 };
}
