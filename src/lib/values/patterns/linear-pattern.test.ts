import { describe, expect, test } from "bun:test";
import { compileLinearPattern } from "./linear-pattern.ts";

const compiled = (source: string) => {
  const pattern = compileLinearPattern(source);
  if (!pattern) throw new Error(`${source} does not compile`);
  return pattern;
};

describe("a linear pattern", () => {
  test.each([
    ["\\b\\d{4}-\\d{4}\\b", "call 1234-5678!", { at: 5, length: 9 }],
    ["SECRET", "a secret", { at: 2, length: 6 }],
    ["密码|口令", "我的口令", { at: 2, length: 2 }],
    ["b+", "😀abb", { at: 3, length: 2 }],
    ["a\\-b", "a-b", { at: 0, length: 3 }],
    ["\\p{Han}{2}", "ab 你好", { at: 3, length: 2 }],
    ["absent", "text", null],
  ])("%s in %p is found at %p", (source, text, match) => {
    expect(compiled(source).test(text)).toBe(match !== null);
    expect(compiled(source).find(text)).toEqual(match);
  });

  test("replaces every match, and takes the replacement as it is", () => {
    expect(compiled("\\d+").replaceAll("a12 b3", "[$1\\]")).toBe("a[$1\\] b[$1\\]");
  });

  test.each(["(?=a)", "(?<!a)b", "(a)\\1", "[", "(", "a**", "\\d{1,5000}", "(((a{100}){100}){100})"])(
    "%s is refused: it is wrong, or takes more than linear time or memory",
    (source) => expect(compileLinearPattern(source)).toBeNull(),
  );

  // A backtracking engine needs 2^n steps for these: the test would never end.
  test.each(["(a+)+$", "(a|a)*$", "(.*a){12}$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y"])(
    "%s ends on the texts that it is slowest with",
    (source) => {
      const pattern = compiled(source);
      for (const text of [`${"a".repeat(50_000)}!`, `${"x".repeat(50_000)}!`]) {
        pattern.test(text);
        pattern.find(text);
        pattern.replaceAll(text, "");
      }
    },
  );
});
