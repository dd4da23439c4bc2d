import { useState } from "react";
import type { Column } from "./column.ts";

export type ColumnChoice<Row> = Readonly<{
  all: readonly Column<Row>[];
  /** The columns to show, in their order. */
  shown: readonly Column<Row>[];
  isShown: (key: string) => boolean;
  toggle: (key: string) => void;
  showAll: () => void;
  reset: () => void;
}>;

/** Which columns are shown, remembered in local storage; what cannot be read there means the defaults. */
export function useColumnChoice<Row>(columns: readonly Column<Row>[], storageKey: string): ColumnChoice<Row> {
  const [hidden, setHidden] = useState(() => readHidden(storageKey) ?? defaultsOf(columns));
  const save = (next: ReadonlySet<string>) => {
    setHidden(next);
    const choice = Object.fromEntries(columns.map(({ key }) => [key, !next.has(key)]));
    localStorage.setItem(storageKey, JSON.stringify(choice));
  };
  const isShown = (key: string) => !hidden.has(key);
  return {
    all: columns,
    shown: columns.filter((column) => column.isTitle || isShown(column.key)),
    isShown,
    toggle: (key) =>
      save(isShown(key) ? new Set([...hidden, key]) : new Set([...hidden].filter((other) => other !== key))),
    showAll: () => save(new Set()),
    reset: () => {
      localStorage.removeItem(storageKey);
      setHidden(defaultsOf(columns));
    },
  };
}

const defaultsOf = <Row>(columns: readonly Column<Row>[]): ReadonlySet<string> =>
  new Set(columns.filter(({ isHiddenByDefault }) => isHiddenByDefault).map(({ key }) => key));

/** Stored as {key: shown}; null when nothing usable is there. */
function readHidden(storageKey: string): ReadonlySet<string> | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "null");
    if (!stored || typeof stored !== "object" || Array.isArray(stored)) return null;
    return new Set(Object.entries(stored).flatMap(([key, isShown]) => (isShown === false ? [key] : [])));
  } catch {
    return null;
  }
}
