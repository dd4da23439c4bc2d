import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type SettingTarget, settingTargets } from "./find-settings.ts";
import { wordOf } from "./setting-field.ts";

/** Everything on the settings page that can be jumped to, in the language in use. */
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
