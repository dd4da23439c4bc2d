import { expect, test } from "bun:test";
import { checkFileLength } from "./file-length.ts";

function check(path: string, lines: number) {
  const { problems, warnings } = checkFileLength([{ path, text: "x\n".repeat(lines) }]);
  return [problems.length, warnings?.length];
}

test("warns above 300 lines, fails above 400", () => {
  expect(check("src/server/app.ts", 300)).toEqual([0, 0]);
  expect(check("src/server/app.ts", 301)).toEqual([0, 1]);
  expect(check("src/server/app.ts", 400)).toEqual([0, 1]);
  expect(check("src/server/app.ts", 401)).toEqual([1, 0]);
});

test("tests and translations may be long", () => {
  expect(check("src/app.test.ts", 900)).toEqual([0, 0]);
  expect(check("ui/locales/zh.ts", 900)).toEqual([0, 0]);
});

test("the pipeline stays on one page", () => {
  expect(check("src/gateway/pipeline/pipeline.ts", 120)).toEqual([0, 0]);
  expect(check("src/gateway/pipeline/pipeline.ts", 121)).toEqual([1, 0]);
});
