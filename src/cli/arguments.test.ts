import { describe, expect, test } from "bun:test";
import { type Command, parseCommand } from "./arguments.ts";
import { UsageError } from "./control/usage-error.ts";

describe("parseCommand", () => {
  test.each<[string[], Command]>([
    [[], { name: "serve" }],
    [["serve"], { name: "serve" }],
    [["demo"], { name: "demo" }],
    [["--help"], { name: "help" }],
    [["-v"], { name: "version", check: false, asJson: false }],
    [["version", "--check", "--json"], { name: "version", check: true, asJson: true }],
    [["backup", "a.zst"], { name: "backup", file: "a.zst", ofLogs: false }],
    [["backup", "a.zst", "--logs"], { name: "backup", file: "a.zst", ofLogs: true }],
    [["restore", "a.zst", "--force"], { name: "restore", file: "a.zst", force: true, ofLogs: false }],
    [["logs", "move"], { name: "logs" }],
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
    [["journal", "list"], { name: "journal", action: { action: "list" }, asJson: false }],
    [
      ["journal", "replay", "--force"],
      { name: "journal", action: { action: "replay", which: null, force: true }, asJson: false },
    ],
    [
      ["journal", "replay", "3"],
      { name: "journal", action: { action: "replay", which: "3", force: false }, asJson: false },
    ],
    [["journal", "set-aside", "id"], { name: "journal", action: { action: "set-aside", what: "id" }, asJson: false }],
    [
      ["journal", "edit", "1", "modelName", "gpt-4o"],
      { name: "journal", action: { action: "edit", what: "1", field: "modelName", value: "gpt-4o" }, asJson: false },
    ],
    [
      ["catalog", "update"],
      {
        name: "catalog",
        action: { action: "update", from: "settings", document: null, only: null, applies: false },
        asJson: false,
      },
    ],
    [
      ["catalog", "update", "--from", "models.dev", "--only", "gpt-*", "--apply", "--json"],
      {
        name: "catalog",
        action: { action: "update", from: "models.dev", document: null, only: "gpt-*", applies: true },
        asJson: true,
      },
    ],
    [["catalog", "undo"], { name: "catalog", action: { action: "undo" }, asJson: false }],
    [
      ["journal", "acknowledge", "rejected"],
      { name: "journal", action: { action: "acknowledge", what: "rejected" }, asJson: false },
    ],
  ])("%p", (args, command) => expect(parseCommand(args)).toEqual(command));

  test.each([
    [["fly"]],
    [["backup"]],
    [["backup", "a", "b"]],
    [["logs"]],
    [["logs", "back"]],
    [["serve", "x"]],
    [["--nope"]],
    [["serve", "--force"]],
    [["import"]],
    [["serve", "--logs"]],
    [["import", "--from", "a.db", "--balance", "-1"]],
    [["serve", "--json"]],
    [["catalog"]],
    [["catalog", "update", "x"]],
    [["catalog", "undo", "--apply"]],
    [["serve", "--from", "models.dev"]],
    [["journal", "list", "--only", "x"]],
    [["journal"]],
    [["journal", "inspect", "x"]],
    [["journal", "inspect", "--force"]],
    [["journal", "acknowledge"]],
    [["journal", "set-aside"]],
    [["journal", "edit", "1", "modelName"]],
    [["journal", "replay", "1", "2"]],
  ])("%p is refused", (args) => expect(() => parseCommand(args)).toThrow(UsageError));
});
