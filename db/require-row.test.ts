import { expect, test } from "bun:test";
import { requireRow } from "./require-row.ts";
import { DatabaseError } from "./types.ts";

test("a row that must be there is an error when it is missing, whatever the hole looks like", () => {
  expect(requireRow([{ total: 0 }])).toEqual({ total: 0 });
  expect(() => requireRow([])).toThrow(DatabaseError);
  expect(() => requireRow([null, { total: 1 }])).toThrow(DatabaseError);
});
