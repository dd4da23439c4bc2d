import { expect, test } from "bun:test";
import {
  isListOf,
  isNullable,
  isNumber,
  isOneOf,
  isOptional,
  isShape,
  isText,
  mapOf,
  readMembers,
  readRecord,
} from "./json.ts";

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

type Line = { item: "input" | "output"; tokens: number | null; note?: string };
const LINE = { item: isOneOf(["input", "output"] as const), tokens: isNullable(isNumber), note: isOptional(isText) };

test("a shape has all members with values of their types", () => {
  const isLine = isShape<Line>(LINE);
  expect(isLine({ item: "input", tokens: 1, more: true })).toBe(true);
  expect(isLine({ item: "output", tokens: null, note: "x" })).toBe(true);
  for (const other of [null, [], {}, { item: "audio", tokens: 1 }, { item: "input" }, { item: "input", tokens: "1" }])
    expect(isLine(other)).toBe(false);
  expect(isListOf(isLine)([{ item: "input", tokens: 1 }])).toBe(true);
  expect(isListOf(isLine)([{ item: "input", tokens: 1 }, 2])).toBe(false);
});

test("members with other types are left out", () => {
  expect(readMembers<Line>({ item: "input", tokens: "1", note: "x", more: 1 }, LINE)).toEqual({
    item: "input",
    note: "x",
  });
  expect(readMembers<Line>(null, LINE)).toEqual({});
});
