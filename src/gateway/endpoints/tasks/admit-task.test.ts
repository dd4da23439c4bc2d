import { expect, test } from "bun:test";
import { textsOf } from "../../request/order-texts.ts";

test("every text of an order is found, whatever its member", () => {
  const song = {
    prompt: "la la",
    title: "A song",
    tags: "pop",
    negative_tags: "rock",
    mv: "chirp-v4",
    metadata: { note: "soft" },
  };
  expect(textsOf(song)).toEqual(["la la", "A song", "pop", "rock", "chirp-v4", "soft"]);
  expect(textsOf({ prompt: ["a cat", { text: "a hat" }] })).toEqual(["a cat", "a hat"]);
});

test("ids, URLs and files are no texts", () => {
  const drawing = {
    taskId: "bad1",
    customId: "MJ::JOB::upsample::1::bad",
    notifyHook: "https://example.com/bad",
    base64Array: ["data:image/png;base64,bad"],
    maskBase64: "bad",
    image: `${"bad/".repeat(100)}==`,
    link: "https://example.com/bad.png",
    number: 3,
  };
  expect(textsOf(drawing)).toEqual([]);
  expect(textsOf({ prompt: "https://example.com/cat.png a cat" })).toEqual(["https://example.com/cat.png a cat"]);
});
