import { expect, test } from "bun:test";
import { differencesOf } from "./diff.ts";

test("only what differs is shown, whatever kind it is", () => {
  const before = { role: 1, status: 1, group: "a" };
  const after = { role: 10, status: 1, group: "a", ids: [1, 2] };
  expect(differencesOf({ before, after })).toEqual([
    { field: "role", before: 1, after: 10 },
    { field: "ids", before: undefined, after: [1, 2] },
  ]);
});
