import { expect, test } from "bun:test";
import { optionKeys, registry } from "../../../src/settings/registry/index.ts";
import en from "../../locales/en/settings.json" with { type: "json" };
import { findSettings, settingTargets } from "./find-settings.ts";
import { SECTIONS } from "./sections.ts";
import { wordOf } from "./setting-field.ts";

const fields = SECTIONS.flatMap((section) => section.fields);

test("every option has one field on the page, with words", () => {
  expect(fields.map(({ key }) => key).sort()).toEqual([...optionKeys].sort());
  const words: Readonly<Record<string, unknown>> = en.fields;
  expect(fields.filter(({ key }) => !(wordOf(key) in words))).toEqual([]);
});

test("secrets, switches and JSON are edited as such", () => {
  for (const { key, kind } of fields) {
    const { initial, traits } = registry[key];
    expect([key, kind === "secret"]).toEqual([key, traits.secret === true]);
    expect([key, kind === "switch"]).toEqual([key, initial === "true" || initial === "false"]);
    expect([key, kind === "json"]).toEqual([key, /^[[{]/.test(initial)]);
  }
});

test("a setting is found by its key and by words of its description, the best name first", () => {
  const targets = settingTargets({
    section: ({ id }) => id,
    label: ({ key }) => key,
    help: ({ key }) => (key === "RetryTimes" ? "channels tried" : ""),
  });
  expect(findSettings(targets, "tried channels")[0]?.field?.key).toBe("RetryTimes");
  expect(findSettings(targets, "smtpport")[0]?.field?.key).toBe("SMTPPort");
  expect(findSettings(targets, "quota")[0]?.section.id).toBe("quota");
  expect(findSettings(targets, "nothing like it")).toEqual([]);
});
