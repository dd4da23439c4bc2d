import { useState } from "react";
import { readPageSize, savePageSize } from "../../components/data-table/page-size.ts";

/** What a table's pager needs but the total; the size is remembered for all lists. */
export function usePaging(page: number, onPage: (page: number) => void, unit: string) {
  const [pageSize, setPageSize] = useState(readPageSize);
  return {
    page,
    pageSize,
    unit,
    onPage,
    onPageSize: (size: number) => {
      savePageSize(size);
      setPageSize(size);
      onPage(0);
    },
  };
}
