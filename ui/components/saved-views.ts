import { jsonFormat, storedAtoms } from "../stored-atom.ts";

/** A list's filters under a name; the page that was open is no part of them. */
export type SavedView = Readonly<{ name: string; search: Readonly<Record<string, unknown>> }>;

const MOST = 30;

/** The filters that an address names, without the number of the page. */
export function viewOf(name: string, search: Readonly<Record<string, unknown>>): SavedView {
  const { p: _page, ...filters } = search;
  return { name, search: filters };
}

/** A list's views with one more, which takes the place of one with its name; the newest thirty. */
export const withView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].slice(-MOST);

const isView = (value: unknown): value is SavedView =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  "search" in value &&
  typeof value.search === "object" &&
  value.search !== null;

/** What was kept for a list in this browser, in order; nothing when it cannot be read. */
const viewsAtom = storedAtoms(
  jsonFormat((value): readonly SavedView[] => (Array.isArray(value) ? value.filter(isView) : [])),
);

/** The views of a list that this device remembers. */
export const savedViewsAtom = (list: string) => viewsAtom(`saved-views-${list}`);
