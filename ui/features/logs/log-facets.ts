import type { UseQueryOptions } from "@tanstack/react-query";
import type { FilterOption } from "../../components/inputs/FilterButton.tsx";
import { usageSeries } from "../dashboard/data-queries.ts";
import { LOG_TYPES } from "./log-entry.ts";
import type { LogFilters, LogScope } from "./log-queries.ts";

export type Facet = "model" | "token" | "user" | "channel" | "group" | "tag";

/** Usage is summed by the hour: of shorter ranges the counts would be too high. */
const COUNTED_FROM_S = 86_400;

/**
 * The values of a column with the highest cost within the log's range and other filters, with their numbers of requests (of
 * failed ones, if only those are listed), most first. API keys with one name count as one.
 */
export function logFacet(scope: LogScope, facet: Facet, filters: LogFilters): UseQueryOptions<readonly FilterOption[]> {
  const { start, end, type, failed: isFailed, model, group, user, channel, tag, project, member } = filters;
  const others = { group, user, channel, tag, project, member };
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
