import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { SeriesDimension, SeriesStep } from "../../../src/domain/logs/usage/read-series.ts";
import { readData } from "../../api/client.ts";
import { dataApi } from "../../api/groups.ts";

/** Whose usage: all users', or the user's own. */
type DataScope = "all" | "self";

/** What the dashboard shows; times are epoch seconds. */
type DataView = Readonly<{ start: number; end: number; by: SeriesDimension; step: SeriesStep }>;

export const usageSeries = (scope: DataScope, { start, end, by, step }: DataView) =>
  queryOptions({
    queryKey: ["data", "series", scope, start, end, by, step],
    queryFn: async ({ signal }) => {
      const query = {
        start_timestamp: start,
        end_timestamp: end,
        step,
        offset_minutes: -new Date(start * 1000).getTimezoneOffset(),
      };
      if (scope === "all") return readData(dataApi.series.get({ query: { ...query, by }, fetch: { signal } }));
      const own = by === "user" || by === "channel" ? undefined : by;
      return readData(dataApi.self.series.get({ query: { ...query, by: own }, fetch: { signal } }));
    },
    placeholderData: keepPreviousData,
  });

export const runningOut = queryOptions({
  queryKey: ["data", "running-out"],
  queryFn: ({ signal }) => readData(dataApi["running-out"].get({ fetch: { signal } })),
});

/** How latency is grouped. */
export type LatencyDimension = "model" | "channel";

export const latency = (by: LatencyDimension, { start, end }: Pick<DataView, "start" | "end">) =>
  queryOptions({
    queryKey: ["data", "latency", by, start, end],
    queryFn: async ({ signal }) => {
      const query = { by, start_timestamp: start, end_timestamp: end };
      return readData(dataApi.latency.get({ query, fetch: { signal } }));
    },
    placeholderData: keepPreviousData,
  });
