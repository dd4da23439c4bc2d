/** Rows as COPY writes them: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-TEXT */

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** The values of some rows, each as its column's type is written; null where it is null. */
export const decodeRows = (text: Buffer): (string | null)[][] =>
  text
    .toString("utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t").map(decodeValue));

function decodeValue(value: string): string | null {
  if (value === "\\N") return null;
  if (!value.includes("\\")) return value;
  // COPY itself writes no bytes as numbers.
  return value.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
