import { expect, test } from "bun:test";
import { checkWords, readTexts } from "./words.ts";

const problemsOf = (path: string, text: string) => checkWords([{ path, text }]).problems;

test("a banned word is found as a part of a name and in prose", () => {
  expect(problemsOf("src/lib/a/b.ts", "const eachDoor = 1;")[0]).toStartWith('src/lib/a/b.ts: "door". Write: ');
  expect(problemsOf("src/lib/a.ts", "// Behind every door.")).toHaveLength(1);
  expect(problemsOf("docs/guide/a.md", "The doors of the gateway")).toHaveLength(1);
  expect(problemsOf("src/lib/a.ts", "const indoor = outdoors;")).toEqual([]);
});

test("participles are banned as names, not in prose", () => {
  expect(problemsOf("src/lib/a.ts", "const keptOnce = keptOf(error);")).toHaveLength(2);
  expect(problemsOf("src/lib/a.ts", '// A row is kept.\nconst text = "is kept";')).toEqual([]);
  expect(problemsOf("docs/a.md", "A row is kept for a day.")).toEqual([]);
});

test("private language is banned from comments, documentation and names of tests", () => {
  expect(problemsOf("src/lib/a.ts", "// A client is told why.")).toHaveLength(1);
  expect(problemsOf("test/gateway/a.test.ts", 'test("a refusal is told", () => {});')).toHaveLength(1);
  expect(problemsOf("docs/a.md", "A client is told why.")).toHaveLength(1);
});

test("documents outside the repository are no source", () => {
  const reference = `/** The names of the log (reference ${"behavior"} 3.8). */`;
  expect(problemsOf("src/lib/a.ts", reference)[0]).toContain("public source");
  expect(problemsOf("src/lib/a.ts", "/** RFC 9110, section 8.4: the behavior of caches. */")).toEqual([]);
});

test("a name of somebody else's API is spelled as its owner does, where it is spoken", () => {
  expect(problemsOf("src/formats/gemini/usage.ts", "usage.thoughtsTokenCount")).toEqual([]);
  expect(problemsOf("src/providers/chinese-labs/minimax/a.ts", "decode({ vectors })")).toEqual([]);
  expect(problemsOf("src/lib/a.ts", "decode({ vectors })")).toHaveLength(1);
  expect(problemsOf("src/formats/gemini/usage.ts", "const thoughts = 1;")).toHaveLength(1);
});

test("the documentation, shell scripts and the console's English texts are read", () => {
  const paths = readTexts().map(({ path }) => path);
  for (const file of [
    "README.md",
    "docs/index.md",
    "src/billing/README.md",
    "scripts/test.sh",
    "ui/locales/en/wallet/wallet.json",
  ]) {
    expect(paths).toContain(file);
  }
});
