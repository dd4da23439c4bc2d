import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { checkCommitMessages, readSubjects } from "./commit-messages.ts";

test("accepts types with and without a scope, and breaking changes", () => {
  const commits = ["a1 fix(billing): charge cached tokens once", "b2 docs: shorten", "c3 feat(api)!: drop v0"];
  expect(checkCommitMessages(commits).problems).toEqual([]);
});

test("reports an unknown type, a missing type and a long subject, with the commit", () => {
  const commits = ["a1 Fix the bill", "b2 wip(billing): charge", `c3 fix: ${"x".repeat(70)}`];
  expect(checkCommitMessages(commits).problems.map((problem) => problem.slice(0, 2))).toEqual(["a1", "b2", "c3"]);
});

test("finds no commits where there is no repository", () => {
  expect(readSubjects(tmpdir())).toEqual([]);
});
