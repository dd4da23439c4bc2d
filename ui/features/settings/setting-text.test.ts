import { describe, expect, test } from "bun:test";
import { addDomain } from "./domain-list.ts";
import type { SettingField } from "./setting-field.ts";
import { faultOf, isSame, normalise } from "./setting-text.ts";

const percent: SettingField = { key: "RechargeCashbackRate", kind: "number", min: 0, max: 100 };
const port: SettingField = { key: "SMTPPort", kind: "number", min: 1, isWhole: true };
const server: SettingField = { key: "ServerAddress", kind: "address" };
const map: SettingField = { key: "TopupGroupRatio", kind: "json", shape: "object" };
const list: SettingField = { key: "Chats", kind: "json", shape: "list" };
const key: SettingField = { key: "EpayKey", kind: "secret" };

describe("what was typed into a setting", () => {
  test.each([
    [percent, "12.5", null],
    [percent, "101", "range"],
    [percent, "-1", "range"],
    [percent, "much", "number"],
    [percent, "", "number"],
    [port, "1.5", "whole"],
    [server, "", null],
    [server, "https://gate.example", null],
    [server, "gate.example", "address"],
    [map, '{"vip": 1}', null],
    [map, "[1]", "json"],
    [map, '{"vip": }', "json"],
    [map, "", "json"],
    [list, "[]", null],
    [list, "{}", "json"],
  ] as const)("%j: %p is %p", (field, typed, fault) => expect(faultOf(field, typed)).toBe(fault));

  test("addresses lose their slashes at the end", () =>
    expect(normalise(server, " https://gate.example// ")).toBe("https://gate.example"));

  test("a secret that was left empty, and JSON that was only formatted, are no changes", () => {
    expect(isSame(key, "", "")).toBe(true);
    expect(isSame(key, "", "new")).toBe(false);
    expect(isSame(map, '{"vip":1}', '{\n  "vip": 1\n}')).toBe(true);
    expect(isSame(map, '{"vip":1}', '{"vip":2}')).toBe(false);
  });
});

describe("a mail domain", () => {
  test("is added in lower case", () =>
    expect(addDomain("a.com", " Mail.Example.org ")).toEqual({ list: "a.com,mail.example.org" }));
  test.each(["example", "@example.com", "a b.com", "-x.com"])("%p is none", (typed) =>
    expect(addDomain("", typed)).toEqual({ fault: "invalid" }),
  );
  test("is not added twice", () => expect(addDomain("a.com", "A.com")).toEqual({ fault: "duplicate" }));
});
