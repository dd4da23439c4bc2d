import { expect, test } from "bun:test";
import type { JsonObject } from "../../formats/json.ts";
import { callTags } from "./call-tags.ts";

const tags = (header: string | null, metadata?: JsonObject) =>
  callTags(new Headers(header === null ? {} : { "x-sluice-tags": header }), metadata ? { metadata } : {});

test.each<[string | null, JsonObject | undefined, string[]]>([
  [null, undefined, []],
  [" , ,", undefined, []],
  [" night, team-7 ,night", undefined, ["night", "team-7"]],
  [null, { tags: ["a", 7, "", " b "] }, ["a", "b"]],
  [null, { tags: "a, b" }, ["a", "b"]],
  ["a", { tags: ["b", "a"], user_id: "u-1" }, ["a", "b"]],
  [null, { tags: { a: 1 } }, []],
  ["x".repeat(70), undefined, ["x".repeat(64)]],
  [null, { tags: `${"y".repeat(63)}🚰z` }, [`${"y".repeat(63)}🚰`]],
])("the header %j and metadata %j are the tags %j", (header, metadata, expected) =>
  expect(tags(header, metadata)).toEqual(expected),
);

test("ten tags count", () =>
  expect(tags(Array.from({ length: 12 }, (_, index) => `t${index}`).join())).toHaveLength(10));
