import { expect, test } from "bun:test";
import { selectPage } from "./select-page.ts";

test.each([
  [[9], [1, 2], [9, 1, 2]],
  [
    [9, 1],
    [1, 2],
    [9, 1, 2],
  ],
  [[9, 1, 2], [1, 2], [9]],
])("%j ticked, the head of %j pressed: %j", (selected, page, after) => {
  expect([...selectPage(new Set(selected), page)]).toEqual(after);
});
