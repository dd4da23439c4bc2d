import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { RowData } from "@tanstack/react-table";
import { useAtom } from "jotai";
import { type ReactNode, useState } from "react";
import { WALLET_KEY } from "../../api/accounts/wallet-key.ts";
import { useAddress } from "../use-address.ts";
import type { Column, RowAction } from "./column.ts";
import { DataTable } from "./DataTable.tsx";
import { addressSort, pageSizeAtom } from "./url-state.ts";
import { useDataTable } from "./use-data-table.ts";

/** The requested page (1-based) and sort order. */
type PageQuery = Readonly<{
  p: number;
  page_size: number;
  sort?: string | undefined;
  order?: string | undefined;
}>;

export type PagedTableProps<Row extends RowData> = {
  /** Cache key of its pages. */
  name: string;
  /** Fetches a page of the list, with `filters` applied. */
  read: (page: PageQuery, signal: AbortSignal) => Promise<Readonly<{ items: readonly Row[]; total: number }>>;
  /** Filters of the list. */
  filters?: object;
  /** The server's default sort key; without it, the list can't be sorted. */
  defaultSort?: string;
  columns: readonly Column<Row>[];
  rowId: (row: Row) => number;
  rowName: (row: Row) => string;
  /** What the rows are: "orders". */
  unit: string;
  empty: ReactNode;
  actions?: (row: Row) => readonly RowAction[];
  onOpen?: (row: Row) => void;
  isDim?: (row: Row) => boolean;
  /** Polling interval in milliseconds; false: no polling. */
  pollMs?: (rows: readonly Row[]) => number | false;
};

/** A paged list of the wallet; changed filters or sorting return to the first page. */
export function PagedTable<Row extends RowData>(props: PagedTableProps<Row>) {
  const { name, read, filters, defaultSort, pollMs } = props;
  const address = useAddress();
  const sorting = defaultSort === undefined ? undefined : addressSort(address, defaultSort);
  const queryText = JSON.stringify({ ...filters, ...sorting?.query });
  const [at, setAt] = useState({ page: 0, queryText });
  const [pageSize, setPageSize] = useAtom(pageSizeAtom);
  const page = at.queryText === queryText ? at.page : 0;
  const list = useQuery({
    queryKey: [...WALLET_KEY, name, queryText, page, pageSize],
    queryFn: ({ signal }) => read({ ...sorting?.query, p: page + 1, page_size: pageSize }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollMs?.(state.data?.items ?? []) ?? false,
  });
  const model = useDataTable({
    columns: props.columns,
    rows: list.data?.items,
    rowId: props.rowId,
    rowName: props.rowName,
    sort: sorting?.sort,
    onSort: sorting?.onSort,
    actions: props.actions,
  });
  return (
    <DataTable
      model={model}
      isRefreshing={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
      empty={props.empty}
      {...(props.onOpen && { onOpen: props.onOpen })}
      {...(props.isDim && { isDim: props.isDim })}
      paging={{
        page,
        pageSize,
        total: list.data?.total ?? 0,
        unit: props.unit,
        onPage: (next) => setAt({ page: next, queryText }),
        onPageSize: (size) => {
          setPageSize(size);
          setAt({ page: 0, queryText });
        },
      }}
    />
  );
}
