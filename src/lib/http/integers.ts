/** Ids of rows are Postgres integers. */
export const LARGEST_ID = 2_147_483_647;

const CANONICAL = /^(?:0|-?[1-9]\d{0,15})$/;

/**
 * The integer that a number or a text is; null for anything else. A text must be the number's only spelling: `1.0`, `+1`,
 * `01`, `1e0` and ` 1` are none, so that whoever compares texts and whoever compares numbers never disagree.
 */
export function readInteger(value: unknown): number | null {
  const number = typeof value === "string" && CANONICAL.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}

/** The id of a row that a text is; null for anything else. */
export function readId(text: string): number | null {
  const id = readInteger(text);
  return id !== null && id >= 1 && id <= LARGEST_ID ? id : null;
}
