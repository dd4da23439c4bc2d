import { createTheme } from "@mui/material/styles";
import { controls } from "./controls.ts";
import { surfaces } from "./surfaces.ts";
import { dark, fontSans, light } from "./tokens.ts";

export { size } from "./tokens.ts";

/** The console's theme: tokens, type, motion and component defaults. */
export const theme = createTheme({
  cssVariables: { cssVarPrefix: "sl", colorSchemeSelector: "data-scheme" },
  colorSchemes: { light: { palette: light }, dark: { palette: dark } },
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
  components: { ...controls, ...surfaces },
});
