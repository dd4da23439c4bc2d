import { stringifySearchWith } from "@tanstack/react-router";

/**
 * Parses a query to plain strings: a code of twenty digits, `12e4` or `null` is neither a number nor JSON. The last
 * value of a repeated key wins.
 */
export const parseSearch = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query));

/** The matching value, or undefined if the text is not one of the values. */
export const oneOf = <Value extends string>(text: string | undefined, values: readonly Value[]): Value | undefined =>
  values.find((value) => value === text);

/** The inverse of `parseSearch`, with the leading "?"; empty without parameters. */
export const stringifySearch = stringifySearchWith(String);
