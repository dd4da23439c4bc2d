import { useAtom } from "jotai";
import { storedAtom } from "../../state/stored-atom.ts";
import type { Address } from "../use-address.ts";
import type { Sort } from "./column.ts";

export const PAGE_SIZES: readonly number[] = [10, 20, 50, 100];
const DEFAULT_PAGE_SIZE = 10;

/** Rows per page, as last chosen on this device. */
export const pageSizeAtom = storedAtom("page-size", {
  parse: (text) => PAGE_SIZES.find((size) => String(size) === text) ?? DEFAULT_PAGE_SIZE,
  print: String,
});

export type AddressSort = Readonly<{
  sort: Sort;
  onSort: (sort: Sort) => void;
  /** For the call that reads the list. */
  query: Readonly<{ sort: string | undefined; order: string | undefined }>;
}>;

/** The sort order in the URL; `usual` is the server's default. */
export const addressSort = (address: Address, usual: string): AddressSort => ({
  sort: { key: address.text("sort") || usual, isDescending: address.text("order") !== "asc" },
  onSort: ({ key, isDescending }) =>
    address.set({
      sort: key === usual && isDescending ? undefined : key,
      order: isDescending ? undefined : "asc",
      p: undefined,
    }),
  // Other pages use the parameter for something else: a return from a payment carries an order number.
  query: { sort: address.text("sort") || undefined, order: address.text("order") === "asc" ? "asc" : undefined },
});

/** Paging by the server; the URL holds the page number. Calls `onTurn` before the page changes. */
export function useAddressPaging(address: Address, onTurn?: () => void) {
  const [pageSize, setPageSize] = useAtom(pageSizeAtom);
  const page = Math.max(Math.trunc(address.number("p") ?? 0), 0);
  return {
    page,
    pageSize,
    /** Returns the table's `paging`; `total` is undefined until the server responds, `unit` names the rows. */
    pagingOf: (total: number | undefined, unit: string) => ({
      page,
      pageSize,
      total: total ?? 0,
      unit,
      onPage: (next: number) => {
        onTurn?.();
        address.set({ p: next || undefined });
      },
      onPageSize: (size: number) => {
        setPageSize(size);
        address.set({ p: undefined });
      },
    }),
  };
}

/** Paging of a list that is fully loaded; the URL holds the page number. `unit` names the rows. */
export function useLocalPaging<Row>(rows: readonly Row[], unit: string, address: Address) {
  const { page: requested, pageSize, pagingOf } = useAddressPaging(address);
  const page = Math.min(requested, Math.max(Math.ceil(rows.length / pageSize) - 1, 0));
  return {
    shown: rows.slice(page * pageSize, (page + 1) * pageSize),
    paging: { ...pagingOf(rows.length, unit), page },
  };
}
