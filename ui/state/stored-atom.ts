import type { WritableAtom } from "jotai";
import { atomWithStorage, type RESET } from "jotai/utils";
import { storageKey } from "../lib/base-path.ts";

/** How a value is serialized in local storage. */
type StoredFormat<Value> = Readonly<{
  /** Null: nothing is stored. Returns the default for invalid text. */
  parse: (text: string | null) => Value;
  print: (value: Value) => string;
}>;

/** An atom that can be set to a value, a function of the previous value, or RESET, which removes the stored value. */
type StoredAtom<Value> = WritableAtom<Value, [Value | typeof RESET | ((value: Value) => Value | typeof RESET)], void>;

/** An atom stored in local storage under a key and synchronized across tabs. */
export function storedAtom<Value>(name: string, { parse, print }: StoredFormat<Value>): StoredAtom<Value> {
  const key = storageKey(name);
  const initial = parse(null);
  let last: Readonly<{ text: string | null; value: Value }> = { text: null, value: initial };
  /** Returns the same value for the same text, to avoid needless renders. */
  const read = (text: string | null): Value => {
    if (text !== last.text) last = { text, value: parse(text) };
    return last.value;
  };
  const storage = {
    // Local storage is missing in unit tests.
    getItem: () => read(globalThis.localStorage?.getItem(key) ?? null),
    setItem(_key: string, value: Value) {
      const text = print(value);
      last = { text, value };
      localStorage.setItem(key, text);
    },
    removeItem: () => localStorage.removeItem(key),
    subscribe(_key: string, onChange: (value: Value) => void) {
      const listener = (event: StorageEvent) => {
        if (event.key === key) onChange(read(event.newValue));
      };
      window.addEventListener("storage", listener);
      return () => window.removeEventListener("storage", listener);
    },
  };
  return atomWithStorage(key, initial, storage, { getOnInit: true });
}

/** JSON format for storedAtom; `read` receives the parsed value, or null if nothing valid is stored. */
export const jsonFormat = <Value>(read: (value: unknown) => Value): StoredFormat<Value> => ({
  parse: (text) => read(parseJson(text)),
  print: (value) => JSON.stringify(value),
});

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Format for storedAtom: a boolean that is false by default. */
export const SWITCH_FORMAT: StoredFormat<boolean> = { parse: (text) => text === "true", print: String };

/** A family of stored atoms, one per key. */
export function storedAtoms<Value>(format: StoredFormat<Value>): (key: string) => StoredAtom<Value> {
  const atoms = new Map<string, StoredAtom<Value>>();
  return (key) => {
    const atom = atoms.get(key) ?? storedAtom(key, format);
    atoms.set(key, atom);
    return atom;
  };
}
