import { describe, expect, test } from "bun:test";
import { type Command, parseCommand, UsageError } from "./arguments.ts";

describe("parseCommand", () => {
  test.each<[string[], Command]>([
    [[], { name: "serve" }],
    [["serve"], { name: "serve" }],
    [["demo"], { name: "demo" }],
    [["--help"], { name: "help" }],
    [["-v"], { name: "version" }],
    [["backup", "a.zst"], { name: "backup", file: "a.zst" }],
    [["restore", "a.zst", "--force"], { name: "restore", file: "a.zst", force: true }],
    [["reset-password", "root"], { name: "reset-password", username: "root" }],
    [
      ["import", "--from", "a.db", "--logs", "--balance", "2.50"],
      { name: "import", from: "a.db", withLogs: true, isDry: false, balanceUsd: 2.5 },
    ],
    [["healthcheck"], { name: "healthcheck" }],
    [["sbom"], { name: "sbom" }],
    [["doctor"], { name: "doctor" }],
    [["rotate-encryption-key"], { name: "rotate-encryption-key" }],
    [["journal", "inspect", "--json"], { name: "journal", action: { action: "inspect" }, asJson: true }],
    [["journal", "replay", "--force"], { name: "journal", action: { action: "replay", force: true }, asJson: false }],
    [
      ["journal", "acknowledge", "rejected"],
      { name: "journal", action: { action: "acknowledge", what: "rejected" }, asJson: false },
    ],
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
    [["import", "--from", "a.db", "--balance", "-1"]],
    [["serve", "--json"]],
    [["journal"]],
    [["journal", "inspect", "x"]],
    [["journal", "inspect", "--force"]],
    [["journal", "acknowledge"]],
  ])("%p is refused", (args) => expect(() => parseCommand(args)).toThrow(UsageError));
});
