import type { Address } from "../useAddress.ts";
import type { Sort } from "./column.ts";

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
