/** Asks the command palette, which is loaded apart, to open. */
export const PALETTE_EVENT = "sluice:palette";

/** Opens the palette from elsewhere on the page. */
export const openPalette = (): void => {
  window.dispatchEvent(new Event(PALETTE_EVENT));
};
