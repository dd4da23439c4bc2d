import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../../src/domain/logs/audit/list-audit.ts";
import { channelTypes } from "../../../api/channels/channel-lists.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import type { MoneyFormat } from "../../../lib/format/amount-text.ts";
import { exactTime } from "../../../lib/format/time.ts";
import { useSession } from "../../../state/session.ts";
import { hasRight } from "../../../state/stored-user.ts";

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
  const { user } = useSession();
  // Members read the log of their organization, which names no channel type.
  const types = useQuery({ ...channelTypes, enabled: hasRight(user, "channels:read") }).data;
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
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((field) => !INTERNAL.has(field));
  return fields
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((difference) => JSON.stringify(difference.before) !== JSON.stringify(difference.after))
    .filter((difference) => difference.before !== undefined || !isNothing(difference.after));
}

/** What a new object has where nobody entered anything. */
const isNothing = (value: unknown): boolean =>
  value === "" || value === null || (Array.isArray(value) && value.length === 0);

type Reader = Readonly<{
  t: TFunction;
  language: string;
  format: MoneyFormat;
  /** Names of channel types. */
  typeNames: ReadonlyMap<number, string>;
}>;

/** Fields with translated names; options and JSON keep their own names. */
const FIELDS = [
  "allow_ips",
  "allowsOverage",
  "amountOff",
  "autoBan",
  "balanceWarnBelow",
  "baseUrl",
  "blocked_words",
  "budget_period",
  "budget_quota",
  "changed",
  "channel_types",
  "channels",
  "code",
  "config",
  "content",
  "count",
  "created",
  "creates_accounts",
  "deleted",
  "description",
  "destination_ids",
  "digest_minutes",
  "displayName",
  "domains",
  "duration",
  "enabled",
  "enforced",
  "event",
  "expired_time",
  "expires_time",
  "group",
  "groups",
  "icon",
  "isActive",
  "isVisible",
  "is_gift",
  "is_hard",
  "key",
  "key_id",
  "language",
  "level",
  "limit",
  "mappings",
  "maxConcurrency",
  "maxInputTokens",
  "max_call_quota",
  "max_key_days",
  "max_uses",
  "modelMapping",
  "modelPrefix",
  "model_limits",
  "model_limits_enabled",
  "models",
  "models_added",
  "models_removed",
  "name",
  "names",
  "no_content_log",
  "note",
  "openaiOrganization",
  "other",
  "paramOverride",
  "headerOverride",
  "password",
  "percentOff",
  "period",
  "periodCount",
  "plan_id",
  "previous_key_until",
  "price",
  "priority",
  "project_id",
  "published_at",
  "quiet_from",
  "quiet_until",
  "quota",
  "rate",
  "refused",
  "remain_quota",
  "requestsPerMinute",
  "rights",
  "role",
  "rotation_days",
  "scope",
  "scope_id",
  "secret",
  "setting",
  "status",
  "statusCodeMapping",
  "strict",
  "tag",
  "target",
  "testModel",
  "threshold",
  "time_zone",
  "title",
  "tokensPerMinute",
  "trialDays",
  "two_step",
  "type",
  "unlimited_quota",
  "userGroup",
  "username",
  "validFrom",
  "validUntil",
  "weight",
  "window",
  "windowCalls",
  "windowQuota",
  "window_minutes",
  "withheld",
] as const;
/** Not set by anybody: ids, states and times of the row. */
const INTERNAL: ReadonlySet<string> = new Set([
  ...["id", "policy_id", "budget_id", "created_at", "created_by", "created_time", "token_end", "last_used_time"],
  ...["secret_time", "budget_renews_at"],
  ...["exported", "waiting", "lag_seconds", "failures", "last_error", "last_success_at", "retry_at", "secrets_set"],
]);
const TIMES: readonly string[] = [
  ...["validFrom", "validUntil", "published_at", "expires_time", "expired_time", "previous_key_until"],
];
/** Quota units. */
const AMOUNTS: readonly string[] = [
  "quota",
  "price",
  "windowQuota",
  "amountOff",
  "limit",
  "max_call_quota",
  "remain_quota",
  "budget_quota",
];
const STATUSES = [1, 2, 3] as const;
const ORDER_STATUSES = ["pending", "success", "expired", "failed"] as const;
const WITHDRAWAL_STATUSES = ["requested", "approved", "paid", "rejected"] as const;
/** Uses of a code. */
const UNLIMITED = -1;
/** When a key expires that does not. */
const NEVER = -1;
const ROLES = { 1: "user", 10: "admin", 100: "root" } as const;
/** Fields whose values are codes, and where their names are. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  budget_period: ["apiKeys.periodQuota"],
  event: ["alertEvents.names"],
  period: ["organizations.budgets.periods", "plans.every"],
  role: ["accountSwitch.roles"],
  scope: ["organizations.budgets.scopes"],
  window: ["plans.windows"],
};

/** A field's name in the reader's language. */
export function fieldLabel(field: string, { t }: Reader): string {
  // Some parts of the API write names in one way, some in the other.
  const known = FIELDS.find((name) => camelCase(name) === camelCase(field));
  return known ? t(`audit.fields.${known}`) : field;
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A field's value in the reader's language. */
export function valueText(field: string, value: unknown, reader: Reader): string {
  const { t, language, format } = reader;
  if (value === "" || value === null) return t("audit.empty");
  if (typeof value === "boolean") return t(value ? "audit.yes" : "audit.no");
  if (typeof value === "number") {
    if (camelCase(field) === "maxUses" && value === UNLIMITED) return t("audit.unlimited");
    if (field === "expired_time" && value === NEVER) return t("audit.never");
    if (AMOUNTS.includes(field)) return amountText(value, format);
    if (TIMES.includes(field)) return value === 0 ? t("audit.empty") : exactTime(value, language);
  }
  if (Array.isArray(value)) {
    const texts = value.map((each) => (isRecord(each) ? recordText(each, reader) : String(each)));
    return texts.join(t("audit.comma")) || t("audit.empty");
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
  if (role) return t(`users.role.${role}`);
  const names = typeof value === "string" ? (CODES[field] ?? []).map((texts) => t(`${texts}.${value}`, NONE)) : [];
  return names.find((name) => name !== "") ?? null;
}

const NONE = { defaultValue: "" };

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
