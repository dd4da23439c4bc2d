import { findOption } from "./registry/index.ts";
import type { Settings } from "./settings.ts";

/** The texts of all options by key; of secrets only whether they are set. */
export type OptionTexts = ReadonlyMap<string, string>;

const SECRET_SET = "set";
const MOST_ENTRIES = 100;
const LONGEST_TEXT = 2000;

/** What options are now, to find out later what changed. */
export const optionTexts = (settings: Pick<Settings, "list" | "secretsSet">): OptionTexts =>
  new Map([
    ...settings.list().map(({ key, value }) => [key, value] as const),
    ...settings.secretsSet().map((key) => [key, SECRET_SET] as const),
  ]);

type Reported = { before: Record<string, unknown>; after: Record<string, unknown> };

/**
 * What the options of these keys were and are, for the log: of JSON the entries that differ, of secrets only that they were
 * changed.
 */
export function describeOptionChanges(keys: readonly string[], before: OptionTexts, after: OptionTexts): Reported {
  const reported: Reported = { before: {}, after: {} };
  for (const key of keys) {
    const [was, is] = [before.get(key) ?? "", after.get(key) ?? ""];
    if (findOption(key)?.traits.secret) {
      reported.before[key] = was && { secret: SECRET_SET };
      reported.after[key] = is && { secret: "changed" };
    } else if (was !== is && !describeEntries(key, was, is, reported)) {
      reported.before[key] = was.slice(0, LONGEST_TEXT);
      reported.after[key] = is.slice(0, LONGEST_TEXT);
    }
  }
  return reported;
}

/** Entries of a JSON object by themselves, unless one of the texts is none, or too many differ. */
function describeEntries(key: string, was: string, is: string, reported: Reported): boolean {
  const [from, to] = [readObject(was), readObject(is)];
  if (!from || !to) return false;
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changed = names.filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]));
  if (changed.length === 0 || changed.length > MOST_ENTRIES) return false;
  for (const name of changed) {
    if (Object.hasOwn(from, name)) reported.before[`${key}: ${name}`] = from[name];
    if (Object.hasOwn(to, name)) reported.after[`${key}: ${name}`] = to[name];
  }
  return true;
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
