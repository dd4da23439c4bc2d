/** Asks the command palette, which is loaded apart, to open. */
export const PALETTE_EVENT = "sluice:palette";

/** Opens the palette from elsewhere on the page. */
export const openPalette = (): void => {
  window.dispatchEvent(new Event(PALETTE_EVENT));
};

/** How the keys that open it are called on this machine. */
export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";
