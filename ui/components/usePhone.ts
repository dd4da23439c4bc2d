import useMediaQuery from "@mui/material/useMediaQuery";

/** Whether the window is at most 600 px wide: tables become cards, drawers fill the screen. */
export const usePhone = (): boolean => useMediaQuery("(max-width:600px)", { noSsr: true });
