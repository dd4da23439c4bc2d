import { describe, expect, test } from "bun:test";
import { isBrokenPattern, isNamePattern, NameMap, namePattern, nameSet } from "./name-patterns.ts";

describe("patterns for names", () => {
  test.each<[pattern: string, matches: string[], others: string[]]>([
    ["gpt-5", ["gpt-5"], ["gpt-5-mini", "GPT-5", ""]],
    ["*", ["", "a", "a/b\nc"], []],
    ["gpt-5*", ["gpt-5", "gpt-5-mini"], ["my-gpt-5", "gpt-"]],
    ["*-thinking", ["-thinking", "claude-thinking"], ["claude-thinking-1"]],
    ["a*b*c", ["abc", "a1b2c", "ab-bc"], ["ac", "ab", "acb", "bac"]],
    // The end may not be part of what came before it.
    ["ab*ba", ["abba", "ab-ba"], ["aba"]],
    ["a*a", ["aa", "aba"], ["a"]],
    ["gpt.5*", ["gpt.5"], ["gpt-5"]],
    ["re:gpt-(4|5)(-mini)?", ["gpt-4", "gpt-5-mini"], ["gpt-5-nano", "x-gpt-4", "gpt-4\n"]],
    ["re:(?i)GPT.*", ["gpt-5", "GPT-5"], ["o3"]],
    ["re:(", [], ["(", "re:("]],
  ])("%s", (source, matches, others) => {
    const pattern = namePattern(source);
    expect(matches.filter((name) => !pattern.test(name))).toEqual([]);
    expect(others.filter((name) => pattern.test(name))).toEqual([]);
  });

  test.each<[pattern: string, template: string, name: string, rewritten: string | null]>([
    ["openai/*", "*", "openai/gpt-5", "gpt-5"],
    ["*", "openai/*", "gpt-5", "openai/gpt-5"],
    ["*-v*", "*:*", "a-v2", "a:2"],
    ["gpt-5*", "gpt-5.1", "gpt-5-mini", "gpt-5.1"],
    // More stars than the pattern has stand for nothing.
    ["a*", "*-*", "ab", "b-"],
    ["re:(.+)-(\\d+)k", "$1@$2$3", "m-128k", "m@128"],
    ["re:(a)?b", "x$1", "b", "x"],
    ["a*", "b", "c", null],
    ["re:a", "b", "c", null],
  ])("%s makes %s of %s", (source, template, name, rewritten) => {
    expect(namePattern(source).rewrite(name, template)).toBe(rewritten);
  });

  test("expressions that take exponential time elsewhere are linear", () => {
    const pattern = namePattern("re:(a+)+b");
    const wild = namePattern(`${"*a".repeat(50)}*b`);
    const name = "a".repeat(20_000);
    expect([pattern.test(name), wild.test(name)]).toEqual([false, false]);
  });

  test("a set of names answers for patterns too", () => {
    const limits = nameSet(["o3", "gpt-*", "re:claude-.*-4"]);
    expect(["o3", "gpt-5", "claude-opus-4"].every((name) => limits.has(name))).toBe(true);
    expect(["o3-mini", "claude-4", "my-gpt-5"].some((name) => limits.has(name))).toBe(false);
    expect([...limits]).toEqual(["o3", "gpt-*", "re:claude-.*-4"]);
  });

  test("a map answers by the first pattern that matches, many names long", () => {
    const map = new NameMap([
      ["gpt-5*", "first"],
      ["gpt-*", "second-*"],
      ["empty*", ""],
    ]);
    for (let n = 0; n < 2_500; n++) expect(map.rewrite(`gpt-4-${n}`)).toBe(`second-4-${n}`);
    expect([map.rewrite("gpt-5-mini"), map.rewrite("o3"), map.rewrite("empty-1")]).toEqual([
      "first",
      undefined,
      undefined,
    ]);
    expect(map.get("gpt-5-mini")).toBeUndefined();
  });

  test("what is a pattern, and what is a broken one", () => {
    expect(["a*", "re:a", "re:("].every(isNamePattern)).toBe(true);
    expect(["a", "are:b", "a?"].some(isNamePattern)).toBe(false);
    expect(["re:(", "re:(?=a)", "re:\\1", "re:a{1,2}"].every(isBrokenPattern)).toBe(true);
    expect(["re:a", "(", "*("].some(isBrokenPattern)).toBe(false);
  });
});
