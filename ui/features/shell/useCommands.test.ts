import { expect, test } from "bun:test";
import { findTargets, nameIn } from "./useCommands.ts";

const whatsOf = (typed: string, isAdmin = false) => findTargets(typed, isAdmin).map(({ what }) => what);

test("what is too short is not looked for", () => {
  expect(whatsOf("")).toEqual([]);
  expect(whatsOf(" a ")).toEqual([]);
});

test("a key never gets into an address", () => expect(whatsOf("sk-abcdefgh", true)).toEqual([]));

test("names are looked for among keys and models, among channels and users only for administrators", () => {
  expect(whatsOf("gpt-4o")).toEqual(["tokens", "model", "request"]);
  expect(whatsOf("gpt-4o", true)).toEqual(["tokens", "channels", "users", "model", "request"]);
  expect(findTargets(" gpt-4o ", false)[1]?.search).toEqual({ model: "gpt-4o", range: "30d" });
});

test("what may be part of a name is no key, no request ID, and not too short", () =>
  expect(
    [" gpt-4o ", "a", "sk-abcdefgh", "01a1fccd-8c35-7205-b224-8376fd1c373f"].map((typed) => nameIn(typed)),
  ).toEqual(["gpt-4o", "", "", ""]));

test("a request ID of the gateway's own is looked for as nothing else", () =>
  expect(whatsOf("01a1fccd-8c35-7205-b224-8376fd1c373f", true)).toEqual(["request"]));
