import { eq } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { options } from "../../db/schema/settings.ts";
import type { Db } from "../../db/types.ts";
import { OperationError } from "../lib/operation-error.ts";
import type { Logger } from "../lib/runtime/log.ts";
import { createSerial } from "../lib/runtime/serial.ts";
import type { Vault } from "../lib/security/crypto.ts";
import { findRemoved } from "../lib/values/keep-table.ts";
import { guardChange } from "./guards.ts";
import { findOption, isOptionKey, type OptionKey, type OptionValues, optionKeys, registry } from "./registry/index.ts";
import { type ChangeTexts, changeOptions, loadOptions, saveOption } from "./store.ts";

/** The present value of every option, typed, from memory. */
export type SettingsReader = {
  get<K extends OptionKey>(key: K): OptionValues[K];
  /** Grows with every change: what is derived from options can be kept until it differs. */
  readonly version: number;
};

export type Settings = SettingsReader & {
  /**
   * Checks, stores and applies `value` in every process; resolves once it is in force here.
   * Throws OperationError when the option is unknown or its value refused: then the old value stays.
   */
  set(key: string, value: string): Promise<void>;
  /**
   * Changes several options at once, from their stored texts; readers see all of them change together. Resolves with those
   * that changed, once they are in force here. Throws OperationError when a text is refused: then all stay.
   */
  change(keys: readonly OptionKey[], change: ChangeTexts): Promise<readonly OptionKey[]>;
  /** Back to the default. */
  reset(key: OptionKey): Promise<void>;
  /** The texts of all options that differ from their defaults, secrets in clear. */
  storedTexts(): [OptionKey, string][];
  /** The texts of all options that are no secrets. */
  list(): { key: OptionKey; value: string }[];
  /** The secrets that have a value. */
  secretsSet(): OptionKey[];
  /** Stops the periodic re-read and listening for changes. */
  close(): void;
};

/** A safety net: changes arrive by events. */
const REREAD_MS = 60_000;

type Snapshot = Readonly<{ values: OptionValues; texts: Readonly<Record<OptionKey, string>> }>;

/** Loads every option and keeps it true. Throws DecryptionError when a secret belongs to another encryption key. */
export async function createSettings(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger }>,
): Promise<Settings> {
  const { db, changes, vault, log } = deps;
  const inOrder = createSerial();
  let snapshot = readAll(new Map(), log);
  const settings: Settings & { version: number } = {
    version: 0,
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
    snapshot = next;
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
  await refresh();
  const unsubscribe = changes.subscribe("options", (keys) => refreshSome(keys.map(String).filter(isOptionKey)));
  const reread = () => {
    refresh().catch((error) => log.warn({ error }, "options could not be read again"));
  };
  const unsubscribeGap = changes.onGap(reread);
  const timer = setInterval(reread, REREAD_MS);
  timer.unref();

  return settings;
}

const isSecret = (key: OptionKey): boolean => findOption(key)?.traits.secret === true;

/** Options as they are when nothing but `texts` is stored. */
export function readAll(texts: ReadonlyMap<OptionKey, string>, log?: Logger): Snapshot {
  return apply({ values: {} as OptionValues, texts: {} as Record<OptionKey, string> }, optionKeys, texts, log);
}

/** The snapshot with `keys` read again; the same object when nothing differs. */
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
      // Written by another release or by hand: keep working with what was in force, say so.
      if (before.texts[key] === undefined) {
        values[key] = registry[key].read(registry[key].initial, key).value;
        texts[key] = registry[key].initial;
      }
      log?.warn({ option: key, error }, "a stored option is invalid and was ignored");
    }
  }
  return { values: values as OptionValues, texts };
}
