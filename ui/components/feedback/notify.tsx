import { atom, getDefaultStore, useAtomValue } from "jotai";
import { type ComponentType, lazy, Suspense } from "react";
import { type Toast, waitingToastsAtom } from "./waiting-toasts.ts";

/** A page that is older than the server finds no such file. */
const ToastHost = lazy<ComponentType>(() => import("./Toasts.tsx").catch(() => ({ default: PlainToasts })));

/** The latest message, without the library of toasts. */
const PlainToasts = () => {
  const message = useAtomValue(waitingToastsAtom).at(-1)?.message;
  return (
    <div role="status" style={{ position: "fixed", zIndex: 2000, bottom: 16, left: 16, padding: 12, ...PLAIN_COLORS }}>
      {message}
    </div>
  );
};
const PLAIN_COLORS = { background: "#15202f", color: "#f1f5f9" };

/** Shows toasts; loaded with the first one. */
export const Toasts = () => {
  const isNeeded = useAtomValue(isNeededAtom);
  return isNeeded ? (
    <Suspense>
      <ToastHost />
    </Suspense>
  ) : null;
};
const isNeededAtom = atom(false);

function notify(toast: Toast): void {
  const store = getDefaultStore();
  store.set(waitingToastsAtom, (waiting) => [...waiting, toast]);
  store.set(isNeededAtom, true);
}

/** Confirms that something was done. */
export const notifyDone = (message: string): void => notify({ message, tone: "success" });

/** Shows an error with the server's or the network's message. */
export const notifyError = (error: unknown): void =>
  notify({ message: error instanceof Error ? error.message : String(error), tone: "error" });

/** Shows a neutral notice. */
export const notifyInfo = (message: string): void => notify({ message, tone: "info" });

/** Says that the page waits so many seconds; one notice, however many parts of the page wait. */
export const notifyWait = (message: string, seconds: number): void =>
  notify({ message, tone: "info", key: "wait", durationMs: seconds * 1000 });

const UNDO_MS = 6000;

/** Confirms an action that can be undone for a few seconds. */
export const notifyUndo = (message: string, label: string, undo: () => void): void =>
  notify({ message, tone: "default", durationMs: UNDO_MS, action: { label, run: undo } });
