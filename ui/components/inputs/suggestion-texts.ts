import { useTranslation } from "react-i18next";

type SuggestionTexts = Readonly<Record<"clearText" | "openText" | "closeText" | "noOptionsText", string>>;

/** The names of the buttons of an `Autocomplete`, and what its empty list says, in the reader's language. */
export function useSuggestionTexts(): SuggestionTexts {
  const { t } = useTranslation();
  return {
    clearText: t("components.suggestions.clear"),
    openText: t("components.suggestions.open"),
    closeText: t("components.suggestions.close"),
    noOptionsText: t("components.suggestions.none"),
  };
}
