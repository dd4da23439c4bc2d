import { expect, test } from "bun:test";
import { viewOf } from "./SavedViews.tsx";

test("a view is what narrows a list, not the page of it that was open", () => {
  expect(viewOf("errors", { type: "failed", model: "gpt", p: 7 })).toEqual({
    name: "errors",
    search: { type: "failed", model: "gpt" },
  });
});
