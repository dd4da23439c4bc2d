export const PAGE_SIZES: readonly number[] = [10, 20, 50, 100];
const DEFAULT_PAGE_SIZE = 10;
const STORAGE_KEY = "page-size";

/** How many rows a page holds: the last choice on this device. */
export function readPageSize(): number {
  const stored = Number(localStorage.getItem(STORAGE_KEY));
  return PAGE_SIZES.includes(stored) ? stored : DEFAULT_PAGE_SIZE;
}

/** Remembers the choice for all tables. */
export const savePageSize = (size: number): void => localStorage.setItem(STORAGE_KEY, String(size));
