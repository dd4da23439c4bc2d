import { eq } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { options } from "../../db/schema/settings.ts";
import type { Db } from "../../db/types.ts";
import { OperationError } from "../lib/operation-error.ts";
import type { Logger } from "../lib/runtime/log.ts";
import { createSerial } from "../lib/runtime/serial.ts";
import type { Vault } from "../lib/security/crypto.ts";
import { findRemoved } from "../lib/values/tables/keep-table.ts";
import { guardChange } from "./guards.ts";
import { withBasePath } from "./option/public-address.ts";
import { findOption, isOptionKey, type OptionKey, type OptionValues, optionKeys, registry } from "./registry/index.ts";
import { type ChangeTexts, changeOptions, loadOptions, saveOption } from "./store.ts";

/** Reads the current value of any option from memory. */
export type SettingsReader = {
  /**
   * All options as they are now: one record, replaced by another with every change. What reads many, as a call does, reads
   * them here.
   */
  readonly values: OptionValues;
  get<K extends OptionKey>(key: K): OptionValues[K];
  /** Increases with every change, so that values derived from options can be cached until it differs. */
  readonly version: number;
};

export type Settings = SettingsReader & {
  /**
   * Validates and stores `value`, and applies it in every process. Resolves once this process uses it. Rejects OperationError,
   * and changes nothing, if the option is unknown or the value is invalid.
   */
  set(key: string, value: string): Promise<void>;
  /**
   * Changes several options in one step; `change` gets their stored texts. Resolves with the options that changed, once this
   * process uses them. Rejects OperationError, and changes nothing, if one text is invalid.
   */
  change(keys: readonly OptionKey[], change: ChangeTexts): Promise<readonly OptionKey[]>;
  /** Resets the option to its default. */
  reset(key: OptionKey): Promise<void>;
  /** The stored texts of all options that differ from their defaults, with secrets decrypted. */
  storedTexts(): [OptionKey, string][];
  /** The texts of all options except secrets. */
  list(): { key: OptionKey; value: string }[];
  /** The secrets that have a value. */
  secretsSet(): OptionKey[];
  /** Stops reading and observing the options. */
  close(): void;
};

/** How often to read all options again, in case an event was lost. */
const REREAD_MS = 60_000;

type Snapshot = Readonly<{ values: OptionValues; texts: Readonly<Record<OptionKey, string>> }>;

/**
 * Loads every option and updates it when it changes; `basePath` is part of `ServerAddress`. Rejects DecryptionError if a secret was encrypted with another key.
 */
export async function createSettings(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger; basePath?: string }>,
): Promise<Settings> {
  const { db, changes, vault, log, basePath = "" } = deps;
  const inOrder = createSerial();
  let snapshot = readAll(new Map(), log);
  const settings: Settings & { version: number; values: OptionValues } = {
    version: 0,
    values: snapshot.values,
    get: (key) => snapshot.values[key],
    async set(key, value) {
      const option = findOption(key);
      if (!option || !isOptionKey(key)) throw new OperationError("option_unknown", { key: key.slice(0, 100) });
      guardChange(key, option.read(value, key).value, (other) => snapshot.texts[other]);
      await saveOption(db, vault, key, value);
      await changes.publish("options", [key]);
    },
    async change(keys, change) {
      const changed = await changeOptions(db, vault, keys, change);
      if (changed.length > 0) await changes.publish("options", changed);
      return changed;
    },
    async reset(key) {
      await db.delete(options).where(eq(options.key, key));
      await changes.publish("options", [key]);
    },
    storedTexts: () => optionKeys.filter(isSet).map((key) => [key, snapshot.texts[key]]),
    list: () => optionKeys.filter((key) => !isSecret(key)).map((key) => ({ key, value: snapshot.texts[key] })),
    secretsSet: () => optionKeys.filter((key) => isSecret(key) && snapshot.texts[key] !== ""),
    close() {
      clearInterval(timer);
      unsubscribe();
      unsubscribeGap();
    },
  };

  const take = (keys: readonly OptionKey[], stored: ReadonlyMap<OptionKey, string>) => {
    const next = apply(snapshot, keys, stored, log);
    if (next === snapshot) return;
    snapshot = { ...next, values: withPublicAddress(next.values, basePath) };
    settings.values = snapshot.values;
    settings.version += 1;
  };
  const refreshSome = (keys: readonly OptionKey[]) =>
    inOrder(async () => take(keys, await loadOptions(db, vault, keys)));
  const isSet = (key: OptionKey) => snapshot.texts[key] !== registry[key].initial;
  const refresh = () =>
    inOrder(async () => {
      let stored: ReadonlyMap<OptionKey, string> = new Map();
      const read = async () => {
        const rows = await loadOptions(db, vault);
        stored = rows;
        return new Set(optionKeys.filter((key) => isSet(key) && !rows.has(key)));
      };
      const removed = new Set(await findRemoved(read, () => optionKeys.filter(isSet).length, "options", log));
      take(
        optionKeys.filter((key) => stored.has(key) || !isSet(key) || removed.has(key)),
        stored,
      );
    });
  // Subscribed before the first reading and run after it: no change may fall between the two.
  const unsubscribe = changes.subscribe("options", (keys) => refreshSome(keys.map(String).filter(isOptionKey)));
  try {
    await refresh();
  } catch (error) {
    unsubscribe();
    throw error;
  }
  const reread = () => {
    refresh().catch((error) => log.warn({ error }, "options could not be read again"));
  };
  const unsubscribeGap = changes.onGap(reread);
  const timer = setInterval(reread, REREAD_MS);
  timer.unref();

  return settings;
}

const isSecret = (key: OptionKey): boolean => findOption(key)?.traits.secret === true;

/** The options of a site below this path. */
export const withPublicAddress = (values: OptionValues, basePath: string): OptionValues =>
  basePath === "" ? values : { ...values, ServerAddress: withBasePath(values.ServerAddress, basePath) };

/** The options if only these texts are stored; all others have their defaults. */
export function readAll(texts: ReadonlyMap<OptionKey, string>, log?: Logger): Snapshot {
  return apply({ values: {} as OptionValues, texts: {} as Record<OptionKey, string> }, optionKeys, texts, log);
}

/** The snapshot with `keys` updated; the same object if nothing changed. */
function apply(
  before: Snapshot,
  keys: readonly OptionKey[],
  stored: ReadonlyMap<OptionKey, string>,
  log?: Logger,
): Snapshot {
  const changed = keys.filter((key) => before.texts[key] !== (stored.get(key) ?? registry[key].initial));
  if (changed.length === 0) return before;
  const values: Record<string, unknown> = { ...before.values };
  const texts: Record<OptionKey, string> = { ...before.texts };
  for (const key of changed) {
    const text = stored.get(key) ?? registry[key].initial;
    try {
      values[key] = registry[key].read(text, key).value;
      texts[key] = text;
    } catch (error) {
      // Another release or a person wrote a value that this release cannot read: the previous value stays in use.
      if (before.texts[key] === undefined) {
        values[key] = registry[key].read(registry[key].initial, key).value;
        texts[key] = registry[key].initial;
      }
      log?.warn({ option: key, error }, "a stored option is invalid and was ignored");
    }
  }
  return { values: values as OptionValues, texts };
}
