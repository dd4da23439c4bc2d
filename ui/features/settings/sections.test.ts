import { expect, test } from "bun:test";
import { optionKeys, registry } from "../../../src/settings/registry/index.ts";
import en from "../../locales/en/settings/settings.json" with { type: "json" };
import zh from "../../locales/zh/settings/settings.json" with { type: "json" };
import { findSettings, settingTargets } from "./find-settings.ts";
import { SECTIONS } from "./sections.ts";
import { wordOf } from "./setting-field.ts";

const fields = SECTIONS.flatMap((section) => section.fields);

test("every option has one field on the page, with words", () => {
  const shown = optionKeys.filter((key) => !registry[key].traits.ownPage);
  expect(fields.map(({ key }) => key).sort()).toEqual([...shown].sort());
  const words: Readonly<Record<string, { label?: string; help?: string }>> = en.fields;
  const isIncomplete = ({ label, help }: (typeof words)[string] = {}) => !label || !help;
  expect(fields.filter(({ key }) => isIncomplete(words[wordOf(key)])).map(({ key }) => key)).toEqual([]);
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
    tab: ({ tab }) => tab,
    section: ({ id }) => id,
    label: ({ key }) => key,
    help: ({ key }) => (key === "RetryTimes" ? "channels tried" : ""),
  });
  expect(findSettings(targets, "tried channels")[0]?.field?.key).toBe("RetryTimes");
  expect(findSettings(targets, "smtpport")[0]?.field?.key).toBe("SMTPPort");
  expect(findSettings(targets, "quota")[0]?.section.id).toBe("quota");
  expect(findSettings(targets, "nothing like it")).toEqual([]);
});

test.each([
  ["en", en],
  ["zh", zh],
] as const)("each has a path that no other has: %s", (_, words) => {
  const labels: Readonly<Record<string, Readonly<{ label: string }>>> = words.fields;
  const titles: Readonly<Record<string, Readonly<{ title: string }>>> = words.sections;
  const targets = settingTargets({
    tab: ({ tab }) => words.tabs[tab],
    section: ({ id }) => titles[id]?.title ?? "",
    label: ({ key }) => labels[wordOf(key)]?.label ?? "",
    help: () => "",
  });
  const twice = [...Map.groupBy(targets, ({ path }) => path)].filter(([, same]) => same.length > 1);
  expect(twice.map(([path]) => path)).toEqual([]);
  expect(targets.filter(({ label }) => label === labels.GitHubClientId?.label).length).toBeGreaterThan(1);
});
