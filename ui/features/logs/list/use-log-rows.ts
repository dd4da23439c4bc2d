import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useAtom } from "jotai";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useEndlessRows } from "../../../components/data-table/paging/use-endless-rows.ts";
import { useAddressPaging } from "../../../components/data-table/url-state.ts";
import type { Address } from "../../../components/use-address.ts";
import { SWITCH_FORMAT, storedAtom } from "../../../state/stored-atom.ts";
import type { LogEntry } from "../entries/log-entry.ts";
import {
  type LogFilters,
  type LogScope,
  logChunksKey,
  logList,
  logPage,
  logTotal,
  readLogChunk,
} from "../entries/log-queries.ts";
import { nowSeconds } from "../time-range.ts";

/** Whether the log scrolls without pages, as last chosen on this device. */
const scrollsAtom = storedAtom("logs-scroll", SWITCH_FORMAT);

/** Where a list was left: the end of its open range in epoch seconds, and its first row in sight. */
type Place = { now: number; first: number };
const places = new Map<string, Place>();
const MOST_PLACES = 20;

/** The place at which this entry of the browser's history was left; it is forgotten with the tab. */
export function useLogPlace() {
  const key = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? "" });
  const left = useMemo(() => places.get(key), [key]);
  const save = (place: Place) => {
    places.delete(key);
    places.set(key, place);
    for (const oldest of [...places.keys()].slice(0, -MOST_PLACES)) places.delete(oldest);
  };
  return { left, save };
}

type Options = Readonly<{
  address: Address;
  scope: LogScope;
  filters: LogFilters;
  isFollowing: boolean;
  /** The row to begin at, and where to store the first row in sight. */
  startAt: number;
  onMove: (first: number) => void;
}>;

/** The rows of the usage log: in pages, or all of them to scroll through where the reader chose so and the address names no page. */
export function useLogRows({ address, scope, filters, isFollowing, startAt, onMove }: Options) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [scrolls, setScrolls] = useAtom(scrollsAtom);
  const hasPages = !scrolls || address.number("p") !== undefined;
  const { page, pageSize, pagingOf } = useAddressPaging(address);
  const paged = useQuery({ ...logPage(scope, filters, page, pageSize), enabled: hasPages });
  const list = useQuery({ ...logList(scope, filters), enabled: !hasPages });
  const shown = hasPages ? undefined : list.data;
  /** What is known of all rows: of a page only the first one says what is newest. */
  const first =
    hasPages && page === 0 && paged.data ? { ...paged.data, filters, key: pagesKey(scope, filters) } : shown;
  const { rows, endless } = useEndlessRows<LogEntry>({
    list: shown && { key: shown.key, total: shown.total, rows: shown.items },
    chunksKey: useMemo(() => logChunksKey(scope, shown), [scope, shown]),
    readChunk: (chunk, signal) =>
      shown ? readLogChunk(client, scope, shown, chunk, signal) : Promise.reject(new Error("The list is not there")),
    rowId: idOf,
    startAt,
    onMove,
  });
  const total = useQuery({
    ...logTotal(scope, first, nowSeconds),
    initialData: first?.total,
    // The rows of one request are not waited for; following reads the list itself while its top is in sight.
    enabled:
      first !== undefined &&
      filters.requestId === undefined &&
      !(isFollowing && (hasPages || endless.inSight.read().first === 0)),
  });
  const used = hasPages ? paged : list;
  const paging = pagingOf(used.data?.total, t("logs.unit"));
  return {
    rows: hasPages ? paged.data?.items : rows,
    error: used.error,
    refetch: () => void used.refetch(),
    isRefreshing: used.isPlaceholderData,
    endless: hasPages ? undefined : endless,
    /** Rows that came in since the list was read. */
    newCount: Math.max((total.data ?? 0) - (first?.total ?? 0), 0),
    paging: {
      ...paging,
      onPageSize: (size: number) => {
        setScrolls(false);
        paging.onPageSize(size);
      },
      scroll: {
        isOn: !hasPages,
        onChoose: () => {
          setScrolls(true);
          address.set({ p: undefined });
        },
      },
    },
  };
}

const pagesKey = (scope: LogScope, filters: LogFilters): string => JSON.stringify([scope, filters, "pages"]);

/** The row's id. */
export const idOf = (entry: LogEntry): number => entry.id;
