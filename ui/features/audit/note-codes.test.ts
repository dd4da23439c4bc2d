import { expect, test } from "bun:test";
import { LOG_NOTES } from "../../../src/domain/logs/log-note.ts";
import en from "../../locales/en/log-notes.json" with { type: "json" };
import zh from "../../locales/zh/log-notes.json" with { type: "json" };
import { noteCodesWith } from "./note-codes.ts";

test("what is read on the screen is found by its code, in either language", () => {
  expect(noteCodesWith(" 导出了设置 ", zh.texts)).toEqual(["settings_exported", "settings_exported_with_secrets"]);
  expect(noteCodesWith("Exported the SETTINGS", en.texts)).toEqual(noteCodesWith("导出了设置", zh.texts));
  expect(noteCodesWith("标签", zh.texts)).toContain("tag_enabled");
  expect(noteCodesWith("name", zh.texts)).toEqual([]);
  expect(noteCodesWith("  ", zh.texts)).toEqual([]);
});

test("all of them are notes of the log", () => {
  for (const { texts } of [en, zh])
    for (const typed of ["了", "e"])
      for (const code of noteCodesWith(typed, texts)) expect(Object.hasOwn(LOG_NOTES, code)).toBe(true);
});
