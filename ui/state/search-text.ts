import { stringifySearchWith } from "@tanstack/react-router";

/**
 * The query of an address as texts, as they stand there: a code of twenty digits, `12e4` or `null` is no number and no
 * JSON. Of a key that comes twice the last one counts.
 */
export const parseSearch = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query));

/** The value that a text of an address names, if it is one of these. */
export const oneOf = <Value extends string>(text: string | undefined, values: readonly Value[]): Value | undefined =>
  values.find((value) => value === text);

/** The query that `parseSearch` reads back, with its "?"; empty where there is nothing to say. */
export const stringifySearch = stringifySearchWith(String);
