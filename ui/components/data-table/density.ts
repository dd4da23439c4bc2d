import { useSyncExternalStore } from "react";

const STORAGE_KEY = "table-density";
const COMPACT = "compact";
const listeners = new Set<() => void>();

const isStoredCompact = (): boolean => localStorage.getItem(STORAGE_KEY) === COMPACT;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

function setCompact(isCompact: boolean): void {
  localStorage.setItem(STORAGE_KEY, isCompact ? COMPACT : "comfortable");
  for (const listener of listeners) listener();
}

/** Whether tables have low rows: one choice for all tables of this device; and how to change it. */
export const useDensity = (): readonly [isCompact: boolean, setCompact: (isCompact: boolean) => void] => [
  useSyncExternalStore(subscribe, isStoredCompact),
  setCompact,
];
