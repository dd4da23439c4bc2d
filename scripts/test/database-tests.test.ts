import { expect, test } from "bun:test";
import { listDatabaseTests } from "./database-tests.ts";

test("finds the tests that open a database, by whatever they import", () => {
  const files = {
    "db/testing.ts": "export const open = 1;",
    "db/changes.test.ts": 'import { open } from "./testing.ts";',
    "src/console/testing.ts": 'import { open } from "../../db/testing.ts";',
    "src/console/users.test.ts": 'import { start } from "./testing.ts";',
    "src/console/words.test.ts": 'import type { Start } from "./testing.ts";',
    "src/relay/every-type/all.test.ts": 'import { open } from "../../../db/testing.ts";',
    "scripts/e2e/users.test.ts": 'import { open } from "../../db/testing.ts";',
  };
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  expect(listDatabaseTests(sources).sort()).toEqual(["db/changes.test.ts", "src/console/users.test.ts"]);
});
