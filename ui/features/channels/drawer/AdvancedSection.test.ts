import { expect, test } from "bun:test";
import { addSetting } from "./AdvancedSection.tsx";

test("a key joins those there are", () => {
  expect(JSON.parse(addSetting("", "force_format") ?? "")).toEqual({ force_format: true });
  expect(JSON.parse(addSetting('{"proxy":"http://p:1"}', "broken_stream") ?? "")).toEqual({
    proxy: "http://p:1",
    broken_stream: "drain",
  });
});

test("nothing is written over, nor into what is no object", () => {
  expect(addSetting('{"proxy":""}', "proxy")).toBeNull();
  expect(addSetting("{", "proxy")).toBeNull();
  expect(addSetting("[]", "proxy")).toBeNull();
});
