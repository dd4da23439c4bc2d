import type { RowData } from "@tanstack/react-table";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { fontSans } from "../../../theme/tokens.ts";
import type { Column } from "../column.ts";
import type { Table } from "../table.ts";

type Widths = Readonly<{
  /** For the element that is as wide as the table may be. */
  room: RefObject<HTMLDivElement | null>;
  /** By column; one that is missing takes what is left. */
  widths: ReadonlyMap<string, number>;
  /** Below this width the table scrolls sideways. */
  least: number;
}>;

/**
 * Fits the columns of a table to their texts and the room there is. `chosen`: widths that the reader set. `list`: of which list
 * the rows are a part; while it is the same, columns only grow.
 */
export function useColumnWidths<Row extends RowData>(
  table: Table<Row>,
  pageColumns: readonly Column<Row>[],
  chosen: Readonly<Record<string, number>>,
  list?: string,
): Widths {
  const room = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const columns = table.getHeaderGroups()[0]?.headers.map(({ column }) => column) ?? [];
  const rows = table.getRowModel().rows;
  const padding = columns.some((column) => column.getCanSort()) ? SORTED_PADDING_PX : PADDING_PX;
  const last = useRef<{ list: string | undefined; needs: ReadonlyMap<string, number> }>({ list, needs: new Map() });
  const needs = useMemo(() => {
    const least = list !== undefined && last.current.list === list ? last.current.needs : null;
    const texts = pageColumns.map(({ key, head, text }) =>
      text
        ? ([
            key,
            Math.max(widest([head, ...rows.map(({ original }) => text(original))]) + padding, least?.get(key) ?? 0),
          ] as const)
        : null,
    );
    const now = new Map(texts.filter((entry) => entry !== null));
    last.current = { list, needs: now };
    return now;
  }, [rows, pageColumns, padding, list]);
  const fits = columns.map(
    (column): ColumnFit => ({
      id: column.id,
      size: column.getSize(),
      need: needs.get(column.id),
      chosen: chosen[column.id],
    }),
  );
  const { widths, least } = fitColumns(fits, width);
  const fixed = columns.filter(({ id, columnDef }) => !columnDef.meta?.isFlexible || chosen[id] !== undefined);
  return { room, least, widths: new Map(fixed.map(({ id }) => [id, widths.get(id) ?? 0])) };
}

const PADDING_PX = 24;
/** Heads that sort stand clear of their handles. */
const SORTED_PADDING_PX = 28;
let context: CanvasRenderingContext2D | null | undefined;

/** The width of the widest text, in pixels; measured in the weight of emphasized ones. */
function widest(texts: readonly string[]): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return 0;
  context.font = `550 13px ${fontSans}`;
  let most = 0;
  for (const text of new Set(texts)) most = Math.max(most, context.measureText(text).width);
  return Math.ceil(most);
}

/** A column's widths in pixels. */
type ColumnFit = Readonly<{
  id: string;
  /** What it gets when there is no room to share. */
  size: number;
  /** What its longest text takes; a column without it keeps its size. */
  need?: number | undefined;
  /** What the reader chose. */
  chosen?: number | undefined;
}>;

/** Narrower, a name can't be recognized. */
const NARROWEST_PX = 48;

/**
 * The widths of columns in a table with so much room: texts that need less than their column's size leave the rest to
 * those that need more. `least`: what the table needs without cutting more than the sizes do.
 */
export function fitColumns(
  columns: readonly ColumnFit[],
  room: number,
): Readonly<{ widths: ReadonlyMap<string, number>; least: number }> {
  const bases = columns.map(({ id, size, need, chosen }) => {
    if (chosen !== undefined) return { id, base: Math.max(chosen, NARROWEST_PX), want: 0 };
    if (need === undefined) return { id, base: size, want: 0 };
    const base = Math.max(Math.min(size, need), NARROWEST_PX);
    return { id, base, want: Math.max(0, need - base) };
  });
  const least = bases.reduce((sum, { base }) => sum + base, 0);
  const missing = bases.reduce((sum, { want }) => sum + want, 0);
  const share = missing === 0 ? 0 : Math.min(1, Math.max(0, room - least) / missing);
  return { widths: new Map(bases.map(({ id, base, want }) => [id, Math.floor(base + want * share)])), least };
}
