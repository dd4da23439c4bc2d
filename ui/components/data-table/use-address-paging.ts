import { useState } from "react";
import type { Address } from "../useAddress.ts";
import { readPageSize, savePageSize } from "./page-size.ts";

/** Pages of a list that the server has; which one is shown is kept in the address. `onTurn` hears that it will be another. */
export function useAddressPaging(address: Address, onTurn?: () => void) {
  const [pageSize, setPageSize] = useState(readPageSize);
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
        savePageSize(size);
        setPageSize(size);
        address.set({ p: undefined });
      },
    }),
  };
}
