import { inArray } from "drizzle-orm";
import { options } from "../../db/schema/settings.ts";
import type { DbOrTx } from "../../db/types.ts";
import type { Vault } from "../lib/crypto.ts";
import { OperationError } from "../lib/operation-error.ts";
import { findOption, type OptionKey, optionKeys } from "./registry/index.ts";

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
