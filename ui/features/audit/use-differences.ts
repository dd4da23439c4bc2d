import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../src/domain/logs/audit/list-audit.ts";
import { useMoneyFormat } from "../../components/money-format.tsx";
import { channelTypes } from "../channels/channel-queries.ts";
import { differencesOf } from "./diff.ts";
import { sayField, sayValue } from "./say-value.ts";

/** A changed field in the reader's language; null: it was or is not there. */
export type SaidDifference = Readonly<{ field: string; label: string; before: string | null; after: string | null }>;

/** Says in one line what an entry changed; empty when that is nothing. */
export function useChangesText(): (entry: AuditEntry) => string {
  const { t } = useTranslation();
  const differencesOf = useDifferences();
  return useCallback(
    (entry) =>
      differencesOf(entry)
        .map(({ label, before, after }) => {
          const value = [before, after].filter((one) => one !== null).join(" → ");
          return t("audit.pair", { field: label, value });
        })
        .join(t("audit.comma")),
    [t, differencesOf],
  );
}

/** Says what an entry changed. */
export function useDifferences(): (entry: AuditEntry) => readonly SaidDifference[] {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const { language } = i18n;
  const types = useQuery(channelTypes).data;
  return useCallback(
    (entry) => {
      const typeNames = new Map(types?.map(({ id, name }) => [id, name]));
      const reader = { t, language, format, typeNames };
      const say = (field: string, value: unknown) => (value === undefined ? null : sayValue(field, value, reader));
      return differencesOf(entry).map(({ field, before, after }) => ({
        field,
        label: sayField(field, reader),
        before: say(field, before),
        after: say(field, after),
      }));
    },
    [t, language, format, types],
  );
}
