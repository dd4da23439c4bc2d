import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Column, RowAction, Sort } from "../../components/data-table/column.ts";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { readPageSize, savePageSize } from "../../components/data-table/page-size.ts";
import { readList, WALLET_KEY } from "./wallet-calls.ts";

type Props<Row> = {
  /** The call that answers pages of the list. */
  path: string;
  /** Reads a page where the answer has another shape than the wallet's. */
  read?: typeof readList<Row>;
  /** What narrows and sorts it. */
  filters?: Readonly<Record<string, string>>;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  columns: readonly Column<Row>[];
  rowId: (row: Row) => number;
  rowName: (row: Row) => string;
  /** What the rows are: "orders". */
  unit: string;
  empty: ReactNode;
  actions?: (row: Row) => readonly RowAction[];
  onOpen?: (row: Row) => void;
  isDim?: (row: Row) => boolean;
  /** Milliseconds after which rows are read again; false: not by itself. */
  pollMs?: (rows: readonly Row[]) => number | false;
};

/** A list of the wallet, page by page; filters that change begin at its first page. */
export function PagedTable<Row>(props: Props<Row>) {
  const { path, read = readList<Row>, filters = {}, pollMs } = props;
  const wanted = JSON.stringify(filters);
  const [at, setAt] = useState({ page: 0, wanted });
  const [pageSize, setPageSize] = useState(readPageSize);
  const page = at.wanted === wanted ? at.page : 0;
  const list = useQuery({
    queryKey: [...WALLET_KEY, path, wanted, page, pageSize],
    queryFn: ({ signal }) => read(path, { page, pageSize }, signal, filters),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollMs?.(state.data?.items ?? []) ?? false,
  });
  return (
    <DataTable
      columns={props.columns}
      rows={list.data?.items}
      rowId={props.rowId}
      rowName={props.rowName}
      isRefreshing={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
      empty={props.empty}
      {...(props.sort && { sort: props.sort })}
      {...(props.onSort && { onSort: props.onSort })}
      {...(props.actions && { actions: props.actions })}
      {...(props.onOpen && { onOpen: props.onOpen })}
      {...(props.isDim && { isDim: props.isDim })}
      paging={{
        page,
        pageSize,
        total: list.data?.total ?? 0,
        unit: props.unit,
        onPage: (next) => setAt({ page: next, wanted }),
        onPageSize: (size) => {
          savePageSize(size);
          setPageSize(size);
          setAt({ page: 0, wanted });
        },
      }}
    />
  );
}
