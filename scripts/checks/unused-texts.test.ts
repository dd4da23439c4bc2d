import { expect, test } from "bun:test";
import { checkUnusedTexts } from "./unused-texts.ts";

/** Code that puts a key together of a start and a value. */
const putTogether = (start: string): string => `t(\`${start}.\${value}\`)`;

const problemsOf = (code: string, path = "ui/features/Page.tsx") =>
  checkUnusedTexts([{ path, text: code }], {
    page: { title: "Page", rows_one: "a row", rows_other: "rows", states: { on: "on", off: "off" } },
  }).problems.map((problem) => problem.split(" ").at(-1));

test("finds the texts that no code names", () => {
  expect(problemsOf('t("page.title"); t("page.states.on")')).toEqual(["page.rows", "page.states.off"]);
  expect(problemsOf('t("page.title"); t("page.rows", { count }); t("page.states.on"); t("page.states.off")')).toEqual(
    [],
  );
});

test("a text may be named in parts; under a whole feature its end must stand in the code", () => {
  expect(problemsOf(`t("page.title"); t("page.rows"); ${putTogether("page.states")}`)).toEqual([]);
  expect(problemsOf(putTogether("page"))).toEqual(["page.title", "page.rows", "page.states.on", "page.states.off"]);
  expect(problemsOf(`const part = "title"; ${putTogether("page")}`)).toEqual([
    "page.rows",
    "page.states.on",
    "page.states.off",
  ]);
});

test("tests and the server's code do not count", () => {
  for (const path of ["ui/features/Page.test.tsx", "src/console/page.ts"]) {
    expect(problemsOf(`t("page.title"); t("page.rows"); ${putTogether("page.states")}`, path)).toHaveLength(4);
  }
});
