import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../../src/domain/logs/audit/list-audit.ts";
import { amountText, type MoneyFormat, useMoneyFormat } from "../../../components/display/Money.tsx";
import { exactTime } from "../../../lib/format/time.ts";
import { channelTypes } from "../../channels/channel-queries.ts";

/** A changed field in the reader's language; null: the field was or is absent. */
type LabeledDifference = Readonly<{ field: string; label: string; before: string | null; after: string | null }>;

/** Summarizes in one line what an entry changed; empty if nothing. */
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

/** Describes what an entry changed. */
export function useDifferences(): (entry: AuditEntry) => readonly LabeledDifference[] {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const { language } = i18n;
  const types = useQuery(channelTypes).data;
  return useCallback(
    (entry) => {
      const typeNames = new Map(types?.map(({ id, name }) => [id, name]));
      const reader = { t, language, format, typeNames };
      const say = (field: string, value: unknown) => (value === undefined ? null : valueText(field, value, reader));
      return differencesOf(entry).map(({ field, before, after }) => ({
        field,
        label: fieldLabel(field, reader),
        before: say(field, before),
        after: say(field, after),
      }));
    },
    [t, language, format, types],
  );
}

/** A field's values before and after; undefined: absent. */
type Difference = Readonly<{ field: string; before: unknown; after: unknown }>;

/** The fields that differ, in the entry's order. */
export function differencesOf({ before, after }: Pick<AuditEntry, "before" | "after">): readonly Difference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((difference) => JSON.stringify(difference.before) !== JSON.stringify(difference.after));
}

type Reader = Readonly<{
  t: TFunction;
  language: string;
  format: MoneyFormat;
  /** Names of channel types. */
  typeNames: ReadonlyMap<number, string>;
}>;

/** Fields with translated names; options and JSON keep their own names. */
const FIELDS = [
  "autoBan",
  "balanceWarnBelow",
  "baseUrl",
  "changed",
  "channels",
  "content",
  "count",
  "created",
  "deleted",
  "displayName",
  "event",
  "group",
  "groups",
  "isActive",
  "is_gift",
  "key",
  "level",
  "maxConcurrency",
  "maxInputTokens",
  "max_uses",
  "modelMapping",
  "modelPrefix",
  "models_added",
  "models_removed",
  "name",
  "note",
  "openaiOrganization",
  "other",
  "paramOverride",
  "password",
  "priority",
  "published_at",
  "quota",
  "rate",
  "refused",
  "requestsPerMinute",
  "role",
  "setting",
  "status",
  "statusCodeMapping",
  "tag",
  "testModel",
  "title",
  "two_step",
  "type",
  "username",
  "validFrom",
  "validUntil",
  "weight",
] as const;
const TIMES: readonly string[] = ["validFrom", "validUntil", "published_at"];
const STATUSES = [1, 2, 3] as const;
const ORDER_STATUSES = ["pending", "success", "expired", "failed"] as const;
const WITHDRAWAL_STATUSES = ["requested", "approved", "paid", "rejected"] as const;
/** Uses of a code. */
const UNLIMITED = -1;
const ROLES = { 1: "user", 10: "admin", 100: "root" } as const;

/** A field's name in the reader's language. */
export function fieldLabel(field: string, { t }: Reader): string {
  const known = FIELDS.find((name) => name === field);
  return known ? t(`audit.fields.${known}`) : field;
}

/** A field's value in the reader's language. */
export function valueText(field: string, value: unknown, reader: Reader): string {
  const { t, language, format } = reader;
  if (value === "" || value === null) return t("audit.empty");
  if (typeof value === "boolean") return t(value ? "audit.yes" : "audit.no");
  if (typeof value === "number") {
    if (field === "max_uses" && value === UNLIMITED) return t("audit.unlimited");
    if (field === "quota") return amountText(value, format);
    if (TIMES.includes(field)) return value === 0 ? t("audit.empty") : exactTime(value, language);
  }
  if (isRecord(value)) return recordText(value, reader);
  if (field === "type" && typeof value === "number") return reader.typeNames.get(value) ?? String(value);
  return valueName(field, value, t) ?? (typeof value === "string" ? value : JSON.stringify(value));
}

/** Values that are translated names. */
function valueName(field: string, value: unknown, t: TFunction): string | null {
  if ((field === "password" || field === "key") && value === "changed") return t("audit.changed");
  const status = field === "status" ? STATUSES.find((known) => known === value) : undefined;
  if (status) return t(`audit.statuses.${status}`);
  const order = field === "status" ? ORDER_STATUSES.find((known) => known === value) : undefined;
  if (order) return t(`wallet.statuses.${order}`);
  const withdrawal = field === "status" ? WITHDRAWAL_STATUSES.find((known) => known === value) : undefined;
  if (withdrawal) return t(`agents.statuses.${withdrawal}`);
  const role = field === "role" && (value === 1 || value === 10 || value === 100) ? ROLES[value] : null;
  return role && t(`users.role.${role}`);
}

function recordText(record: Readonly<Record<string, unknown>>, reader: Reader): string {
  if (record.secret === "set") return reader.t("audit.secret");
  if (record.secret === "changed") return reader.t("audit.changed");
  return Object.entries(record)
    .map(([field, value]) =>
      reader.t("audit.pair", { field: fieldLabel(field, reader), value: valueText(field, value, reader) }),
    )
    .join(reader.t("audit.comma"));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Codes of the log notes whose translated text contains the search text, without plural suffixes; empty for an empty
 * search.
 */
export function noteCodesWith(typed: string, texts: Readonly<Record<string, string>>): readonly string[] {
  const search = typed.trim().toLowerCase();
  if (search === "") return [];
  const fitting = Object.entries(texts).filter(([, text]) => withoutValues(text).toLowerCase().includes(search));
  return [...new Set(fitting.map(([code]) => code.replace(/_(one|other)$/, "")))];
}

const withoutValues = (text: string): string => text.replaceAll(/\{\{\w+\}\}/g, "\n");
