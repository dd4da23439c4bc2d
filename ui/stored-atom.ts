import type { WritableAtom } from "jotai";
import { atomWithStorage, type RESET } from "jotai/utils";

/** How a value is written in local storage. */
type StoredFormat<Value> = Readonly<{
  /** Null: nothing is stored. What cannot be read means the default, too. */
  parse: (text: string | null) => Value;
  print: (value: Value) => string;
}>;

/** An atom that is set to a value, to what a function makes of the last one, or to RESET, which removes what is stored. */
export type StoredAtom<Value> = WritableAtom<
  Value,
  [Value | typeof RESET | ((value: Value) => Value | typeof RESET)],
  void
>;

/** State that this device remembers in local storage under a key; other tabs follow a change. */
export const storedAtom = <Value>(key: string, { parse, print }: StoredFormat<Value>): StoredAtom<Value> =>
  atomWithStorage<Value>(
    key,
    parse(null),
    {
      // There is none in unit tests.
      getItem: () => parse(globalThis.localStorage?.getItem(key) ?? null),
      setItem: (_key, value) => localStorage.setItem(key, print(value)),
      removeItem: () => localStorage.removeItem(key),
      subscribe: (_key, onChange) => {
        const listener = (event: StorageEvent) => {
          if (event.key === key) onChange(parse(event.newValue));
        };
        window.addEventListener("storage", listener);
        return () => window.removeEventListener("storage", listener);
      },
    },
    { getOnInit: true },
  );

/** For storedAtom: any JSON for which `isValid` holds, else `initial`. */
export const jsonFormat = <Value>(
  initial: Value,
  isValid: (value: unknown) => value is Value,
): StoredFormat<Value> => ({
  parse(text) {
    try {
      const value: unknown = JSON.parse(text ?? "null");
      return isValid(value) ? value : initial;
    } catch {
      return initial;
    }
  },
  print: (value) => JSON.stringify(value),
});
