import { expect, test } from "bun:test";
import { checkFolderSize } from "./folder-size.ts";

const files = (count: number, name: (at: number) => string) => Array.from({ length: count }, (_, at) => name(at));

test("a folder has at most twelve files and folders", () => {
  expect(checkFolderSize(files(12, (at) => `src/a/${at}.ts`)).problems).toEqual([]);
  expect(checkFolderSize(files(13, (at) => `src/a/${at}.ts`)).problems).toEqual([
    "src/a: 13 entries (at most 12); group them by what they are for",
  ]);
  expect(checkFolderSize(files(13, (at) => `src/${at}/index.ts`)).problems).toHaveLength(1);
});

test("a file counts once with its test, a README not at all", () => {
  const named = files(12, (at) => `ui/a/${at}.tsx`);
  expect(checkFolderSize([...named, ...named.map((path) => path.replace(".tsx", ".test.tsx"))]).problems).toEqual([]);
  expect(checkFolderSize([...named, "ui/a/README.md"]).problems).toEqual([]);
});

test("the project's own folder and generated migrations may have more", () => {
  expect(checkFolderSize(files(20, (at) => `${at}.json`)).problems).toEqual([]);
  expect(checkFolderSize(files(20, (at) => `db/migrations/${at}.sql`)).problems).toEqual([]);
});
