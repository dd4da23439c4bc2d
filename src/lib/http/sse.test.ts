import { describe, expect, test } from "bun:test";
import { completeEventsLength, eventData, readEvents, splitEvents } from "./sse.ts";

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
    expect(completeEventsLength(Buffer.from(text))).toBe(expected);
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
    ['data:\n {"a":1}\n\n', '{"a":1}'],
    ['data:\r\n{"a":1}\r\n\r\n', '{"a":1}'],
    ["data: a\n b\n\n", "a"],
  ])("%j", (event, expected) => {
    expect(eventData(event)).toBe(expected);
  });
});

describe("events read", () => {
  test.each([
    [
      "event: a\ndata: 1\n\ndata: 2\n\n",
      [
        { event: "a", data: "1" },
        { event: "", data: "2" },
      ],
    ],
    ["event:a\r\ndata:1\r\n\r\n: PING\r\n\r\n", [{ event: "a", data: "1" }]],
    ["data: 1\rdata: 2\r\rid: 7\r\r", [{ event: "", data: "1\n2" }]],
    ['data: {"a":"data: b"}', [{ event: "", data: '{"a":"data: b"}' }]],
    ["database: 1\neventual: 2\n\n", []],
    ["data\nevent: late\n\n", [{ event: "late", data: "" }]],
    ["event: nothing\n\ndata: x\n\n", [{ event: "", data: "x" }]],
    ["", []],
    [
      'data: \n{"a":1}\nid: 1\n\ndata: b\n {}\n\n',
      [
        { event: "", data: '{"a":1}' },
        { event: "", data: "b" },
      ],
    ],
  ])("%j", (text, expected) => {
    expect(readEvents(text)).toEqual(expected);
  });
});
