import { expect, test } from "bun:test";
import { checkImportCycles } from "./import-cycles.ts";

test("names the files of a circle", () => {
  const files = [
    { path: "src/lib/a.ts", text: 'import { b } from "./b";' },
    { path: "src/lib/b.ts", text: 'import { c } from "./c";' },
    { path: "src/lib/c.ts", text: 'import { a } from "./a";' },
    { path: "src/lib/d.ts", text: 'import { a } from "./a";' },
  ];
  const { problems } = checkImportCycles(files);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain("src/lib/a.ts → src/lib/b.ts → src/lib/c.ts → src/lib/a.ts");
});

test("a circle that is closed by types only is none", () => {
  const files = [
    { path: "src/lib/a.ts", text: 'import { b } from "./b";' },
    { path: "src/lib/b.ts", text: 'import type { A } from "./a";' },
  ];
  expect(checkImportCycles(files).problems).toEqual([]);
});
