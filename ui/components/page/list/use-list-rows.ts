import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { RowData } from "@tanstack/react-table";
import { useAtom } from "jotai";
import { useState } from "react";
import type { Paging } from "../../data-table/column.ts";
import {
  type AddressSort,
  addressSort,
  pageSizeAtom,
  useAddressPaging,
  useLocalPaging,
} from "../../data-table/url-state.ts";
import type { ListContext } from "./list-context.ts";
import type { FilterValues, ResourceList } from "./resource-list.ts";

/** The rows that a list shows, and how they are paged and sorted. */
export type ListRows<Row> = Readonly<{
  /** Undefined until the first response. */
  rows: readonly Row[] | undefined;
  /** How many there are, on all pages. */
  total: number;
  error: unknown;
  /** Reads them again. */
  reload: () => unknown;
  /** The previous rows are shown while others are loaded. */
  isRefreshing: boolean;
  paging: Paging | undefined;
  sorting: Pick<AddressSort, "sort" | "onSort"> | undefined;
}>;

const NO_QUERY = { queryKey: ["no list"] } as const;
const noRows = (): undefined => undefined;

/** Reads the rows of a description, all at once or by pages. Changed filters or order return to the first page; `onTurn`: before another one. */
export function useListRows<Row extends RowData, Query, Data>(
  list: ResourceList<Row, Query, Data>,
  values: FilterValues,
  query: Query,
  context: ListContext<Data>,
  onTurn: () => void,
): ListRows<Row> {
  const { rows: source } = list;
  const { address, data, t } = context;
  const unit = list.unit === undefined ? "" : t(list.unit);
  const paged = "key" in source ? source : undefined;
  const usual = "defaultSort" in source ? source.defaultSort : undefined;
  const sorting = usual === undefined ? undefined : addressSort(address, usual);
  const filterText = JSON.stringify({ ...query, ...sorting?.query });
  const [own, setOwn] = useState({ page: 0, filterText });
  const [pageSize, setPageSize] = useAtom(pageSizeAtom);
  const inAddress = useAddressPaging(address, onTurn);
  const ownPage = own.filterText === filterText ? own.page : 0;
  const page = paged?.isPageInAddress ? inAddress.page : ownPage;
  const pages = useQuery({
    ...(paged
      ? {
          queryKey: [...paged.key, "page", { ...query, ...sorting?.query }, page, pageSize],
          queryFn: ({ signal }) =>
            paged.read({ ...query, ...sorting?.query, p: page + 1, page_size: pageSize }, signal, data),
          placeholderData: keepPreviousData,
          refetchInterval: ({ state }) => paged.pollMs?.(state.data?.items ?? [], data) ?? false,
        }
      : NO_QUERY),
    enabled: paged !== undefined,
  });
  const full = "useAll" in source ? source : undefined;
  const all = (full?.useAll ?? noRows)(context, values);
  const matches = full?.matches;
  const found = (all?.data ?? []).filter((row) => matches?.(row, values, data) ?? true);
  const local = useLocalPaging(found, unit, address);
  if ("of" in source) {
    const { total, ...page } = source.of(data);
    return { ...page, total: total ?? 0, paging: inAddress.pagingOf(total, unit), sorting };
  }
  if (!paged)
    return {
      rows: matches && all?.data ? local.shown : all?.data,
      total: found.length,
      error: all?.error,
      reload: () => void all?.refetch(),
      isRefreshing: false,
      paging: matches && local.paging,
      sorting: undefined,
    };
  const total = pages.data?.total ?? 0;
  const ownPaging = {
    page,
    pageSize,
    total,
    unit,
    onPage: (next: number) => {
      onTurn();
      setOwn({ page: next, filterText });
    },
    onPageSize: (size: number) => {
      setPageSize(size);
      setOwn({ page: 0, filterText });
    },
  };
  return {
    rows: pages.data?.items,
    total,
    error: pages.error,
    reload: () => void pages.refetch(),
    isRefreshing: pages.isPlaceholderData,
    paging: paged.isPageInAddress ? inAddress.pagingOf(pages.data?.total, unit) : ownPaging,
    sorting,
  };
}
