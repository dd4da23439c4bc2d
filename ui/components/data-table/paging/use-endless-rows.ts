import { type QueryKey, type UseQueryOptions, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { RowId } from "../column.ts";
import { CHUNK_ROWS, excessChunks, partLength, partStart, type RowRange, requiredChunks } from "./chunks.ts";

/** A long list as its server counts it, and its first rows; the others are read chunk by chunk. */
export type LongList<Row> = Readonly<{
  /** Changes with the list: another one starts at its top. */
  key: string;
  total: number;
  /** Its first chunk. */
  rows: readonly Row[];
}>;

type Chunk<Row> = Readonly<{ items: readonly Row[] }>;

type Options<Row> = Readonly<{
  /** Undefined until the first response. */
  list: LongList<Row> | undefined;
  /** The key under which chunks are cached, without the chunk's number. */
  chunksKey: QueryKey;
  /** How to read a chunk from 1 on. `previous`: the last row of the one before it, if that is in memory. */
  readChunk: (chunk: number, signal: AbortSignal) => Promise<Chunk<Row>>;
  rowId: (row: Row) => RowId;
  /** The row to begin at, for a list that is shown again. */
  startAt: number;
  /** Called with the first row in sight after each move. */
  onMove: (first: number) => void;
}>;

/** A row to scroll to; `isFocused`: the focus follows when it is there. */
type Target = Readonly<{ row: number; isFocused: boolean; isAtEnd: boolean }>;

type State = Readonly<{ key: string; start: number; visible: Sight; target: Target | null }>;
/** `isExpected`: only the row at which the list begins, until its rows are laid out. */
type Sight = RowRange & Readonly<{ isExpected?: true }>;

/** A list that scrolls without pages; positions count from 0 over the whole list. */
export type EndlessRows = Readonly<{
  key: string;
  total: number;
  /** The rows that are laid out: a part of a very long list. */
  start: number;
  length: number;
  /** Ids of the rows that are in memory, by position. */
  ids: ReadonlyMap<number, string>;
  /** The rows in sight. Those who show them subscribe: moving on alone does not render the list. */
  inSight: Readonly<{ read: () => Sight; subscribe: (listener: () => void) => () => void }>;
  /** Rows in sight could not be loaded. */
  error: unknown;
  onRetry: () => void;
  target: Target | null;
  /** Scrolls to a row; `isAtEnd`: it becomes the last in sight. */
  goTo: (row: number, options?: Partial<Omit<Target, "row">>) => void;
  /** The target has been reached. */
  onReached: () => void;
  onVisible: (range: RowRange) => void;
}>;

/** Rows that are dragged past are not requested. */
const SETTLE_MS = 60;
/** Chunks of a list that was left. */
const UNUSED_MS = 60_000;
const TOP: RowRange = { first: 0, last: 0 };

/** The rows of a long list near the viewport, and where they are. The first chunk comes with the list itself. */
export function useEndlessRows<Row>({ list, chunksKey, readChunk, rowId, startAt, onMove }: Options<Row>) {
  const client = useQueryClient();
  const [state, setState] = useState<State>({ key: "", start: 0, visible: TOP, target: null });
  const key = list?.key ?? "";
  const total = list?.total ?? 0;
  const begin = useRef(startAt);
  const fresh = useMemo((): State => {
    const row = Math.min(begin.current, Math.max(total - 1, 0));
    const visible = { first: row, last: row, isExpected: true } as const;
    const target = row > 0 ? { row, isFocused: false, isAtEnd: false } : null;
    return { key, start: partStart(0, visible, total), visible, target };
  }, [key, total]);
  const { start, visible, target } = state.key === key ? state : fresh;
  // Only the list that was left is shown where it was left.
  useEffect(() => {
    if (key && state.key === key) begin.current = 0;
  }, [key, state.key]);
  const chunks = requiredChunks(visible, total).filter((chunk) => chunk > 0);
  const results = useQueries({
    queries: chunks.map(
      (chunk): UseQueryOptions<Chunk<Row>> => ({
        queryKey: [...chunksKey, chunk],
        queryFn: ({ signal }) => readChunk(chunk, signal),
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: UNUSED_MS,
      }),
    ),
  });
  const loaded = results.flatMap(({ data }, index) => [chunks[index], data?.items]);
  const near = useStable([0, list?.rows, ...loaded]);
  const { rows, ids } = useMemo(() => {
    const byPosition = new Map<number, Row>();
    const seen = new Set<RowId>();
    let chunk = 0;
    for (const entry of near) {
      if (typeof entry === "number") chunk = entry;
      else
        entry?.forEach((row, index) => {
          const id = rowId(row);
          const position = chunk * CHUNK_ROWS + index;
          // A row that was written late moves the others on: it is not shown twice.
          if (position < total && !seen.has(id)) byPosition.set(position, row);
          seen.add(id);
        });
    }
    return {
      rows: [...byPosition.values()],
      ids: new Map([...byPosition].map(([position, row]) => [position, String(rowId(row))])),
    };
  }, [near, total, rowId]);
  const sight = useRef<Sight>(visible);
  const listeners = useRef(new Set<() => void>());
  useEffect(() => {
    sight.current = visible;
    for (const listener of listeners.current) listener();
  }, [visible]);
  const inSight = useMemo(
    () => ({
      read: () => sight.current,
      subscribe: (listener: () => void) => {
        listeners.current.add(listener);
        return () => void listeners.current.delete(listener);
      },
    }),
    [],
  );
  useEffect(() => {
    const cache = client.getQueryCache();
    const cached = cache.findAll({ queryKey: chunksKey });
    const numbers = cached.map(({ queryKey }) => Number(queryKey.at(-1)));
    for (const chunk of excessChunks(numbers, visible)) client.removeQueries({ queryKey: [...chunksKey, chunk] });
  }, [client, chunksKey, visible]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = useCallback(
    (next: (now: State) => Partial<State>) =>
      setState((now) => {
        const base = now.key === key ? now : fresh;
        const changes = next(base);
        return Object.keys(changes).length === 0 ? now : { ...base, ...changes, key };
      }),
    [key, fresh],
  );
  const goTo: EndlessRows["goTo"] = (row, { isFocused = false, isAtEnd = false } = {}) =>
    change((now) => ({
      target: { row, isFocused, isAtEnd },
      start: partStart(now.start, { first: row, last: row }, total),
    }));
  const moved = useRef(onMove);
  moved.current = onMove;
  const onVisible = useCallback(
    (range: RowRange) => {
      sight.current = range;
      for (const listener of listeners.current) listener();
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        moved.current(range.first);
        change((now) => {
          const next = partStart(now.start, range, total);
          if (next === now.start) return hasSameChunks(now.visible, range, total) ? {} : { visible: range };
          return { visible: range, start: next, target: { row: range.first, isFocused: false, isAtEnd: false } };
        });
      }, SETTLE_MS);
    },
    [change, total],
  );
  const onReached = useCallback(() => change(() => ({ target: null })), [change]);
  const failed = results.filter(({ isError }) => isError);
  const endless: EndlessRows = {
    key,
    total,
    start,
    length: partLength(start, total),
    ids,
    inSight,
    error: failed[0]?.error ?? null,
    onRetry: () => failed.forEach((result) => void result.refetch()),
    target,
    goTo,
    onReached,
    onVisible,
  };
  return { rows: list && rows, endless };
}

/** Whether two screens need the same chunks. */
const hasSameChunks = (one: RowRange, other: RowRange, total: number): boolean =>
  String(requiredChunks(one, total)) === String(requiredChunks(other, total));

/** The same array while its entries are the same. */
function useStable<Entry>(entries: readonly Entry[]): readonly Entry[] {
  const last = useRef(entries);
  const isSame = last.current.length === entries.length && entries.every((entry, at) => entry === last.current[at]);
  if (!isSame) last.current = entries;
  return last.current;
}
