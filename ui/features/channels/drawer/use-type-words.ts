import { useTranslation } from "react-i18next";

/** What the form says about the fields of a channel type; undefined where there is nothing to know. */
export function useTypeWords(type: number) {
  const { t, i18n } = useTranslation();
  const has = (key: string) => i18n.exists(`channels.form.${key}.${type}`);
  return {
    hint: has("hints") ? t(`channels.form.hints.${type}`) : undefined,
    key: has("keyHints") ? t(`channels.form.keyHints.${type}`) : undefined,
    baseUrl: has("baseUrlHints") ? t(`channels.form.baseUrlHints.${type}`) : undefined,
    /** The parameter that the type has more than others. */
    other: has("other")
      ? {
          label: t(`channels.form.other.${type}`),
          hint: t(`channels.form.other.${type}hint`),
          example: t(`channels.form.other.${type}example`),
        }
      : undefined,
  };
}
