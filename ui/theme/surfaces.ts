import type { Theme, ThemeOptions } from "@mui/material/styles";
import { fontMono, fontSans, size } from "./tokens.ts";

const ALERT_TONES = { success: "ok", info: "info", warning: "warn", error: "bad" } as const;
const FLOATING_SHADOW = "0 12px 40px rgb(8 15 25 / .18)";

const cell = (t: Theme) => ({
  height: size.row,
  padding: "0 10px",
  fontSize: 13,
  lineHeight: "20px",
  borderBottom: `1px solid ${t.vars!.palette.line.faint}`,
  whiteSpace: "nowrap",
  overflow: "hidden",
  textOverflow: "ellipsis",
});

/** Styles of surfaces: page, tables, panels and floating elements. */
export const surfaces: NonNullable<ThemeOptions["components"]> = {
  MuiCssBaseline: {
    styleOverrides: (t) => ({
      html: { WebkitFontSmoothing: "antialiased", MozOsxFontSmoothing: "grayscale" },
      body: { fontSize: 14, lineHeight: "20px", overflowX: "hidden" },
      "code, kbd, pre, .mono": {
        fontFamily: fontMono,
        fontSize: "0.923em",
        fontFeatureSettings: '"zero"',
        fontVariantLigatures: "none",
      },
      kbd: {
        fontFamily: fontSans,
        fontSize: 11,
        lineHeight: "16px",
        padding: "0 5px",
        borderRadius: 4,
        color: t.vars!.palette.text.tertiary,
        border: `1px solid ${t.vars!.palette.line.main}`,
        background: t.vars!.palette.surface.paper,
      },
      // Inter's `tnum` also widens the hyphen, so numbers are tabular only in columns.
      ".num, time, td.MuiTableCell-alignRight, tfoot td": { fontVariantNumeric: "tabular-nums" },
      // The cells of lists: plain elements, of which there are hundreds.
      ".sl-cell": cell(t),
      a: { color: "inherit", textDecorationColor: t.vars!.palette.line.strong, textUnderlineOffset: 3 },
      ":focus-visible, .Mui-focusVisible": {
        outline: `2px solid ${t.vars!.palette.primary.main} !important`,
        outlineOffset: 2,
      },
      '[tabindex="-1"]:focus-visible': { outline: "none !important" },
      "::selection": { background: t.vars!.palette.accentTint },
      "@media (prefers-reduced-motion: reduce)": {
        "*, *::before, *::after": { transition: "none !important", animation: "none !important" },
      },
    }),
  },
  MuiTable: { styleOverrides: { root: { tableLayout: "fixed", borderCollapse: "separate" } } },
  MuiTableCell: {
    styleOverrides: {
      root: ({ theme }) => cell(theme),
      head: ({ theme: t }) => ({
        height: 36,
        fontSize: 12,
        fontWeight: 520,
        color: t.vars!.palette.text.secondary,
        background: t.vars!.palette.surface.sunken,
        borderBottom: `1px solid ${t.vars!.palette.line.main}`,
      }),
      footer: ({ theme: t }) => ({
        fontWeight: 550,
        color: t.vars!.palette.text.primary,
        background: t.vars!.palette.surface.sunken,
        borderBottom: 0,
        borderTop: `1px solid ${t.vars!.palette.line.main}`,
      }),
    },
  },
  MuiTableRow: {
    styleOverrides: {
      root: ({ theme: t }) => ({
        "&.MuiTableRow-hover:hover": { background: t.vars!.palette.surface.hover },
        "&.Mui-selected, &.Mui-selected:hover": { background: t.vars!.palette.surface.selected },
        "&:last-of-type > td": { borderBottomColor: "transparent" },
      }),
    },
  },
  MuiTooltip: {
    defaultProps: {
      enterDelay: 300,
      slotProps: { popper: { modifiers: [{ name: "offset", options: { offset: [0, -6] } }] } },
    },
    styleOverrides: {
      tooltip: ({ theme: t }) => ({
        fontSize: 12,
        lineHeight: "17px",
        fontWeight: 450,
        padding: "7px 10px",
        borderRadius: 7,
        maxWidth: 300,
        background: t.vars!.palette.tip.bg,
        color: t.vars!.palette.tip.fg,
      }),
    },
  },
  MuiPaper: { styleOverrides: { root: { backgroundImage: "none" } } },
  MuiDrawer: {
    styleOverrides: {
      paper: ({ theme: t }) => ({
        background: t.vars!.palette.surface.paper,
        borderLeft: `1px solid ${t.vars!.palette.line.main}`,
        boxShadow: "-16px 0 48px rgb(8 15 25 / .16)",
      }),
    },
  },
  MuiBackdrop: {
    styleOverrides: { root: { "&:not(.MuiBackdrop-invisible)": { background: "rgb(8 15 25 / .36)" } } },
  },
  MuiDivider: { styleOverrides: { root: ({ theme: t }) => ({ borderColor: t.vars!.palette.line.main }) } },
  MuiSkeleton: {
    defaultProps: { animation: "wave" },
    styleOverrides: {
      root: ({ theme: t }) => ({ background: t.vars!.palette.tone.idle.tint, borderRadius: 5, transform: "none" }),
    },
  },
  MuiAlert: {
    styleOverrides: {
      root: { padding: "8px 12px", borderRadius: 8, border: "1px solid", fontSize: 13, lineHeight: "20px" },
      icon: { padding: 0, marginRight: 10, fontSize: 18, alignItems: "center", height: 20 },
      message: { padding: 0 },
      action: { padding: 0, marginRight: 0, alignItems: "center" },
      standard: ({ theme: t, ownerState: { severity = "success" } }) => {
        const tone = t.vars!.palette.tone[ALERT_TONES[severity]];
        return {
          color: tone.text,
          background: tone.tint,
          borderColor: tone.line,
          "& .MuiAlert-icon": { color: tone.text },
        };
      },
    },
  },
  MuiDialog: {
    styleOverrides: {
      paper: ({ theme: t }) => ({
        borderRadius: 12,
        background: t.vars!.palette.surface.raised,
        border: `1px solid ${t.vars!.palette.line.main}`,
        boxShadow: FLOATING_SHADOW,
      }),
    },
  },
  MuiMenu: {
    // With it the library forgets that the menu has the focus, and lets a page that still loads take it away.
    defaultProps: { disableAutoFocus: false },
    styleOverrides: { list: { padding: 4 } },
  },
  MuiPopover: {
    styleOverrides: {
      paper: ({ theme: t }) => ({
        background: t.vars!.palette.surface.raised,
        border: `1px solid ${t.vars!.palette.line.main}`,
        boxShadow: FLOATING_SHADOW,
      }),
    },
  },
  MuiMenuItem: {
    styleOverrides: {
      root: ({ theme: t }) => ({
        minHeight: 32,
        padding: "4px 10px",
        borderRadius: 6,
        fontSize: 13,
        "&:hover, &.Mui-focusVisible": { background: t.vars!.palette.surface.hover },
        "&.Mui-selected, &.Mui-selected:hover, &.Mui-selected.Mui-focusVisible": {
          background: t.vars!.palette.surface.selected,
        },
        "& .MuiListItemIcon-root": { minWidth: 0, marginRight: 10, "& svg": { fontSize: 17 } },
      }),
    },
  },
};
