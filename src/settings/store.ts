import { eq, inArray, sql } from "drizzle-orm";
import { options } from "../../db/schema/settings.ts";
import type { Db, DbOrTx } from "../../db/types.ts";
import { OperationError } from "../lib/operation-error.ts";
import type { Vault } from "../lib/security/crypto.ts";
import { findOption, type OptionKey, optionKeys, registry } from "./registry/index.ts";

/**
 * Checks `value` and stores it; nothing is stored when it is refused. Whoever calls this publishes the change afterwards.
 * Throws OperationError (option_unknown, or what the option says).
 */
export async function saveOption(db: DbOrTx, vault: Vault, key: string, value: string): Promise<void> {
  const option = findOption(key);
  if (!option) throw new OperationError("option_unknown", { key: key.slice(0, 100) });
  const { text } = option.read(value, key);
  const stored = option.traits.secret && text !== "" ? vault.encrypt(text) : text;
  await db
    .insert(options)
    .values({ key, value: stored })
    .onConflictDoUpdate({ target: options.key, set: { value: stored } });
}

/** Changes of several options at a time wait for each other. */
const CHANGING = 7_302_019;

/**
 * Changes several options at once, from the texts that are stored: of two changes at the same moment neither is lost.
 * `change` returns the texts of those that change. Nothing is stored when it throws or one of its texts is refused. Whoever
 * calls this publishes the changes afterwards. Resolves with the options that changed.
 */
export function changeOptions(
  db: Db,
  vault: Vault,
  keys: readonly OptionKey[],
  change: ChangeTexts,
): Promise<OptionKey[]> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${CHANGING})`);
    const stored = await loadOptions(tx, vault, keys);
    const textOf = (key: OptionKey) => stored.get(key) ?? registry[key].initial;
    const changed: OptionKey[] = [];
    for (const [key, text] of change(textOf)) {
      if (isSameText(text, textOf(key))) continue;
      // What is as the release has it follows the next release too.
      if (isSameText(text, registry[key].initial)) await tx.delete(options).where(eq(options.key, key));
      else await saveOption(tx, vault, key, text);
      changed.push(key);
    }
    return changed;
  });
}

/** Makes new texts of options from their present ones. */
export type ChangeTexts = (textOf: (key: OptionKey) => string) => ReadonlyMap<OptionKey, string>;

/** Written alike, or JSON objects with the same members in whichever order. */
function isSameText(a: string, b: string): boolean {
  if (a === b) return true;
  const [left, right] = [membersOf(a), membersOf(b)];
  return (
    left !== null &&
    right !== null &&
    left.size === right.size &&
    [...left].every(([name, json]) => right.get(name) === json)
  );
}

function membersOf(text: string): Map<string, string> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return new Map(Object.entries(value).map(([name, member]) => [name, JSON.stringify(member)]));
  } catch {
    return null;
  }
}

/** The stored texts of the given options in clear; options without a row are absent. */
export async function loadOptions(
  db: DbOrTx,
  vault: Vault,
  keys: readonly OptionKey[] = optionKeys,
): Promise<Map<OptionKey, string>> {
  const rows = await db
    .select()
    .from(options)
    .where(keys === optionKeys ? undefined : inArray(options.key, [...keys]));
  const texts = new Map<OptionKey, string>();
  for (const { key, value } of rows) {
    const option = findOption(key);
    if (!option) continue;
    texts.set(key as OptionKey, option.traits.secret && value !== "" ? vault.decrypt(value) : value);
  }
  return texts;
}
