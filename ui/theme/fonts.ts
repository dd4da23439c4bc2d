import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2" with { type: "file" };
import mono from "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2" with {
  type: "file",
};

const FACES = [
  { family: "Inter Variable", file: inter, weight: "100 900" },
  { family: "JetBrains Mono Variable", file: mono, weight: "100 800" },
] as const;

/**
 * Declares the bundled fonts; the browser fetches each when a text first needs it, the one of all text at once. In a style
 * sheet the bundler would inline the files, which the page's security policy refuses.
 */
export function declareFonts(): void {
  for (const { family, file, weight } of FACES) {
    document.fonts.add(new FontFace(family, `url(${file}) format("woff2")`, { weight, display: "swap" }));
  }
  void document.fonts.load('14px "Inter Variable"');
}
