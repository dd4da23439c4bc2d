import type { Address } from "../useAddress.ts";
import { useAddressPaging } from "./use-address-paging.ts";

/** Pages of a list that is here as a whole; which page is shown is kept in the address. `unit`: what the rows are. */
export function useLocalPaging<Row>(rows: readonly Row[], unit: string, address: Address) {
  const { page: wanted, pageSize, pagingOf } = useAddressPaging(address);
  const page = Math.min(wanted, Math.max(Math.ceil(rows.length / pageSize) - 1, 0));
  return {
    shown: rows.slice(page * pageSize, (page + 1) * pageSize),
    paging: { ...pagingOf(rows.length, unit), page },
  };
}
