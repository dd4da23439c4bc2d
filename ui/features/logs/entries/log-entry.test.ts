import { describe, expect, test } from "bun:test";
import i18next from "i18next";
import { LOG_NOTES } from "../../../../src/domain/logs/write-log.ts";
import * as en from "../../../locales/en.ts";
import * as zh from "../../../locales/zh.ts";
import { costOf, marginOf, noteText, otherOf } from "./log-entry.ts";

const LANGUAGES = { en, zh };
/** What is filled in and no number. */
const NOT_NUMBERS: Readonly<Record<string, string>> = { money: "7.00", currency: "CNY" };

async function speak(language: keyof typeof LANGUAGES) {
  const i18n = i18next.createInstance();
  const resources = { [language]: { translation: LANGUAGES[language] } };
  await i18n.init({ lng: language, fallbackLng: false, resources, interpolation: { escapeValue: false } });
  return (content: string, other: unknown) =>
    noteText({ content, other: typeof other === "string" ? other : JSON.stringify(other) }, i18n.t, language);
}

describe.each(["en", "zh"] as const)("in %s", (language) => {
  const texts: Record<string, string> = LANGUAGES[language].logNotes.texts;
  const say = speak(language);

  test.each(Object.entries(LOG_NOTES))("%s has words that name all of its values", async (code, names) => {
    const text = texts[code] ?? texts[`${code}_other`] ?? "";
    const filled = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? "");
    // Money is shown with its currency.
    expect(filled.sort()).toEqual(names.filter((name) => name !== "currency").sort());
    const params = Object.fromEntries(names.map((name) => [name, NOT_NUMBERS[name] ?? 7]));
    const note = (await say)("fallback", { note: { code, params } });
    expect(note).not.toBe("fallback");
    expect(note).not.toContain("{{");
  });

  test("there are no words that no row says", () => {
    const codes = Object.keys(texts).map((key) => key.replace(/_(one|other)$/, ""));
    expect([...new Set(codes)].sort()).toEqual(Object.keys(LOG_NOTES).sort());
  });
});

test("amounts are shown as the console shows them", async () => {
  const other = { trade_no: "1", note: { code: "top_up", params: { money: "73.00", currency: "CNY" } } };
  expect((await speak("zh"))("Online top-up, paid 73.00 CNY", other)).toBe("在线充值，实付 ¥73.00");
  expect((await speak("en"))("Online top-up, paid 73.00 CNY", other)).toBe("Online top-up, paid ¥73.00");
});

test("what is counted has its singular, and times are the reader's", async () => {
  const note = (count: number) => ({ note: { code: "logs_deleted", params: { count, time: 1_767_225_600 } } });
  const say = await speak("en");
  expect(say("", note(1))).toMatch(/^Deleted 1 log entry older than .*20(25|26)/);
  expect(say("", note(2))).toMatch(/^Deleted 2 log entries older than .*20(25|26)/);
});

test.each([
  ["nothing next to it", ""],
  ["no note", { day: "2026-01-01" }],
  ["a note that the console does not know", { note: { code: "from_a_later_version", params: {} } }],
  ["a note without a code", { note: { params: {} } }],
  ["a text for a note", { note: "check_in" }],
  ["no object", '["note":'],
])("a row with %s says what was written", async (_, other) => {
  expect((await speak("zh"))("Written long ago", other)).toBe("Written long ago");
});

test("what a row says besides is read where it is as the server writes it", () => {
  const receipt = { lines: [], subtotal: "1", groupRatio: "1", total: 1, quotaPerUnit: "500000" };
  const other = { model_ratio: "1.5", frt: 12, receipt, budgets: [{ id: 1 }], note: { code: "x" } };
  expect(otherOf({ other: JSON.stringify(other) })).toEqual({ frt: 12, receipt });
  expect(otherOf({ other: '{"admin_info":{"use_channel":["3"]}}' })).toEqual({
    admin_info: { use_channel: ["3"], attempts: [] },
  });
  for (const invalid of ["", "null", "[]", "{"]) expect(otherOf({ other: invalid })).toEqual({});
});

test("what a call cost includes responses that nobody got", () => {
  const attempt = { channelId: 1, channelName: "", status: 200, startMs: 0, firstByteMs: null, endMs: 1 };
  const entry = (quota: number, info: object) => ({ quota, other: JSON.stringify({ admin_info: info }) });
  const attempts = [{ ...attempt, channel_cost: 40 }, attempt];
  expect([
    costOf(entry(100, { attempts, upstream_cost: 50 })),
    marginOf(entry(100, { attempts, upstream_cost: 50 })),
  ]).toEqual([90, 10]);
  expect(marginOf(entry(0, { attempts }))).toBe(-40);
  expect(costOf(entry(100, { attempts: [attempt], upstream_cost: 0 }))).toBe(0);
  expect(costOf(entry(100, { attempts: [attempt] }))).toBeNull();
  expect(marginOf({ quota: 1, other: "" })).toBeNull();
});
