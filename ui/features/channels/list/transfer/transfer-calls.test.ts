import { expect, test } from "bun:test";
import { readChannelFile } from "./transfer-calls.ts";

const file = (content: object) => readChannelFile(JSON.stringify({ format: "sluice-channels", ...content }));

test("a file of channels is read", () => {
  expect(file({ channels: [{ name: "a", type: 1, models: "m" }] })?.channels).toHaveLength(1);
});

test("anything else is none", () => {
  expect(readChannelFile("hello")).toBeNull();
  expect(readChannelFile("null")).toBeNull();
  expect(file({})).toBeNull();
  expect(file({ channels: [{ name: "a" }] })).toBeNull();
  expect(file({ format: "sluice-settings", channels: [] })).toBeNull();
});
