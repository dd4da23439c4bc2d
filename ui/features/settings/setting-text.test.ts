import { describe, expect, test } from "bun:test";
import type { SettingField } from "./setting-field.ts";
import { addDomain, faultOf, isSame, normalize, shortDefault, stepped } from "./setting-text.ts";

const percent: SettingField = { key: "RechargeCashbackRate", kind: "number", min: 0, max: 100, step: 0.1, decimals: 2 };
const reward: SettingField = { key: "CheckInQuota", kind: "quota", step: 100 };
const port: SettingField = { key: "SMTPPort", kind: "number", min: 1, isInteger: true };
const server: SettingField = { key: "ServerAddress", kind: "address" };
const token: SettingField = { key: "oidc.token_endpoint", kind: "endpoint" };
const map: SettingField = { key: "TopupGroupRatio", kind: "json", shape: "object" };
const list: SettingField = { key: "Chats", kind: "json", shape: "list" };
const key: SettingField = { key: "EpayKey", kind: "secret" };

describe("what was typed into a setting", () => {
  test.each([
    [percent, "12.5", null],
    [percent, "12.55", null],
    [percent, "12.555", "decimals"],
    [percent, "101", "range"],
    [percent, "-1", "range"],
    [percent, "much", "number"],
    [percent, "", "number"],
    [port, "1.5", "integer"],
    [server, "", null],
    [server, "https://gate.example", null],
    [server, "gate.example", "address"],
    [token, "id.example/token/", "address"],
    [map, '{"vip": 1}', null],
    [map, "[1]", "json"],
    [map, '{"vip": }', "json"],
    [map, "", "json"],
    [list, "[]", null],
    [list, "{}", "json"],
  ] as const)("%j: %p is %p", (field, typed, fault) => expect(faultOf(field, typed)).toBe(fault));

  test.each([
    [reward, "1000", 1, "1100"],
    [reward, "50", -1, "0"],
    [reward, "", 1, "100"],
    [percent, "0.2", 1, "0.3"],
    [percent, "99.95", 1, "100"],
    [percent, "much", 1, null],
    [port, "25", 1, null],
    [server, "1", 1, null],
  ] as const)("%j: %p goes by %p step to %p", (field, typed, direction, next) =>
    expect(stepped(field, typed, direction)).toBe(next),
  );

  test("addresses lose their slashes at the end, endpoints are kept as they are", () => {
    expect(normalize(server, " https://gate.example// ")).toBe("https://gate.example");
    expect(normalize(token, " https://id.example/token/ ")).toBe("https://id.example/token/");
  });

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

describe("the line that shows a default", () => {
  const lines: SettingField = { key: "SensitiveWords", kind: "lines" };
  const domains: SettingField = { key: "EmailDomainWhitelist", kind: "domains" };
  const groups = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`group-${at}`, 1]));
  test.each([
    [map, '{ "default": 1,\n "vip": 1 }', '{"default":1,"vip":1}'],
    [map, JSON.stringify(groups), 12],
    [list, "[]", ""],
    [list, "", ""],
    [lines, "", ""],
    [lines, "one of them", "one of them"],
    [lines, "one\ntwo\nthree\n", 3],
    [domains, "a.example,b.example", "a.example, b.example"],
    [domains, Array.from({ length: 9 }, (_, at) => `mail${at}.example`).join(","), 9],
    [percent, "0", "0"],
    [server, "", ""],
  ] as const)("%j: of %p it is %p", (field, initial, expected) => expect(shortDefault(field, initial)).toBe(expected));
});
