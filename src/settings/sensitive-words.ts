import { OperationError } from "../lib/operation-error.ts";
import { compileLinearPattern, type LinearPattern } from "../lib/values/patterns/linear-pattern.ts";
import { type Option, option } from "./option/option.ts";

/** What a prompt must not contain: plain words in lower case, and patterns; matching ignores case. */
export type SensitiveWords = Readonly<{ words: readonly string[]; patterns: readonly LinearPattern[] }>;

const PATTERN = "regex:";

/** One entry a line; `regex:` makes the rest of the line a regular expression. */
export const sensitiveWords = (initial: readonly string[]): Option<SensitiveWords> =>
  option(initial.join("\n"), {}, (text, key) => {
    const words: string[] = [];
    const patterns: LinearPattern[] = [];
    for (const [index, raw] of text.split(/\r?\n/).entries()) {
      const entry = raw.trim();
      if (entry === "") continue;
      if (!entry.startsWith(PATTERN)) {
        words.push(entry.toLowerCase());
        continue;
      }
      const pattern = compileLinearPattern(entry.slice(PATTERN.length));
      if (!pattern) throw new OperationError("option_regex", { key, line: index + 1 });
      patterns.push(pattern);
    }
    return { words, patterns };
  });
