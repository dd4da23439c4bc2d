import { Matcher, RE2JS } from "re2js";

/** Where a pattern matches a text first, in UTF-16 code units. */
export type PatternMatch = Readonly<{ at: number; length: number }>;

/** A regular expression that ignores case and takes time linear in the text, whatever its author wrote. */
export type LinearPattern = Readonly<{
  /** As its author wrote it. */
  source: string;
  test(text: string): boolean;
  /** The leftmost match at or after `from`. */
  find(text: string, from?: number): PatternMatch | null;
  replaceAll(text: string, replacement: string): string;
}>;

/**
 * Compiles RE2's syntax (https://github.com/google/re2/wiki/Syntax), which has no lookaround and no backreference. Returns
 * null for anything else.
 */
export function compileLinearPattern(source: string): LinearPattern | null {
  const pattern = compile(source);
  if (!pattern) return null;
  // `test` runs an automaton without groups, which is ten times faster than a search: most texts match nothing.
  const test = (text: string) => pattern.test(text);
  return {
    source,
    test,
    find(text, from = 0) {
      if (!test(text)) return null;
      const matcher = pattern.matcher(text);
      return matcher.find(from) ? { at: matcher.start(), length: matcher.end() - matcher.start() } : null;
    },
    replaceAll: (text, replacement) =>
      test(text) ? pattern.matcher(text).replaceAll(Matcher.quoteReplacement(replacement)) : text,
  };
}

/** A pattern of RE2 that minds the case, as a validator of schemas takes it, which tells patterns apart by their text. Throws for anything else. */
export function compileCasedPattern(source: string): Readonly<{ test(text: string): boolean; toString(): string }> {
  const pattern = RE2JS.compile(source);
  return { test: (text) => pattern.test(text), toString: () => source };
}

function compile(source: string): RE2JS | null {
  try {
    return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch {
    return null;
  }
}
