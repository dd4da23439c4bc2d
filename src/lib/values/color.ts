/** A color as red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

const HEX = /^#([0-9a-f]{6}|[0-9a-f]{3})$/i;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** WCAG 2.2 AA for text. */
const AA = 4.5;
const STEPS = 50;

/** Whether a text is a color such as #0f766e. */
export const isHexColor = (text: string): boolean => HEX.test(text);

/** Reads a color such as #0f766e or #07e. Throws where it is none. */
export function readColor(text: string): Rgb {
  const digits = HEX.exec(text)?.[1];
  if (digits === undefined) throw new Error(`not a color: ${text}`);
  const long = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const at = (start: number) => Number.parseInt(long.slice(start, start + 2), 16);
  return [at(0), at(2), at(4)];
}

/** Writes a color as six hexadecimal digits. */
export const hexOf = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

/** `share` (0 to 1) of `other` in a color. */
export const mixColors = (color: Rgb, other: Rgb, share: number): Rgb => {
  const part = (at: 0 | 1 | 2) => color[at] + (other[at] - color[at]) * share;
  return [part(0), part(1), part(2)];
};

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of two colors by WCAG, 1 to 21. */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The color nearest to `color` that is readable as text on `ground`. */
export function readableOn(color: Rgb, ground: Rgb): Rgb {
  const towards = contrastOf(BLACK, ground) > contrastOf(WHITE, ground) ? BLACK : WHITE;
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mixColors(color, towards, step / STEPS);
    if (contrastOf(mixed, ground) >= AA) return mixed;
  }
  return towards;
}

/** White or near black, whichever is easier to read on a fill of `color`. */
export const textOn = (color: Rgb): Rgb => (contrastOf(WHITE, color) >= AA ? WHITE : [4, 17, 20]);
