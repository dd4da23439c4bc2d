import type { ThemeOptions } from "@mui/material/styles";
import { createElement } from "react";
import { fontSans, size } from "./tokens.ts";

const CHECKBOX_PADDING_PX = 4;

const check = (on: boolean, part = false) =>
  createElement("span", { className: `sl-check${on ? " on" : ""}${part ? " part" : ""}` });

/** Styles of controls: buttons, inputs, checkboxes. */
export const controls: NonNullable<ThemeOptions["components"]> = {
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
        "&.MuiInputBase-multiline": { padding: "0 10px" },
      }),
      input: ({ theme: t }) => ({
        padding: "6px 0",
        height: 20,
        lineHeight: "20px",
        "&::placeholder": { color: t.vars!.palette.text.tertiary, opacity: 1 },
      }),
    },
  },
  MuiAutocomplete: {
    styleOverrides: {
      // Same height and padding as fields without suggestions.
      root: {
        "& .MuiOutlinedInput-root.MuiInputBase-sizeSmall": {
          paddingTop: 0,
          paddingBottom: 0,
          paddingLeft: 10,
          "& .MuiAutocomplete-input": { padding: "6px 0" },
        },
      },
      paper: ({ theme: t }) => ({
        background: t.vars!.palette.surface.raised,
        border: `1px solid ${t.vars!.palette.line.main}`,
      }),
      option: { fontSize: 13, lineHeight: "20px", minHeight: "32px !important" },
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
  // The box, which has a padding, stands under the texts around it.
  MuiFormControlLabel: { styleOverrides: { root: { marginLeft: -CHECKBOX_PADDING_PX }, label: { fontSize: 13 } } },
  MuiCheckbox: {
    defaultProps: { icon: check(false), checkedIcon: check(true), indeterminateIcon: check(true, true) },
    styleOverrides: {
      root: ({ theme: t }) => ({
        padding: CHECKBOX_PADDING_PX,
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
      root: ({ theme: t }) => ({
        ...{ width: 32, height: 18, padding: 0, display: "inline-flex", flex: "0 0 auto", borderRadius: 9 },
        // Around the whole of it: the thumb's own is cut.
        "&:has(:focus-visible)": { outline: `2px solid ${t.vars!.palette.primary.main}`, outlineOffset: 2 },
      }),
      switchBase: ({ theme: t }) => ({
        padding: 2,
        "&.Mui-focusVisible": { outline: "none !important" },
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
        // Several rows where one is too narrow.
        minHeight: size.control,
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
  MuiLink: { defaultProps: { underline: "hover" }, styleOverrides: { root: { fontWeight: 520 } } },
  MuiSlider: {
    styleOverrides: {
      root: { height: 4, padding: "8px 0 !important" },
      thumb: { width: 14, height: 14, boxShadow: "none !important" },
      rail: ({ theme: t }) => ({ background: t.vars!.palette.line.strong, opacity: 1 }),
    },
  },
};
