import { atom } from "jotai";

/** Whether the command palette, which is loaded apart, is open. */
export const paletteAtom = atom(false);

/** How the keys that open it are called on this machine. */
export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";
