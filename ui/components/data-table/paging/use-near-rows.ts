import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { EndlessRows } from "./use-endless-rows.ts";

type Options = Readonly<{
  /** Rows that are laid out. */
  count: number;
  /** Height of a row that has not been measured, in pixels. */
  rowPx: number;
  endless: EndlessRows | undefined;
}>;

type NearRows = Readonly<{
  /** Positions among the laid-out rows. */
  indexes: readonly number[];
  /** Height of the blank space above and below, in pixels. */
  abovePx: number;
  belowPx: number;
  /** For the element above the first row. */
  top: (element: HTMLElement | null) => void;
  /** For rows that have a `data-index` and their own height. */
  measure: (element: HTMLElement | null) => void;
  /** Sets a row's height in pixels. */
  resize: (index: number, px: number) => void;
}>;

/** Rows rendered beyond both edges of the viewport, so that keyboard navigation always finds the next one. */
const OVERSCAN = 5;
/** What is above a list before it is measured, in pixels: fewer rows are rendered at first. */
const USUAL_MARGIN_PX = 400;

/** Which rows are near the viewport; blank space of the same height replaces the others. */
export function useNearRows({ count, rowPx, endless }: Options): NearRows {
  const anchor = useRef<HTMLElement>(null);
  const top = useCallback((element: HTMLElement | null) => {
    anchor.current = element;
  }, []);
  const [margin, setMargin] = useState(USUAL_MARGIN_PX);
  const start = endless?.start ?? 0;
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin: margin,
    getItemKey: (index) => start + index,
  });
  // What is above the list grows and shrinks while it loads.
  useLayoutEffect(() => {
    const now = anchor.current ? Math.round(anchor.current.getBoundingClientRect().top + window.scrollY) : 0;
    if (now !== margin) setMargin(now);
  });
  const { target = null, start: from = 0, onReached, onVisible } = endless ?? {};
  const { scrollToIndex } = rows;
  const scrolledTo = useRef<typeof target>(null);
  useEffect(() => {
    if (!target) return;
    // After the router has scrolled to the top of a new page.
    let frame = requestAnimationFrame(() => {
      scrollToIndex(target.row - from, { align: target.isAtEnd ? "end" : "start" });
      onVisible?.({ first: target.row, last: target.row });
      // After the browser has reported where that led.
      frame = requestAnimationFrame(() => {
        scrolledTo.current = target;
        if (!target.isFocused) onReached?.();
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [target, from, onReached, onVisible, scrollToIndex]);
  const [first, last] = [rows.range?.startIndex, rows.range?.endIndex];
  useEffect(() => {
    if (first === undefined || last === undefined) return;
    // Before it is scrolled there, a list that is laid out from another row on has others in sight, which nobody went to.
    if (target && scrolledTo.current !== target) return;
    onVisible?.({ first: start + first, last: start + last });
  }, [onVisible, start, first, last, target]);
  const items = rows.getVirtualItems();
  return {
    indexes: items.map(({ index }) => index),
    abovePx: Math.max((items[0]?.start ?? margin) - margin, 0),
    belowPx: Math.max(rows.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin), 0),
    top,
    measure: rows.measureElement,
    resize: rows.resizeItem,
  };
}

/** What `render` returns for each row, once: while only the page is scrolled, React gets the same elements. */
export function useElements(render: (index: number) => ReactNode): (index: number) => ReactNode {
  return useMemo(() => {
    const elements = new Map<number, ReactNode>();
    return (index) => {
      const element = elements.get(index) ?? render(index);
      elements.set(index, element);
      return element;
    };
  }, [render]);
}
