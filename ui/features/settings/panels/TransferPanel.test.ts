import { expect, test } from "bun:test";
import { readSettingsFile } from "./TransferPanel.tsx";

test("a file of settings is read", () =>
  expect(readSettingsFile('{"format":"sluice-settings","options":{"SystemName":"x"}}')?.options).toEqual({
    SystemName: "x",
  }));

test.each(["", "[]", "{}", '{"format":"sluice-settings"}', '{"format":"sluice-settings","options":{"a":1}}'])(
  "%p is none",
  (text) => expect(readSettingsFile(text)).toBeNull(),
);
