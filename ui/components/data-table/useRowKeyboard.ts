import { useEffect, useState } from "react";
import type { RowId } from "./column.ts";

type Options = Readonly<{
  ids: readonly RowId[];
  /** Enter or O. */
  onOpen: (id: RowId) => void;
  /** X or the space bar. */
  onToggle?: ((id: RowId) => void) | undefined;
}>;

/** J and K or the arrows move through the rows, Enter opens, X or the space bar ticks; nothing while somebody types or a dialog is open. */
export function useRowKeyboard({ ids, onOpen, onToggle }: Options): RowId | null {
  const [focused, setFocused] = useState<RowId | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const step = STEPS[key];
      if (step !== undefined) {
        // Menus, tabs and the like have the arrows for themselves.
        if (key.startsWith("arrow") && isWithin(event.target, TAKES_ARROWS)) return;
        const at = focused === null ? -1 : ids.indexOf(focused);
        const next = ids[Math.min(Math.max(at + step, 0), ids.length - 1)];
        if (next === undefined) return;
        setFocused(next);
        // Enter now means the row, not the button that was pressed before.
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        document.querySelector(`[data-row="${CSS.escape(String(next))}"]`)?.scrollIntoView({ block: "nearest" });
      } else if (focused !== null && ids.includes(focused)) {
        if (key === "o" || (key === "enter" && !pressesItself(event.target))) onOpen(focused);
        else if (onToggle && (key === "x" || (key === " " && !pressesItself(event.target)))) onToggle(focused);
        else return;
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [ids, focused, onOpen, onToggle]);
  return focused;
}

const STEPS: Readonly<Record<string, number | undefined>> = { j: 1, k: -1, arrowdown: 1, arrowup: -1 };
const TAKES_ARROWS = "[role=tab], [role=radiogroup], [role=slider], [role=combobox]";

const isWithin = (target: EventTarget | null, selector: string): boolean =>
  target instanceof HTMLElement && target.closest(selector) !== null;

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]')) return true;
  return isWithin(target, "input:not([type=checkbox]), textarea, select, [contenteditable]");
}

/** A focused button or link takes Enter for itself. */
const pressesItself = (target: EventTarget | null): boolean => isWithin(target, "button, a, input");
