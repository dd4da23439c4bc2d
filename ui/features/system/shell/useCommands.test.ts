import { expect, test } from "bun:test";
import AddOutlined from "@mui/icons-material/AddOutlined";
import { type Command, findTargets, nameIn, rankCommands } from "./useCommands.ts";

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

test("an ID is looked for however short it is, with or without its sign", () =>
  expect(["7", "#7", "#1234", "#x"].map(nameIn)).toEqual(["7", "7", "1234", "#x"]));

const command = (label: string, more: Partial<Command> = {}): Command => ({
  label,
  icon: AddOutlined,
  run: () => {},
  ...more,
});

test("exact hits come first, then beginnings, then other parts; every word must be there", () => {
  const commands = [
    command("Go to Model catalog", { name: "Model catalog", hint: "What channels offer" }),
    command("Add channel"),
    command("Go to Channels", { name: "Channels", keywords: "channel" }),
    command("Channels of a tag"),
  ];
  const labelsOf = (typed: string) => rankCommands(commands, typed).map(({ label }) => label);
  expect(labelsOf("channels")).toEqual(["Go to Channels", "Channels of a tag", "Go to Model catalog"]);
  expect(labelsOf("add chan")).toEqual(["Add channel"]);
  expect(labelsOf("chan add")).toEqual(["Add channel"]);
  expect(labelsOf("zebra")).toEqual([]);
  expect(labelsOf("")).toHaveLength(4);
});
