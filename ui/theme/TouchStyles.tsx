import GlobalStyles from "@mui/material/GlobalStyles";
import { IS_TOUCH, TARGET_PX } from "./touch.ts";

/** Takes touches around an element, in the middle of which it stands. */
const AROUND = {
  content: '""',
  position: "absolute",
  top: "50%",
  left: "50%",
  width: `max(100%, ${TARGET_PX}px)`,
  height: `max(100%, ${TARGET_PX}px)`,
  transform: "translate(-50%, -50%)",
} as const;

/** Half of what a line of text lacks. */
const LINE_LACKS_PX = (TARGET_PX - 20) / 2;

/** Global styles. */
const STYLES = {
  [`@media ${IS_TOUCH}`]: {
    [[
      ".MuiButton-root",
      ".MuiTab-root",
      ".MuiTabs-root",
      ".MuiMenuItem-root",
      ".MuiListItemButton-root",
      ".MuiAutocomplete-option",
      ".MuiInputBase-root",
      ".MuiToggleButtonGroup-root",
    ].join()]: { minHeight: `${TARGET_PX}px !important` },
    ".MuiButton-root, .MuiTab-root, .MuiToggleButton-root, .MuiInputBase-root": { minWidth: TARGET_PX },
    ".MuiIconButton-root:not(.MuiIconButton-sizeSmall)": { minWidth: TARGET_PX, minHeight: TARGET_PX },
    ".MuiToggleButton-root": { height: "auto !important", alignSelf: "stretch" },
    ".MuiButtonBase-root::after": AROUND,
    // A list's rows, whose cells cut what stands out of them.
    ".sl-cell, .MuiTableCell-body": { height: `${TARGET_PX}px !important` },
    ".MuiSwitch-root": { overflow: "visible !important" },
    ".MuiSwitch-input": { top: `${-(TARGET_PX - 18) / 2}px !important`, height: `${TARGET_PX}px !important` },
    ".MuiCheckbox-root input, .MuiRadio-root input": {
      ...{ top: "50% !important", left: "50% !important", transform: "translate(-50%, -50%)" },
      ...{ width: `${TARGET_PX}px !important`, height: `${TARGET_PX}px !important` },
    },
    ".MuiSlider-root.MuiSlider-root": { padding: `${LINE_LACKS_PX + 8}px 0 !important` },
    // Without weight, so that elements with a place or a mark of their own have it.
    ':where(main, [role="dialog"]) :where(a, button):where(:not(.MuiButtonBase-root))': { position: "relative" },
    ':where(main, [role="dialog"]) :where(a, button):where(:not(.MuiButtonBase-root))::after': {
      ...{ content: '""', position: "absolute", inset: `${-LINE_LACKS_PX}px -6px` },
      ...{ minWidth: TARGET_PX, minHeight: TARGET_PX },
    },
  },
} as const;

/** Loaded where fingers point alone. */
export const TouchStyles = () => <GlobalStyles styles={STYLES} />;
