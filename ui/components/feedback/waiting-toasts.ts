import { atom } from "jotai";

/** A message that disappears by itself. */
export type Toast = Readonly<{
  message: string;
  tone: "success" | "error" | "info" | "default";
  /** Milliseconds; absent: five seconds. */
  durationMs?: number;
  /** While one of the same name is shown, no other is added. */
  key?: string;
  action?: Readonly<{ label: string; run: () => void }>;
}>;

/** Toasts that wait for the host, which is loaded with the first of them. */
export const waitingToastsAtom = atom<readonly Toast[]>([]);

/** Takes the waiting toasts. */
export const takeToastsAtom = atom(null, (get, set) => {
  const waiting = get(waitingToastsAtom);
  set(waitingToastsAtom, []);
  return waiting;
});
