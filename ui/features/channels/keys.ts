/** Channel type whose key is one JSON document: its commas separate nothing. */
export const VERTEX_TYPE = 41;

/** Whether a pasted text holds several keys, separated by commas or line breaks. */
export const holdsSeveralKeys = (text: string, type: number): boolean =>
  type !== VERTEX_TYPE && /[,\r\n]/.test(text.trim());

/** The keys in a text, in order, blanks and repetitions dropped. */
export const splitKeys = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,\r\n]+/)
      .map((key) => key.trim())
      .filter((key) => key !== ""),
  ),
];

/** The keys of a channel's key text: a JSON document is one. */
export const keysOf = (text: string, type: number): string[] =>
  type === VERTEX_TYPE ? [text.trim()] : splitKeys(text);

/** A key as it may be shown: its first and last characters. */
export const maskKey = (key: string): string =>
  key.length <= 12 ? `${key.slice(0, 3)}…` : `${key.slice(0, 5)}…${key.slice(-4)}`;
