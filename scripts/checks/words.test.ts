import { expect, test } from "bun:test";
import { checkWords, countWords } from "./words.ts";

const problemsOf = (path: string, text: string, allowances = {}) => checkWords([{ path, text }], allowances).problems;

test("a banned word is found as a part of a name and in prose", () => {
  expect(problemsOf("src/lib/a/b.ts", "const eachDoor = 1;")[0]).toStartWith('src: "door" 1 times, 0 allowed.');
  expect(problemsOf("src/lib/a.ts", "// Behind every door.")).toHaveLength(1);
  expect(problemsOf("docs/guide/a.md", "The doors of the gateway")).toHaveLength(1);
  expect(problemsOf("src/lib/a.ts", "const indoor = outdoors;")).toEqual([]);
});

test("participles are banned as names, not in prose", () => {
  expect(problemsOf("src/lib/a.ts", "const toldOnce = toldOf(error);")[0]).toContain('"told" 2 times');
  expect(problemsOf("src/lib/a.ts", '// A client is told.\nconst text = "is told";')).toEqual([]);
  expect(problemsOf("docs/a.md", "A client is told why.")).toEqual([]);
});

test("documents outside the repository are no source", () => {
  const reference = `/** The names of the log (reference ${"behavior"} 3.8). */`;
  expect(problemsOf("src/lib/a.ts", reference)[0]).toContain("public source");
  expect(problemsOf("src/lib/a.ts", "/** RFC 9110, section 8.4: the behavior of caches. */")).toEqual([]);
});

test("a folder may use a word as often as it is allowed to", () => {
  const reported = "const told = 1; use(told);";
  expect(problemsOf("src/lib/a.ts", reported, { told: { src: 2 } })).toEqual([]);
  expect(problemsOf("src/lib/a.ts", reported, { told: { src: 1 } })).toHaveLength(1);
  expect(problemsOf("ui/a.ts", reported, { told: { src: 2 } })).toHaveLength(1);
});

test("counts are by top folder", () => {
  const files = ["src/main.ts", "src/lib/a.ts", "README.md"];
  expect(countWords(files.map((path) => ({ path, text: "const door = 1;" }))).door).toEqual({ src: 2, ".": 1 });
});
