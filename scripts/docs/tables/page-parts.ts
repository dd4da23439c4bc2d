/** The languages that the documentation is written in. */
export type PageLanguage = "en" | "zh";

/** The text with a program's table between its markers. Throws when it has none. */
export function between(text: string, name: string, table: string): string {
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const start = text.indexOf(opening);
  const end = text.indexOf(closing);
  if (start < 0 || end < start) throw new Error(`The text has no ${opening} … ${closing}`);
  return `${text.slice(0, start + opening.length)}\n${table}\n${text.slice(end)}`;
}

/** An anchor that both languages share, of a heading in English. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9\s-]/g, "")
    .trim()
    .replace(/\s+/g, "-");

/** A heading; in Chinese with the anchor of the English one. */
export const headingIn = (language: PageLanguage, level: string, text: string, english: string): string =>
  language === "en" ? `${level} ${text}` : `${level} ${text} {#${slugOf(english)}}`;
