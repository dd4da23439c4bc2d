import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { LogEntry } from "./log-entry.ts";
import { noteText } from "./log-note.ts";

/** Tells what a row is called: its model, or what it says. */
export function useEntryName(): (entry: LogEntry) => string {
  const { t, i18n } = useTranslation();
  return useCallback((entry) => entry.model_name || noteText(entry, t, i18n.language), [t, i18n.language]);
}
