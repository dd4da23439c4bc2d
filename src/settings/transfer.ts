import { OperationError } from "../lib/operation-error.ts";
import { findOption, isOptionKey, type OptionKey, optionKeys } from "./registry/index.ts";
import type { Settings } from "./settings.ts";

/** One option that an import would change; the texts of secrets are not shown. */
export type ImportChange = Readonly<{ key: OptionKey; isSecret: boolean; before: string | null; after: string | null }>;

export type ImportPlan = Readonly<{
  changes: readonly ImportChange[];
  /** What is refused, with the reason. */
  problems: readonly Readonly<{ key: string; error: OperationError }>[];
}>;

const isSecret = (key: OptionKey): boolean => findOption(key)?.traits.secret === true;
const textOfSecret = (settings: Settings, key: OptionKey): string => String(settings.get(key) ?? "");

/** The texts of all options; secrets that are set only where they are asked for. */
export function exportSettings(settings: Settings, withSecrets: boolean): Record<string, string> {
  const texts = Object.fromEntries(settings.list().map(({ key, value }) => [key, value]));
  if (!withSecrets) return texts;
  return { ...texts, ...Object.fromEntries(settings.secretsSet().map((key) => [key, textOfSecret(settings, key)])) };
}

/** What importing `given` would change, without changing anything. */
export function planImport(settings: Settings, input: Readonly<Record<string, string>>): ImportPlan {
  const present = new Map(settings.list().map(({ key, value }) => [key, value]));
  const changes: ImportChange[] = [];
  const problems: { key: string; error: OperationError }[] = [];
  for (const [key, value] of Object.entries(input)) {
    try {
      const option = findOption(key);
      if (!option || !isOptionKey(key)) throw new OperationError("option_unknown", { key: key.slice(0, 100) });
      const { text } = option.read(value, key);
      const before = isSecret(key) ? textOfSecret(settings, key) : (present.get(key) ?? "");
      if (text === before) continue;
      changes.push(
        isSecret(key)
          ? { key, isSecret: true, before: null, after: null }
          : { key, isSecret: false, before, after: text },
      );
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      problems.push({ key, error });
    }
  }
  const order = (key: OptionKey) => optionKeys.indexOf(key);
  return { changes: changes.sort((a, b) => order(a.key) - order(b.key)), problems };
}

/**
 * Saves what `given` changes: values first, then switches, which may need them; those that are turned off before those that
 * are turned on. Nothing is saved when a value is invalid: throws its OperationError. Returns the keys that were saved and
 * those that were refused.
 */
export async function importSettings(
  settings: Settings,
  input: Readonly<Record<string, string>>,
): Promise<Readonly<{ saved: OptionKey[]; refused: { key: OptionKey; error: OperationError }[] }>> {
  const { changes, problems } = planImport(settings, input);
  if (problems[0]) throw problems[0].error;
  const rank = ({ after }: ImportChange) => (after === "false" ? 0 : after === "true" ? 2 : 1);
  const saved: OptionKey[] = [];
  const refused: { key: OptionKey; error: OperationError }[] = [];
  for (const change of [...changes].sort((a, b) => rank(a) - rank(b))) {
    try {
      await settings.set(change.key, input[change.key] ?? "");
      saved.push(change.key);
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      refused.push({ key: change.key, error });
    }
  }
  return { saved, refused };
}
