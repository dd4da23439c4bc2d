import { useAtom } from "jotai";
import { storedAtom } from "../../state/stored-atom.ts";
import type { Address } from "../use-address.ts";
import type { Sort } from "./column.ts";

export const PAGE_SIZES: readonly number[] = [10, 20, 50, 100];
const DEFAULT_PAGE_SIZE = 10;

/** How many rows a page of a table holds: the last choice on this device. */
export const pageSizeAtom = storedAtom("page-size", {
  parse: (text) => PAGE_SIZES.find((size) => String(size) === text) ?? DEFAULT_PAGE_SIZE,
  print: String,
});

type AddressSort = Readonly<{
  sort: Sort;
  onSort: (sort: Sort) => void;
  /** For the call that reads the list. */
  query: Readonly<{ sort: string | undefined; order: string | undefined }>;
}>;

/** How a list is sorted, as its address says; `usual` is what the server sorts by when nothing is asked. */
export const addressSort = (address: Address, usual: string): AddressSort => ({
  sort: { key: address.text("sort") || usual, isDescending: address.text("order") !== "asc" },
  onSort: ({ key, isDescending }) =>
    address.set({
      sort: key === usual && isDescending ? undefined : key,
      order: isDescending ? undefined : "asc",
      p: undefined,
    }),
  // Other pages use the name for something else: who comes back from paying brings an order's number.
  query: { sort: address.text("sort") || undefined, order: address.text("order") === "asc" ? "asc" : undefined },
});

/** Pages of a list that the server has; which one is shown is kept in the address. `onTurn` hears that it will be another. */
export function useAddressPaging(address: Address, onTurn?: () => void) {
  const [pageSize, setPageSize] = useAtom(pageSizeAtom);
  const page = Math.max(Math.trunc(address.number("p") ?? 0), 0);
  return {
    page,
    pageSize,
    /** What a table takes; `total` is undefined until the server has answered, `unit` says what the rows are. */
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

/** Pages of a list that is here as a whole; which page is shown is kept in the address. `unit`: what the rows are. */
export function useLocalPaging<Row>(rows: readonly Row[], unit: string, address: Address) {
  const { page: requested, pageSize, pagingOf } = useAddressPaging(address);
  const page = Math.min(requested, Math.max(Math.ceil(rows.length / pageSize) - 1, 0));
  return {
    shown: rows.slice(page * pageSize, (page + 1) * pageSize),
    paging: { ...pagingOf(rows.length, unit), page },
  };
}
