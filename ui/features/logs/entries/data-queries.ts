import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { SeriesDimension, SeriesStep } from "../../../../src/domain/logs/usage/series/read-series.ts";
import { readData } from "../../../api/client.ts";
import { dataApi } from "../../../api/groups.ts";
import { readerClock } from "../../../lib/format/time.ts";

/** Whose usage: all users', or the user's own. */
export type DataScope = "all" | "self";

/** To which requests the dashboard is limited; user and channel are for administrators. */
export type DataFilter = Readonly<{
  model?: string | undefined;
  group?: string | undefined;
  /** Id of an API key. */
  token?: number | undefined;
  tag?: string | undefined;
  end_user?: string | undefined;
  /** Ids of a project and a member, for organizations. */
  project?: number | undefined;
  member?: number | undefined;
  /** A username. */
  user?: string | undefined;
  /** Id of a channel. */
  channel?: number | undefined;
}>;

/** A period in epoch seconds. */
type Period = Readonly<{ start: number; end: number }>;

const ownQuery = ({ start, end }: Period, { model, group, token, tag, end_user, project, member }: DataFilter) => ({
  start_timestamp: start,
  end_timestamp: end,
  model_name: model,
  group,
  token_id: token,
  tag,
  end_user,
  project,
  member,
});

const allQuery = (period: Period, filter: DataFilter) => ({
  ...ownQuery(period, filter),
  username: filter.user,
  channel: filter.channel,
});

/** `most`: that many series at most, the others summed; 12 unless given. */
type SeriesView = Readonly<{ by: SeriesDimension; step: SeriesStep; most?: number }>;

/** Whose usage the dashboard shows, of which time, and how it is split. */
export type UsageView = Readonly<{
  scope: DataScope;
  /** What the chart spans. */
  range: Period;
  /** The part of it that has passed. */
  period: Period;
  filter: DataFilter;
  by: SeriesDimension;
  step: SeriesStep;
}>;

/** The series of the dashboard's chart and table. */
export const viewSeries = ({ scope, period, filter, by, step }: UsageView, most?: number) =>
  usageSeries(scope, period, filter, { by, step, ...(most !== undefined && { most }) });

export const usageSeries = (scope: DataScope, period: Period, filter: DataFilter, { by, step, most }: SeriesView) =>
  queryOptions({
    queryKey: ["data", "series", scope, period, filter, by, step, most],
    queryFn: async ({ signal }) => {
      const stepping = { step, most, ...readerClock() };
      if (scope === "all") {
        const query = { ...allQuery(period, filter), ...stepping, by };
        return readData(dataApi.series.get({ query, fetch: { signal } }));
      }
      const own = by === "user" || by === "channel" ? undefined : by;
      const query = { ...ownQuery(period, filter), ...stepping, by: own };
      return readData(dataApi.self.series.get({ query, fetch: { signal } }));
    },
    placeholderData: keepPreviousData,
  });

/** What calls cost the operator, where the view is split and limited by nothing but models and channels; else nothing is read. */
export const viewMargins = ({ scope, period, filter: { model, channel, ...others }, by }: UsageView) => {
  const isRead =
    scope === "all" && (by === "model" || by === "channel") && Object.values(others).every((value) => !value);
  return queryOptions({
    queryKey: ["data", "margins", period, model, channel, by],
    queryFn: ({ signal }) => {
      const range = { start_timestamp: period.start, end_timestamp: period.end };
      const query = { ...range, model_name: model, channel, by: by === "model" ? by : ("channel" as const) };
      return readData(dataApi.margins.get({ query, fetch: { signal } }));
    },
    enabled: isRead,
    placeholderData: (previous) => (isRead ? previous : undefined),
  });
};

/** `compareStart`: where the period to compare with starts; the one before unless given. */
export const usageOverview = (scope: DataScope, period: Period, filter: DataFilter, compareStart?: number) =>
  queryOptions({
    queryKey: ["data", "overview", scope, period, filter, compareStart],
    queryFn: ({ signal }) => {
      const compare = { compare_start: compareStart };
      return scope === "all"
        ? readData(dataApi.overview.get({ query: { ...allQuery(period, filter), ...compare }, fetch: { signal } }))
        : readData(
            dataApi.self.overview.get({ query: { ...ownQuery(period, filter), ...compare }, fetch: { signal } }),
          );
    },
    placeholderData: keepPreviousData,
  });

/** When channels went off or came back. */
export const channelMarks = (period: Period) =>
  queryOptions({
    queryKey: ["data", "marks", period],
    queryFn: ({ signal }) =>
      readData(
        dataApi.marks.get({
          query: { start_timestamp: period.start, end_timestamp: period.end },
          fetch: { signal },
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const runningOut = queryOptions({
  queryKey: ["data", "running-out"],
  queryFn: ({ signal }) => readData(dataApi["running-out"].get({ fetch: { signal } })),
});

/** How latency is grouped. */
export type LatencyDimension = "model" | "channel";

export const latency = (by: LatencyDimension, period: Period, filter: DataFilter) =>
  queryOptions({
    queryKey: ["data", "latency", by, period, filter],
    queryFn: async ({ signal }) =>
      readData(dataApi.latency.get({ query: { by, ...allQuery(period, filter) }, fetch: { signal } })),
    placeholderData: keepPreviousData,
  });
