import { expect, test } from "bun:test";
import { isNumber, isText, mapOf, readRecord } from "./json.ts";

test("only JSON text of an object is a record", () => {
  expect(readRecord('{"a":1}')).toEqual({ a: 1 });
  for (const text of ["", "{", "null", "1", '"a"', "[1]"]) expect(readRecord(text)).toBeNull();
});

test("a map has values of one type", () => {
  expect(mapOf({ a: 1, b: 2 }, isNumber)).toEqual({ a: 1, b: 2 });
  expect(mapOf({ a: "x" }, isText)).toEqual({ a: "x" });
  expect(mapOf({}, isText)).toEqual({});
  for (const other of [{ a: 1, b: "2" }, [1], null, "a"]) expect(mapOf(other, isNumber)).toBeNull();
});
