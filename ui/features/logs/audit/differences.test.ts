import { expect, test } from "bun:test";
import i18next from "i18next";
import type { ApiKeyView } from "../../../../src/domain/api-keys/api-key-view.ts";
import { LOG_NOTES } from "../../../../src/domain/logs/write-log.ts";
import * as en from "../../../locales/en.ts";
import * as zh from "../../../locales/zh.ts";
import { sayNote } from "../entries/log-entry.ts";
import { differencesOf, fieldLabel, noteCodesWith, valueText } from "./differences.ts";

test("only what differs is shown, whatever kind it is", () => {
  const before = { role: 1, status: 1, group: "a" };
  const after = { role: 10, status: 1, group: "a", ids: [1, 2] };
  expect(differencesOf({ before, after })).toEqual([
    { field: "role", before: 1, after: 10 },
    { field: "ids", before: undefined, after: [1, 2] },
  ]);
});

const i18n = i18next.createInstance();
await i18n.init({ resources: { en: { translation: en }, zh: { translation: zh } } });
const readers = (["en", "zh"] as const).map((language) => ({
  t: i18n.getFixedT(language),
  language,
  format: { quotaPerUnit: 500_000, inCurrency: true },
  typeNames: new Map([[14, "Anthropic Claude"]]),
}));
const say = (field: string, value: unknown) => readers.map((reader) => valueText(field, value, reader));

test.each([
  ["status", 2, ["disabled", "已禁用"]],
  ["status", "approved", ["Approved", "已通过"]],
  ["role", 10, ["Admin", "管理员"]],
  ["type", 14, ["Anthropic Claude", "Anthropic Claude"]],
  ["type", 99, ["99", "99"]],
  ["quota", 1_000_000, ["$2.00", "$2.00"]],
  ["priority", 7, ["7", "7"]],
  ["max_uses", -1, ["unlimited", "不限"]],
  ["autoBan", false, ["no", "否"]],
  ["note", "", ["(empty)", "（空）"]],
  ["validUntil", 0, ["(empty)", "（空）"]],
  ["password", "changed", ["(changed)", "（已更改）"]],
  ["note", "changed", ["changed", "changed"]],
  ["SMTPToken", { secret: "changed" }, ["(changed)", "（已更改）"]],
  ["SMTPToken", { secret: "set" }, ["(hidden)", "（已隐藏）"]],
  ["alpha (#3)", { status: 1, weight: 2 }, ["Status: enabled, Weight: 2", "状态：已启用，权重：2"]],
  ["ids", [1, 2], ["1, 2", "1，2"]],
  ["windowQuota", 500_000, ["$1.00", "$1.00"]],
  ["role", "viewer", ["Viewer", "只读成员"]],
  ["role", "my own", ["my own", "my own"]],
  ["scope", "project", ["Project", "项目"]],
  ["period", "month", ["per month", "每月"]],
  ["period", "year", ["per year", "每年"]],
  ["window", "5h", ["5 hours, from the first request", "5 小时，从首次请求算起"]],
  ["event", "plan_ending", ["Plan ending", "套餐即将到期"]],
  ["remain_quota", 500_000, ["$1.00", "$1.00"]],
  ["budget_period", "week", ["per week", "每周"]],
  ["expired_time", -1, ["never", "永不"]],
])("%s: %p", (field, value, expected) => expect(say(field, value)).toEqual(expected));

test("what a member changes of a key is said in words", () => {
  const key: Omit<ApiKeyView, "key" | "user_id" | "created_by" | "created_time" | "accessed_time" | "used_quota"> = {
    ...{ id: 1, project_id: 1, status: 1, name: "a", expired_time: -1, remain_quota: 1, unlimited_quota: true },
    ...{ model_limits_enabled: true, model_limits: "gpt-4o", allow_ips: "::1", group: "vip", strict: true },
    ...{ requests_per_minute: 1, tokens_per_minute: 1, budget_period: "day", budget_quota: 1, budget_renews_at: 1 },
    ...{ previous_key_until: 1_795_928_919, secret_time: 1_795_842_529 },
  };
  const fields = differencesOf({ before: {}, after: key }).map(({ field }) => field);
  expect(fields.length).toBeGreaterThan(10);
  for (const field of fields) expect(readers.map((reader) => fieldLabel(field, reader))).not.toContain(field);
  expect(say("previous_key_until", key.previous_key_until)).toEqual(Array(2).fill(expect.stringContaining("2026")));
});

test("fields are words where they have any", () => {
  expect(readers.map((reader) => fieldLabel("models_added", reader))).toEqual(["Models added", "新增模型"]);
  expect(readers.map((reader) => fieldLabel("ModelRatio: gpt-4o", reader))).toEqual(
    Array(2).fill("ModelRatio: gpt-4o"),
  );
});

test("what is read on the screen is found by its code, in either language", () => {
  expect(noteCodesWith(" 导出了设置 ", zh.logNotes.texts)).toEqual([
    "settings_exported",
    "settings_exported_with_secrets",
  ]);
  expect(noteCodesWith("Exported the SETTINGS", en.logNotes.texts)).toEqual(
    noteCodesWith("导出了设置", zh.logNotes.texts),
  );
  expect(noteCodesWith("标签", zh.logNotes.texts)).toContain("tag_enabled");
  expect(noteCodesWith("name", zh.logNotes.texts)).toEqual([]);
  expect(noteCodesWith("  ", zh.logNotes.texts)).toEqual([]);
});

test("what is a code in a note is read as its name", () => {
  const note = { code: "organization_member_joined", params: { name: "mina", role: "developer" } };
  const own = { code: "admin_role_assigned", params: { name: "mina", id: 2, role: "owner" } };
  const rule = { code: "alert_rule_added", params: { event: "plan_ending" } };
  const read = (one: unknown) => readers.map(({ t, language }) => sayNote(one, "", t, language));
  expect(read(note)).toEqual(["mina joined (role: Developer)", "mina 加入了组织（角色：开发者）"]);
  expect(read(own)[0]).toBe("Gave the role owner to mina (#2)");
  expect(read(rule)[0]).toBe("Added alert rule Plan ending");
});

test("all of them are notes of the log", () => {
  for (const { texts } of [en.logNotes, zh.logNotes])
    for (const typed of ["了", "e"])
      for (const code of noteCodesWith(typed, texts)) expect(Object.hasOwn(LOG_NOTES, code)).toBe(true);
});
