import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** How often, and how long, a page that still loads is looked at again. */
const STEP_MS = 50;
const LONGEST_MS = 5000;
const MODAL = ".MuiModal-root";

/**
 * Moves the focus to the heading of a page that was opened, so that a keyboard or a screen reader goes on there: not for the page
 * that the browser loaded, and not from what the page has focused by itself, such as the playground's composer.
 */
export const PageFocus = () => {
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname ?? "" });
  const last = useRef("");
  useEffect(() => {
    const [from, to] = [last.current, pathname];
    last.current = to;
    if (from === "" || from === to) return;
    const isLost = () => document.activeElement === document.body;
    // A drawer that is opened and closed at its own address leaves the focus with what opened it.
    const isSamePage = to.startsWith(`${from}/`) || from.startsWith(`${to}/`);
    const isPlaced = () => (isSamePage ? !isLost() : document.activeElement?.closest("main > *") != null);
    let hasMoved = false;
    const start = performance.now();
    const timer = setInterval(() => {
      if (performance.now() - start > LONGEST_MS) clearInterval(timer);
      if (document.querySelector(MODAL)) return;
      // A heading may go with the page's first state, while it loads.
      if (hasMoved ? isLost() : !isPlaced()) hasMoved = focusHeading() || hasMoved;
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [pathname]);
  return null;
};

/** False where the page has none yet. */
function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (!heading) return false;
  heading.tabIndex = -1;
  heading.style.outline = "none";
  heading.focus({ preventScroll: true });
  return true;
}
