import type { KeyboardEvent } from "react";

/** Fields in which Enter alone may submit: one line, and no list of choices that Enter takes from. */
const ONE_LINE = "input:not([role=combobox], [type=checkbox], [type=radio])";
/** The button that submits stands last. */
const SUBMIT_BUTTON = ".MuiButton-contained";

/**
 * Presses the form's button at Ctrl+Enter or ⌘+Enter in any field, and with `isShort` at Enter in a field of one line. Fields that
 * use Enter for themselves prevent its default.
 */
export function submitByKeys(event: KeyboardEvent<HTMLElement>, isShort: boolean): void {
  const { key, target, currentTarget, nativeEvent } = event;
  if (key !== "Enter" || event.defaultPrevented || nativeEvent.isComposing || !(target instanceof Element)) return;
  // Dialogs over this one belong to it only in React's tree.
  if (!currentTarget.contains(target)) return;
  const isSubmit = event.ctrlKey || event.metaKey || (isShort && target.matches(ONE_LINE));
  if (!isSubmit) return;
  event.preventDefault();
  [...currentTarget.querySelectorAll<HTMLButtonElement>(SUBMIT_BUTTON)].at(-1)?.click();
}
