/**
 * The design tokens: all colors, type and sizes. Both schemes use the same token names; components read
 * `theme.vars.palette.*`, never a literal color.
 */
import type {} from "@mui/material/styles";

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

export const light = {
  primary: { main: "#0f766e", dark: "#115e59", light: "#14b8a6", contrastText: "#ffffff" },
  error: { main: "#b42318", dark: "#8f1c13" },
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

export const dark: typeof light = {
  primary: { main: "#2dd4bf", dark: "#14b8a6", light: "#5eead4", contrastText: "#04211e" },
  // Darker, as under the pointer, it would not stand out from its text.
  error: { main: "#f6857c", dark: "#e5736a" },
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
