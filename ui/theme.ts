/**
 * Sluice visual tokens and component defaults: the one place where colour, type, space and shape are decided.
 * Both schemes are made from the same token names; components read `theme.vars.palette.*`, never a literal colour.
 */

import { createTheme } from "@mui/material/styles";
import { createElement } from "react";

/** A state in its four forms: `text` is AA on `tint`, `tint` is a fill behind it, `line` its border, `solid` dots and bars. */
type Tone = { text: string; tint: string; line: string; solid: string };
type Tones = Record<"ok" | "warn" | "bad" | "info" | "idle" | "lime", Tone>;
type Surface = { canvas: string; paper: string; sunken: string; raised: string; hover: string; selected: string };
type Line = { faint: string; main: string; strong: string };
type Series = Record<"s1" | "s2" | "s3" | "s4" | "s5" | "s6" | "s7", string>;
type Extra = {
  surface: Surface;
  line: Line;
  tone: Tones;
  series: Series;
  accentTint: string;
  tip: { bg: string; fg: string };
};

declare module "@mui/material/styles" {
  interface Palette extends Extra {}
  interface PaletteOptions extends Partial<Extra> {}
  interface TypeText {
    tertiary: string;
  }
}

const light = {
  primary: { main: "#0f766e", dark: "#115e59", light: "#14b8a6", contrastText: "#ffffff" },
  error: { main: "#b42318" },
  warning: { main: "#b45309" },
  success: { main: "#15803d" },
  info: { main: "#1d4ed8" },
  text: { primary: "#0f1b2d", secondary: "#45556b", tertiary: "#5d6c81", disabled: "#94a3b8" },
  background: { default: "#ffffff", paper: "#ffffff" },
  divider: "#e3e8ef",
  surface: {
    canvas: "#f6f8fa",
    paper: "#ffffff",
    sunken: "#f6f8fa",
    raised: "#ffffff",
    hover: "#f3f6f9",
    selected: "#eef7f6",
  },
  line: { faint: "#edf1f5", main: "#e0e6ed", strong: "#c8d2de" },
  accentTint: "#0f766e24",
  tip: { bg: "#15202f", fg: "#f1f5f9" },
  tone: {
    ok: { text: "#166534", tint: "#e6f6ec", line: "#bfe5cc", solid: "#22a05a" },
    lime: { text: "#4a5d0b", tint: "#f1f7da", line: "#d8e6a6", solid: "#84a317" },
    warn: { text: "#8a4b08", tint: "#fdf3dc", line: "#f3dca6", solid: "#d98a14" },
    bad: { text: "#a8201a", tint: "#fdecea", line: "#f6c9c4", solid: "#d9382e" },
    info: { text: "#1c4fb8", tint: "#e9f0fd", line: "#c3d6f8", solid: "#3b74de" },
    idle: { text: "#45556b", tint: "#eef2f6", line: "#d5dde6", solid: "#8b9bb0" },
  },
  // Tol "bright", deepened a little: apart in hue and in lightness, so they survive deuteranopia and print.
  series: { s1: "#3f6fb0", s2: "#4fb3d6", s3: "#2c8a45", s4: "#c9b23a", s5: "#dd5f72", s6: "#97347a", s7: "#a5b1bf" },
};

const dark: typeof light = {
  primary: { main: "#2dd4bf", dark: "#14b8a6", light: "#5eead4", contrastText: "#04211e" },
  error: { main: "#f6857c" },
  warning: { main: "#f2b44c" },
  success: { main: "#5fd58a" },
  info: { main: "#86b0fb" },
  text: { primary: "#e7edf4", secondary: "#a9b7c7", tertiary: "#8d9db0", disabled: "#5a6a7d" },
  background: { default: "#0f161e", paper: "#0f161e" },
  divider: "#1f2b38",
  surface: {
    canvas: "#0a1016",
    paper: "#0f161e",
    sunken: "#131c26",
    raised: "#172230",
    hover: "#151f2a",
    selected: "#10292b",
  },
  line: { faint: "#1a2530", main: "#223040", strong: "#35475b" },
  accentTint: "#2dd4bf30",
  tip: { bg: "#2a394a", fg: "#f1f5f9" },
  tone: {
    ok: { text: "#6bdb94", tint: "#10281d", line: "#1d4a33", solid: "#3fbf74" },
    lime: { text: "#bcd75a", tint: "#212a10", line: "#3d4c1b", solid: "#9dbb35" },
    warn: { text: "#f3bd62", tint: "#2c2211", line: "#54401b", solid: "#e0a032" },
    bad: { text: "#fb938b", tint: "#311918", line: "#5f2b28", solid: "#ea5f55" },
    info: { text: "#8fb6fc", tint: "#14233f", line: "#284170", solid: "#5c92f2" },
    idle: { text: "#a9b7c7", tint: "#1b2632", line: "#2d3c4c", solid: "#6d7e92" },
  },
  series: { s1: "#5f90d6", s2: "#6ecbea", s3: "#4bb368", s4: "#dcc856", s5: "#ee7c8c", s6: "#c065a5", s7: "#64748b" },
};

