import { useState } from "react";
import type { Address } from "../useAddress.ts";
import { readPageSize, savePageSize } from "./page-size.ts";

/** Pages of a list that is here as a whole; which page is shown is kept in the address. `unit`: what the rows are. */
export function useLocalPaging<Row>(rows: readonly Row[], unit: string, address: Address) {
  const [pageSize, setPageSize] = useState(readPageSize);
  const lastPage = Math.max(Math.ceil(rows.length / pageSize) - 1, 0);
  const page = Math.min(Math.max(Math.trunc(address.number("p") ?? 0), 0), lastPage);
  return {
    shown: rows.slice(page * pageSize, (page + 1) * pageSize),
    paging: {
      page,
      pageSize,
      total: rows.length,
      unit,
      onPage: (next: number) => address.set({ p: next || undefined }),
      onPageSize: (size: number) => {
        savePageSize(size);
        setPageSize(size);
        address.set({ p: undefined });
      },
    },
  };
}
