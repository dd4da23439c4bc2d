import { afterEach, beforeEach, expect, test } from "bun:test";
import { createStore } from "jotai";
import { RESET } from "jotai/utils";
import { jsonFormat, SWITCH_FORMAT, storedAtom, storedAtoms } from "./stored-atom.ts";

const { localStorage } = globalThis;
const stored = new Map<string, string>();
const storage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => stored.set(key, value),
  removeItem: (key: string) => stored.delete(key),
};

beforeEach(() => {
  stored.clear();
  Object.assign(globalThis, { localStorage: storage });
});
afterEach(() => Object.assign(globalThis, { localStorage }));

const names = jsonFormat((value): readonly string[] => (Array.isArray(value) ? value.map(String) : []));

test("a stored value is there from the beginning, and what is set is stored", () => {
  stored.set("compact", "true");
  const store = createStore();
  const atom = storedAtom("compact", SWITCH_FORMAT);
  expect(store.get(atom)).toBe(true);
  store.set(atom, (isOn) => !isOn);
  expect([store.get(atom), stored.get("compact")]).toEqual([false, "false"]);
});

test("what is not stored, or cannot be read, is the default", () => {
  stored.set("broken", "[");
  const store = createStore();
  expect(store.get(storedAtom("missing", names))).toEqual([]);
  expect(store.get(storedAtom("broken", names))).toEqual([]);
});

test("a reset removes what is stored", () => {
  const store = createStore();
  const atom = storedAtom("names", names);
  store.set(atom, ["a"]);
  expect(stored.get("names")).toBe('["a"]');
  store.set(atom, RESET);
  expect(store.get(atom)).toEqual([]);
  expect(stored.has("names")).toBe(false);
});

test("each key has one atom of its own", () => {
  const atomOf = storedAtoms(SWITCH_FORMAT);
  expect(atomOf("a")).toBe(atomOf("a"));
  expect(atomOf("a")).not.toBe(atomOf("b"));
});
