import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { SECTIONS } from "./sections.ts";
import { type SettingField, type SettingSection, wordOf } from "./setting-field.ts";

/** A field (or, without one, a section) with its search text. */
export type SettingTarget = Readonly<{
  section: SettingSection;
  field?: SettingField;
  label: string;
  /** The label prefixed with its section's (for a section: its tab's), because labels repeat. */
  path: string;
  words: string;
}>;

type Words = Readonly<{
  tab: (section: SettingSection) => string;
  section: (section: SettingSection) => string;
  label: (field: SettingField) => string;
  help: (field: SettingField) => string;
}>;

/** Every search target on the settings page. */
export const settingTargets = (words: Words): readonly SettingTarget[] =>
  SECTIONS.flatMap((section) => [
    {
      section,
      label: words.section(section),
      path: pathOf(words.tab(section), words.section(section)),
      words: words.section(section).toLowerCase(),
    },
    ...section.fields.map((field) => ({
      section,
      field,
      label: words.label(field),
      path: pathOf(words.section(section), words.label(field)),
      words: `${words.label(field)} ${field.key} ${words.help(field)} ${words.section(section)}`.toLowerCase(),
    })),
  ]);

const pathOf = (where: string, label: string): string => `${where} · ${label}`;

/** The targets that contain every typed word; those whose label starts with it come first. */
export function findSettings(targets: readonly SettingTarget[], typed: string): SettingTarget[] {
  const search = typed.trim().toLowerCase();
  const parts = search.split(/\s+/);
  const rank = ({ label }: SettingTarget) => {
    const at = label.toLowerCase().indexOf(search);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return targets.filter(({ words }) => parts.every((part) => words.includes(part))).sort((a, b) => rank(a) - rank(b));
}

/** Every search target on the settings page, in the current language. */
export function useSettingTargets(): readonly SettingTarget[] {
  const { t } = useTranslation();
  return useMemo(
    () =>
      settingTargets({
        tab: ({ tab }) => t(`settings.tabs.${tab}`),
        section: ({ id }) => t(`settings.sections.${id}.title`),
        label: ({ key }) => t(`settings.fields.${wordOf(key)}.label`),
        help: ({ key }) => t(`settings.fields.${wordOf(key)}.help`),
      }),
    [t],
  );
}