export const fontSans = '"Inter Variable", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", system-ui, sans-serif';
export const fontMono = '"JetBrains Mono Variable", "Noto Sans Mono CJK SC", ui-monospace, Menlo, monospace';
/** Control heights on the 4 px grid. */
export const size = {
  header: 56,
  sider: 200,
  siderCollapsed: 60,
  control: 32,
  row: 40,
  rowCompact: 32,
  drawer: 600,
} as const;

const check = (on: boolean, part = false) =>
  createElement("span", { className: `sl-check${on ? " on" : ""}${part ? " part" : ""}` });

export const theme = createTheme({
  cssVariables: { cssVarPrefix: "sl", colorSchemeSelector: "data-scheme" },
  colorSchemes: { light: { palette: light as never }, dark: { palette: dark as never } },
  shape: { borderRadius: 8 },
  spacing: 4,
  typography: {
    fontFamily: fontSans,
    fontSize: 14,
    htmlFontSize: 16,
    h1: { fontSize: 20, lineHeight: "28px", fontWeight: 620, letterSpacing: "-0.012em" },
    h2: { fontSize: 15, lineHeight: "22px", fontWeight: 600, letterSpacing: "-0.006em" },
    h3: { fontSize: 13, lineHeight: "20px", fontWeight: 600 },
    body1: { fontSize: 14, lineHeight: "20px" },
    body2: { fontSize: 13, lineHeight: "20px" },
    caption: { fontSize: 12, lineHeight: "16px" },
    button: { fontSize: 13, lineHeight: "20px", fontWeight: 550, textTransform: "none", letterSpacing: 0 },
  },
  transitions: {
    duration: { shortest: 120, shorter: 120, short: 160, standard: 180, enteringScreen: 180, leavingScreen: 140 },
  },
  components: {
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
        // Inter widens the hyphen too under `tnum`, so figures are tabular only where they stand in columns.
        ".num, time, td.MuiTableCell-alignRight, tfoot td": { fontVariantNumeric: "tabular-nums" },
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
    MuiButtonBase: { defaultProps: { disableRipple: true }, styleOverrides: { root: { fontFamily: fontSans } } },
    MuiButton: {
      defaultProps: { disableElevation: true, variant: "outlined", color: "inherit" },
      styleOverrides: {
        root: ({ theme: t }) => ({
          height: size.control,
          minWidth: 0,
          padding: "0 12px",
          borderRadius: 7,
          whiteSpace: "nowrap",
          flex: "0 0 auto",
          "& .MuiButton-startIcon": { marginLeft: -3, marginRight: 6 },
          "& .MuiButton-endIcon": { marginLeft: 4, marginRight: -4 },
          "& .MuiButton-startIcon > svg, & .MuiButton-endIcon > svg": { fontSize: 16 },
          variants: [
            {
              props: { variant: "outlined", color: "inherit" },
              style: {
                borderColor: t.vars!.palette.line.strong,
                background: t.vars!.palette.surface.paper,
                "&:hover": { background: t.vars!.palette.surface.hover, borderColor: t.vars!.palette.line.strong },
              },
            },
            {
              props: { variant: "text", color: "inherit" },
              style: {
                padding: "0 8px",
                color: t.vars!.palette.text.secondary,
                "&:hover": { background: t.vars!.palette.surface.hover, color: t.vars!.palette.text.primary },
              },
            },
            {
              props: { variant: "outlined", color: "error" },
              style: {
                borderColor: t.vars!.palette.tone.bad.line,
                color: t.vars!.palette.tone.bad.text,
                "&:hover": { background: t.vars!.palette.tone.bad.tint },
              },
            },
            { props: { size: "large" }, style: { height: 40, fontSize: 14 } },
            { props: { size: "small" }, style: { height: 28, padding: "0 10px", fontSize: 12.5 } },
          ],
        }),
      },
    },
    MuiIconButton: {
      styleOverrides: {
        root: ({ theme: t }) => ({
          width: 32,
          height: 32,
          padding: 0,
          borderRadius: 7,
          color: t.vars!.palette.text.secondary,
          "& svg": { fontSize: 18 },
          "&:hover": { background: t.vars!.palette.surface.hover, color: t.vars!.palette.text.primary },
        }),
        sizeSmall: { width: 24, height: 24, borderRadius: 6, "& svg": { fontSize: 15 } },
      },
    },
    MuiOutlinedInput: {
      defaultProps: { size: "small", notched: false },
      styleOverrides: {
        root: ({ theme: t }) => ({
          minHeight: size.control,
          fontSize: 13,
          borderRadius: 7,
          background: t.vars!.palette.surface.paper,
          paddingLeft: 10,
          paddingRight: 10,
          "& .MuiOutlinedInput-notchedOutline": {
            borderColor: t.vars!.palette.line.strong,
            top: 0,
            "& legend": { display: "none" },
          },
          "&:hover .MuiOutlinedInput-notchedOutline": { borderColor: t.vars!.palette.text.disabled },
          "&.Mui-focused .MuiOutlinedInput-notchedOutline": {
            borderWidth: 1,
            borderColor: t.vars!.palette.primary.main,
          },
          "&.Mui-focused": { boxShadow: `0 0 0 3px ${t.vars!.palette.accentTint}` },
          "&.Mui-error .MuiOutlinedInput-notchedOutline": { borderColor: t.vars!.palette.tone.bad.solid },
          "& :focus-visible": { outline: "none !important" },
          "&.MuiInputBase-multiline": { padding: "6px 10px" },
        }),
        input: ({ theme: t }) => ({
          padding: "6px 0",
          height: 20,
          lineHeight: "20px",
          "&::placeholder": { color: t.vars!.palette.text.tertiary, opacity: 1 },
        }),
      },
    },
    MuiInputAdornment: {
      styleOverrides: {
        root: ({ theme: t }) => ({
          color: t.vars!.palette.text.tertiary,
          "& svg": { fontSize: 16 },
          "& .MuiTypography-root": { fontSize: 12, color: t.vars!.palette.text.tertiary },
        }),
        positionStart: { marginRight: 6 },
      },
    },
    MuiSelect: {
      styleOverrides: {
        select: { minHeight: "unset", paddingRight: "20px !important" },
        icon: { fontSize: 16, right: 8, top: "calc(50% - 8px)" },
      },
    },
    MuiCheckbox: {
      defaultProps: { icon: check(false), checkedIcon: check(true), indeterminateIcon: check(true, true) },
      styleOverrides: {
        root: ({ theme: t }) => ({
          padding: 4,
          borderRadius: 6,
          "& .sl-check": {
            width: 16,
            height: 16,
            borderRadius: 4,
            border: `1.5px solid ${t.vars!.palette.line.strong}`,
            background: t.vars!.palette.surface.paper,
            position: "relative",
            boxSizing: "border-box",
          },
          "&:hover .sl-check:not(.on)": { borderColor: t.vars!.palette.text.tertiary },
          "& .sl-check.on": { background: t.vars!.palette.primary.main, borderColor: t.vars!.palette.primary.main },
          "& .sl-check.on::after": {
            content: '""',
            position: "absolute",
            left: 4,
            top: 0.5,
            width: 4,
            height: 8,
            border: `solid ${t.vars!.palette.primary.contrastText}`,
            borderWidth: "0 1.75px 1.75px 0",
            transform: "rotate(42deg)",
            boxSizing: "border-box",
          },
          "& .sl-check.part::after": {
            left: 2.5,
            top: 5.5,
            width: 8,
            height: 0,
            borderWidth: "1.75px 0 0 0",
            transform: "none",
          },
        }),
      },
    },
    MuiSwitch: {
      styleOverrides: {
        root: { width: 32, height: 18, padding: 0, display: "inline-flex", flex: "0 0 auto" },
        switchBase: ({ theme: t }) => ({
          padding: 2,
          "&.Mui-checked": { transform: "translateX(14px)", color: "#fff" },
          "&.Mui-checked + .MuiSwitch-track": { opacity: 1, background: t.vars!.palette.primary.main },
        }),
        thumb: { width: 14, height: 14, boxShadow: "none", background: "#fff" },
        track: ({ theme: t }) => ({ borderRadius: 9, opacity: 1, background: t.vars!.palette.tone.idle.solid }),
      },
    },
    MuiToggleButtonGroup: {
      styleOverrides: {
        root: ({ theme: t }) => ({
          height: size.control,
          padding: 2,
          gap: 2,
          borderRadius: 8,
          background: t.vars!.palette.tone.idle.tint,
        }),
      },
    },
    MuiToggleButton: {
      styleOverrides: {
        root: ({ theme: t }) => ({
          height: 28,
          padding: "0 10px",
          border: "1px solid transparent !important",
          borderRadius: "6px !important",
          margin: "0 !important",
          gap: 6,
          fontSize: 12.5,
          fontWeight: 520,
          color: t.vars!.palette.text.secondary,
          whiteSpace: "nowrap",
          "&.Mui-selected": {
            background: `${t.vars!.palette.surface.paper} !important`,
            color: t.vars!.palette.text.primary,
            borderColor: `${t.vars!.palette.line.main} !important`,
          },
        }),
      },
    },
    MuiChip: {
      styleOverrides: {
        root: ({ theme: t }) => ({
          height: 24,
          borderRadius: 6,
          fontSize: 12,
          fontWeight: 500,
          background: t.vars!.palette.tone.idle.tint,
          color: t.vars!.palette.text.primary,
        }),
        label: { padding: "0 8px" },
        deleteIcon: ({ theme: t }) => ({ fontSize: 14, margin: "0 5px 0 -3px", color: t.vars!.palette.text.tertiary }),
        outlined: ({ theme: t }) => ({ background: "transparent", borderColor: t.vars!.palette.line.strong }),
      },
    },
    MuiTable: { styleOverrides: { root: { tableLayout: "fixed", borderCollapse: "separate" } } },
    MuiTableCell: {
      styleOverrides: {
        root: ({ theme: t }) => ({
          height: size.row,
          padding: "0 10px",
          fontSize: 13,
          lineHeight: "20px",
          borderBottom: `1px solid ${t.vars!.palette.line.faint}`,
          whiteSpace: "nowrap",
          overflow: "hidden",
          textOverflow: "ellipsis",
        }),
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
    MuiTabs: {
      styleOverrides: {
        root: ({ theme: t }) => ({ minHeight: 40, borderBottom: `1px solid ${t.vars!.palette.line.main}` }),
        list: { gap: 20 },
        indicator: { height: 2, borderRadius: 2 },
      },
    },
    MuiTab: {
      styleOverrides: {
        root: ({ theme: t }) => ({
          minHeight: 40,
          minWidth: 0,
          padding: "0 2px",
          fontSize: 13.5,
          fontWeight: 520,
          color: t.vars!.palette.text.secondary,
          "&.Mui-selected": { color: t.vars!.palette.text.primary, fontWeight: 600 },
        }),
      },
    },
    MuiDivider: { styleOverrides: { root: ({ theme: t }) => ({ borderColor: t.vars!.palette.line.main }) } },
    MuiSkeleton: {
      defaultProps: { animation: "wave" },
      styleOverrides: {
        root: ({ theme: t }) => ({ background: t.vars!.palette.tone.idle.tint, borderRadius: 5, transform: "none" }),
      },
    },
    MuiLink: { defaultProps: { underline: "hover" }, styleOverrides: { root: { fontWeight: 520 } } },
    MuiSlider: {
      styleOverrides: {
        root: { height: 4, padding: "8px 0 !important" },
        thumb: { width: 14, height: 14, boxShadow: "none !important" },
        rail: ({ theme: t }) => ({ background: t.vars!.palette.line.strong, opacity: 1 }),
      },
    },
  },
});
