import { useTranslation } from "react-i18next";
import { type SettingField, wordOf } from "./setting-field.ts";
import { shortDefault } from "./setting-text.ts";
import { useSettings } from "./settings-store.tsx";

/** The line beside an option: what it does, and its default. */
export function useSettingHint(): (field: SettingField) => string {
  const { t } = useTranslation();
  const { defaults } = useSettings();
  const defaultText = (field: SettingField): string => {
    if (field.kind === "secret") return "";
    const initial = defaults[field.key] ?? "";
    if (field.kind === "switch") return t(initial === "true" ? "settings.defaultOn" : "settings.defaultOff");
    const value = shortDefault(field, initial);
    if (value === "") return t("settings.defaultEmpty");
    if (typeof value === "number") return t("settings.defaultEntries", { count: value });
    const isChoice = field.kind === "choice";
    return t("settings.default", {
      value: isChoice ? t(`settings.choices.${value}`, { defaultValue: value.toUpperCase() }) : value,
    });
  };
  return (field) => `${t(`settings.fields.${wordOf(field.key)}.help`)}${t("settings.gap")}${defaultText(field)}`;
}
