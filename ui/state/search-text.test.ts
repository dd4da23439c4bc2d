import { expect, test } from "bun:test";
import { parseSearch, stringifySearch } from "./search-text.ts";

test.each(["88888888888888888888", "12e4", "null", "true", "007", '"quoted"', "{}", "[1]", "a b&c=d+e%", "甲", " 5 "])(
  "the text %s stays what it is in an address",
  (text) => {
    expect(parseSearch(`?code=${encodeURIComponent(text)}`)).toEqual({ code: text });
    expect(parseSearch(stringifySearch({ code: text }))).toEqual({ code: text });
  },
);

test("a number is written as its digits, and what is not set not at all", () => {
  expect(stringifySearch({ page: 2, status: undefined })).toBe("?page=2");
  expect(stringifySearch({})).toBe("");
});
