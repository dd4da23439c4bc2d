import interCyrillic from "@fontsource-variable/inter/files/inter-cyrillic-wght-normal.woff2" with { type: "file" };
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2" with { type: "file" };
import interVietnamese from "@fontsource-variable/inter/files/inter-vietnamese-wght-normal.woff2" with { type: "file" };
import mono from "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2" with {
  type: "file",
};

const LATIN = "U+0-10FFFF";
const CYRILLIC = "U+0301, U+0400-045F, U+0490-0491, U+04B0-04B1, U+2116";
const VIETNAMESE =
  "U+0102-0103, U+0110-0111, U+0128-0129, U+0168-0169, U+01A0-01A1, U+01AF-01B0, U+0300-0301, U+0303-0304, U+0308-0309, U+0323, U+0329, U+1EA0-1EF9, U+20AB";

/** Of faces of one family a later one comes first in its range. */
const FACES = [
  { family: "Inter Variable", file: inter, weight: "100 900", unicodeRange: LATIN },
  { family: "Inter Variable", file: interCyrillic, weight: "100 900", unicodeRange: CYRILLIC },
  { family: "Inter Variable", file: interVietnamese, weight: "100 900", unicodeRange: VIETNAMESE },
  { family: "JetBrains Mono Variable", file: mono, weight: "100 800", unicodeRange: LATIN },
] as const;

/**
 * Declares the bundled fonts; the browser fetches each when a text first needs it, the one of all text at once. In a style
 * sheet the bundler would inline the files, which the page's security policy refuses.
 */
export function declareFonts(): void {
  for (const { family, file, weight, unicodeRange } of FACES) {
    document.fonts.add(new FontFace(family, `url(${file}) format("woff2")`, { weight, unicodeRange, display: "swap" }));
  }
  void document.fonts.load('14px "Inter Variable"');
}
