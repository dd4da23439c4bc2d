import { hexOf, mixColors, readableOn, readColor, textOn } from "../../../lib/values/color.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

/** The grounds that the accent stands on, as ui/theme/tokens.ts has them. */
const GROUND = { light: readColor("#ffffff"), dark: readColor("#0f161e") } as const;
const HOVER = 0.16;

/** Whether the operator has a style sheet of their own. */
export const hasBrandStyles = (settings: SettingsReader): boolean =>
  settings.get("BrandColor") !== "" || settings.get("CustomCss").trim() !== "";

/** The operator's style sheet: the accent color in both color schemes, then their own CSS. */
export function brandStyles(settings: SettingsReader): string {
  const color = settings.get("BrandColor");
  return `${color === "" ? "" : accentStyles(color)}${settings.get("CustomCss")}\n`;
}

/** The variables of the theme that depend on the accent color, adapted until text in it is readable on either ground. */
export function accentStyles(color: string): string {
  const scheme = (name: "light" | "dark"): string => {
    const main = readableOn(readColor(color), GROUND[name]);
    const away = readColor(name === "light" ? "#000000" : "#ffffff");
    const channel = main.map((part) => Math.round(part)).join(" ");
    const variables = {
      "primary-main": hexOf(main),
      "primary-mainChannel": channel,
      "primary-dark": hexOf(mixColors(main, away, HOVER)),
      "primary-light": hexOf(mixColors(main, away, HOVER / 2)),
      "primary-contrastText": hexOf(textOn(main)),
      accentTint: `${hexOf(main)}24`,
      "surface-selected": hexOf(mixColors(GROUND[name], main, 0.08)),
    };
    const lines = Object.entries(variables).map(([variable, value]) => `--sl-palette-${variable}:${value};`);
    return `html[data-scheme="${name}"]{${lines.join("")}}\n`;
  };
  return scheme("light") + scheme("dark");
}
