/** A list's filters under a name; the page that was open is no part of them. */
export type SavedView = Readonly<{ name: string; search: Readonly<Record<string, unknown>> }>;

const KEY = "saved-views";
const MOST = 30;

/** The filters that an address names, without the number of the page. */
export function viewOf(name: string, search: Readonly<Record<string, unknown>>): SavedView {
  const { p: _page, ...filters } = search;
  return { name, search: filters };
}

/** What was kept for a list in this browser, in order; nothing when it cannot be read. */
export function readViews(list: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(`${KEY}-${list}`) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

/** Keeps a list's views, the newest thirty. */
export function writeViews(list: string, views: readonly SavedView[]): void {
  localStorage.setItem(`${KEY}-${list}`, JSON.stringify(views.slice(-MOST)));
}

const isView = (value: unknown): value is SavedView =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  "search" in value &&
  typeof value.search === "object" &&
  value.search !== null;
