import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Latency } from "../../../src/domain/logs/read-latency.ts";
import type { RunningOut } from "../../../src/domain/logs/read-running-out.ts";
import type { Series, SeriesDimension, SeriesStep } from "../../../src/domain/logs/read-series.ts";
import { request } from "../../api/client.ts";

/** Whose consumption: everybody's, or one's own. */
export type DataScope = "all" | "self";

/** What the dashboard shows; times are epoch seconds. */
export type DataView = Readonly<{ start: number; end: number; by: SeriesDimension; step: SeriesStep }>;

export const usageSeries = (scope: DataScope, { start, end, by, step }: DataView) =>
  queryOptions({
    queryKey: ["data", "series", scope, start, end, by, step],
    queryFn: async ({ signal }) => {
      const query = {
        start_timestamp: start,
        end_timestamp: end,
        by,
        step,
        offset_minutes: -new Date(start * 1000).getTimezoneOffset(),
      };
      const path = scope === "all" ? "/api/data/series" : "/api/data/self/series";
      return (await request<Series[]>(path, { query, signal })).data;
    },
    placeholderData: keepPreviousData,
  });

export const runningOut = queryOptions({
  queryKey: ["data", "running-out"],
  queryFn: async ({ signal }) => (await request<RunningOut[]>("/api/data/running-out", { signal })).data,
});

/** By what calls are told apart where their time is shown. */
export type LatencyDimension = "model" | "channel";

export const latency = (by: LatencyDimension, { start, end }: Pick<DataView, "start" | "end">) =>
  queryOptions({
    queryKey: ["data", "latency", by, start, end],
    queryFn: async ({ signal }) => {
      const query = { by, start_timestamp: start, end_timestamp: end };
      return (await request<{ calls: number; rows: Latency[] }>("/api/data/latency", { query, signal })).data;
    },
    placeholderData: keepPreviousData,
  });
