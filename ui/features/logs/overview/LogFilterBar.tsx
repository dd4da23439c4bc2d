import type { UseQueryOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useActing, useOrganizationOptions } from "../../../api/accounts/use-organization.ts";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import type { FilterOption } from "../../../components/inputs/FilterButton.tsx";
import type { Address } from "../../../components/use-address.ts";
import { useSite } from "../../../state/site-status.ts";
import { usageSeries } from "../entries/data-queries.ts";
import { LOG_TYPES } from "../entries/log-entry.ts";
import { FAILED, type LogFilters, type LogScope } from "../entries/log-queries.ts";
import { guardrailWords } from "./guardrail-words.ts";

type Facet = "model" | "token" | "user" | "channel" | "group" | "tag" | "end_user";

/** Usage is summed by the hour: of shorter ranges the counts would be too high. */
const COUNTED_FROM_S = 86_400;

/**
 * The values of a column with the highest cost within the log's range and other filters, with their numbers of requests (of
 * failed ones, if only those are listed), most first. API keys with one name count as one.
 */
function logFacet(scope: LogScope, facet: Facet, filters: LogFilters): UseQueryOptions<readonly FilterOption[]> {
  const { start, end, type, failed: isFailed, model, group, user, channel, tag, end_user, project, member } = filters;
  const others = { group, user, channel, tag, end_user, project, member };
  const narrowing = { model: model && `%${model}%`, ...others, [facet]: undefined };
  const series = usageSeries(scope, { start, end }, narrowing, { by: facet, step: "week" });
  return {
    queryKey: [...series.queryKey, "facet"],
    queryFn: async ({ client }) => {
      const counts = new Map<string, { label: string; count: number }>();
      for (const { key, name, points } of await client.fetchQuery(series)) {
        if (key === null) continue;
        const value = facet === "user" || facet === "token" ? name : key;
        const before = counts.get(value)?.count ?? 0;
        const label = facet === "channel" ? `${name} (#${key})` : value;
        const sum = points.reduce((all, point) => all + (isFailed ? point.failed : point.count), before);
        counts.set(value, { label, count: sum });
      }
      const isOfCalls = type === undefined || type === LOG_TYPES.consume;
      const isCounted = isOfCalls && end - start >= COUNTED_FROM_S;
      return [...counts]
        .filter(([value]) => value !== "")
        .sort(([, one], [, other]) => other.count - one.count)
        .map(([value, { label, count }]) => ({ value, label, ...(isCounted && { count }) }));
    },
  };
}

const OWN = ["model", "token", "group", "tag", "end_user"] as const;
const ADMIN = ["model", "token", "user", "channel", "group", "tag", "end_user"] as const;

const GUARDED = ["verdict", "guardrail", "guardrail_kind"] as const;

/** What a filter of verdicts may be, with texts that only these pages load. */
const verdictOptions = (key: (typeof GUARDED)[number]): UseQueryOptions<readonly FilterOption[]> => ({
  queryKey: ["guardrail-words", key],
  queryFn: () => guardrailWords(key),
});

type LogFilterBarProps = Readonly<{
  address: Address;
  isAdmin: boolean;
  filters: LogFilters;
  /** Buttons at the end of the bar. */
  tools: ReactNode;
}>;

/** The filters of the log, apart from time. */
export const LogFilterBar = ({ address, isAdmin, filters, tools }: LogFilterBarProps) => {
  const { t } = useTranslation();
  const organization = useOrganizationOptions();
  const { may } = useActing();
  const hasEndUsers = useSite()?.end_users_enabled === true;
  const isJudged = GUARDED.some((key) => address.text(key) !== "");
  const isOffered = (key: Facet) => key !== "end_user" || hasEndUsers || address.text("end_user") !== "";
  const owners = organization
    ? [
        {
          key: "project",
          label: t("logs.filters.project"),
          value: address.text("project"),
          options: organization.projects,
        },
        {
          key: "member",
          label: t("logs.filters.member"),
          value: address.text("member"),
          options: organization.members,
        },
      ]
    : [];
  const types = [
    ...Object.entries(LOG_TYPES).map(([name, type]) => ({ value: String(type), label: t(`logs.types.${name}`) })),
    { value: FAILED, label: t("logs.types.failed") },
  ];
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("logs.filters.search") }}
      filters={[
        { key: "type", label: t("logs.filters.type"), value: address.text("type"), options: types },
        ...(isAdmin ? ADMIN : OWN).filter(isOffered).map((key) => ({
          key,
          label: t(`logs.filters.${key}`),
          value: address.text(key),
          // They are counted from usage.
          ...(may("usage.read") && { suggestions: logFacet(isAdmin ? "all" : "self", key, filters) }),
        })),
        ...owners,
        ...(isAdmin ? GUARDED : [])
          .filter((key) => key === "verdict" || isJudged)
          .map((key) => ({
            ...{ key, label: t(`logs.filters.${key}`), value: address.text(key) },
            suggestions: verdictOptions(key),
          })),
      ]}
      onChange={(key, value) => address.set({ [key]: value, p: undefined })}
      onClear={() =>
        address.set({
          ...Object.fromEntries(["search", "type", "project", "member", ...ADMIN, ...GUARDED].map((key) => [key, ""])),
          p: undefined,
        })
      }
      tools={tools}
    />
  );
};
