import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../src/logs/list-audit.ts";
import { useMoneyFormat } from "../../components/money-format.tsx";
import { differencesOf } from "./diff.ts";
import { sayField, sayValue } from "./say-value.ts";

/** A changed field in the reader's language; null: it was or is not there. */
export type SaidDifference = Readonly<{ field: string; label: string; before: string | null; after: string | null }>;

/** Says what an entry changed. */
export function useDifferences(): (entry: AuditEntry) => readonly SaidDifference[] {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const { language } = i18n;
  return useCallback(
    (entry) => {
      const reader = { t, language, format };
      const say = (field: string, value: unknown) => (value === undefined ? null : sayValue(field, value, reader));
      return differencesOf(entry).map(({ field, before, after }) => ({
        field,
        label: sayField(field, reader),
        before: say(field, before),
        after: say(field, after),
      }));
    },
    [t, language, format],
  );
}
