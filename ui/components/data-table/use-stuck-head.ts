import { type RefObject, useEffect, useRef } from "react";
import { size } from "../../theme.ts";

/** How far the heads of a table that scrolls sideways are moved down; on its `thead`. */
export const HEAD_SHIFT = "--head-shift";

/**
 * Tells a table's heads how far to move to stay in sight: what scrolls sideways sticks to its own box, which the window
 * scrolls away. Returns the reference for the table.
 */
export function useStuckHead(): RefObject<HTMLTableElement | null> {
  const ref = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const table = ref.current;
    const head = table?.tHead;
    if (!table || !head) return;
    const follow = () => {
      const { top, height } = table.getBoundingClientRect();
      const shift = Math.min(Math.max(size.header - top, 0), height - head.offsetHeight);
      head.style.setProperty(HEAD_SHIFT, `${shift}px`);
    };
    window.addEventListener("scroll", follow, { passive: true });
    return () => window.removeEventListener("scroll", follow);
  }, []);
  return ref;
}
