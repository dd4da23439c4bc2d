import type { WritableAtom } from "jotai";
import { atomWithStorage, type RESET } from "jotai/utils";

/** How a value is written in local storage. */
type StoredFormat<Value> = Readonly<{
  /** Null: nothing is stored. What cannot be read means the default, too. */
  parse: (text: string | null) => Value;
  print: (value: Value) => string;
}>;

/** An atom that is set to a value, to what a function makes of the last one, or to RESET, which removes what is stored. */
type StoredAtom<Value> = WritableAtom<Value, [Value | typeof RESET | ((value: Value) => Value | typeof RESET)], void>;

/** State that this device remembers in local storage under a key; other tabs follow a change. */
export function storedAtom<Value>(key: string, { parse, print }: StoredFormat<Value>): StoredAtom<Value> {
  const initial = parse(null);
  let last: Readonly<{ text: string | null; value: Value }> = { text: null, value: initial };
  /** The same value for the same text, so that nothing is drawn again when nothing changed. */
  const read = (text: string | null): Value => {
    if (text !== last.text) last = { text, value: parse(text) };
    return last.value;
  };
  const storage = {
    // There is none in unit tests.
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

/** For storedAtom: JSON, of which `read` makes the value; null when nothing is stored, or no JSON. */
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

/** For storedAtom: a switch that is off until somebody turns it on. */
export const SWITCH_FORMAT: StoredFormat<boolean> = { parse: (text) => text === "true", print: String };

/** Stored atoms of one kind, one for each key. */
export function storedAtoms<Value>(format: StoredFormat<Value>): (key: string) => StoredAtom<Value> {
  const atoms = new Map<string, StoredAtom<Value>>();
  return (key) => {
    const atom = atoms.get(key) ?? storedAtom(key, format);
    atoms.set(key, atom);
    return atom;
  };
}
