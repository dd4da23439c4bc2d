import { describe, expect, test } from "bun:test";
import { eventData, splitEvents, wholeEventsLength } from "./sse.ts";

describe("whole events", () => {
  test.each([
    ["data: a\n\n", 9],
    ["data: a\n\ndata: b", 9],
    ["data: a\r\n\r\n", 11],
    ["data: a\r\n\r\ndata: b\r\n", 11],
    ["data: a\r\r", 9],
    ["data: a\n", 0],
    ["", 0],
    ["\n", 0],
  ])("%j", (text, expected) => {
    expect(wholeEventsLength(Buffer.from(text))).toBe(expected);
  });
});

test("events are cut at empty lines and keep them", () => {
  expect(splitEvents("data: a\n\n: c\r\n\r\ndata: b")).toEqual(["data: a\n\n", ": c\r\n\r\n", "data: b"]);
});

describe("data of an event", () => {
  test.each([
    ["data: a\n\n", "a"],
    ["data:a\n\n", "a"],
    ["data:  a\n\n", " a"],
    ["event: x\ndata: a\ndata: b\nid: 1\n\n", "a\nb"],
    [": PING\n\n", null],
    ["database: x\n\n", null],
    ["data\n\n", ""],
  ])("%j", (event, expected) => {
    expect(eventData(event)).toBe(expected);
  });
});
