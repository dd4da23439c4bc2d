import { describe, expect, test } from "bun:test";
import { type Command, parseCommand, UsageError } from "./arguments.ts";

describe("parseCommand", () => {
  test.each<[string[], Command]>([
    [[], { name: "serve" }],
    [["serve"], { name: "serve" }],
    [["--help"], { name: "help" }],
    [["-v"], { name: "version" }],
    [["backup", "a.zst"], { name: "backup", file: "a.zst" }],
    [["restore", "a.zst", "--force"], { name: "restore", file: "a.zst", force: true }],
    [["reset-password", "root"], { name: "reset-password", username: "root" }],
    [["import", "--from", "a.db", "--logs"], { name: "import", from: "a.db", withLogs: true, isDry: false }],
    [["healthcheck"], { name: "healthcheck" }],
    [["doctor"], { name: "doctor" }],
  ])("%p", (args, command) => expect(parseCommand(args)).toEqual(command));

  test.each([
    [["fly"]],
    [["backup"]],
    [["backup", "a", "b"]],
    [["serve", "x"]],
    [["--nope"]],
    [["serve", "--force"]],
    [["import"]],
    [["serve", "--logs"]],
  ])("%p is refused", (args) => expect(() => parseCommand(args)).toThrow(UsageError));
});
