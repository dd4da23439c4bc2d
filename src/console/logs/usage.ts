import { Elysia, t } from "elysia";
import type { Reads } from "../../../db/server/replica.ts";
import type { Db } from "../../../db/types.ts";
import type { LogFilter } from "../../domain/logs/log-filter.ts";
import { resolveFilter } from "../../domain/logs/log-filter.ts";
import { readPace } from "../../domain/logs/usage/pace/read-pace.ts";
import { readRunningOut } from "../../domain/logs/usage/pace/read-running-out.ts";
import { readLatency } from "../../domain/logs/usage/read-latency.ts";
import { readMargins } from "../../domain/logs/usage/read-margins.ts";
import { readChannelMarks } from "../../domain/logs/usage/read-marks.ts";
import { readMcpUsage } from "../../domain/logs/usage/read-mcp-usage.ts";
import { readOverview } from "../../domain/logs/usage/read-overview.ts";
import { readQuotaData } from "../../domain/logs/usage/read-quota-data.ts";
import { readSeries } from "../../domain/logs/usage/series/read-series.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { ok, okText } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer } from "../http/integers.ts";
import { integerField, numberOrUndefined, timestamp } from "../http/paging.ts";
import { clockOf, clockQuery } from "../http/reader-clock.ts";

const DAY_S = 86_400;
const OWN_SPAN_S = 30 * DAY_S;

const text = t.Optional(t.String());
const rangeQuery = { start_timestamp: timestamp(), end_timestamp: timestamp() };
const narrowing = {
  ...{ model_name: text, group: text, token_id: integerField() },
  ...{ tag: text, end_user: text, project: integerField(), member: integerField() },
};
const stepping = {
  step: t.Optional(t.Union([t.Literal("hour"), t.Literal("day"), t.Literal("week")])),
  ...clockQuery,
  most: t.Optional(integer({ minimum: 1, maximum: 100 })),
};
const ownDimension = [
  ...(["model", "group", "token"] as const),
  // Tags count the log's rows; projects and members are those of an organization's keys now.
  ...(["tag", "end_user", "project", "member"] as const),
].map((dimension) => t.Literal(dimension));
const rangeOnly = t.Object(rangeQuery);
const dataQuery = t.Object({ ...rangeQuery, username: text });
const ownSeries = t.Object({ ...rangeQuery, ...narrowing, ...stepping, by: t.Optional(t.Union(ownDimension)) });
/** Start of the period to compare with; the one before unless given. */
const comparing = { compare_start: timestamp() };
const ownOverview = t.Object({ ...rangeQuery, ...narrowing, ...comparing });
const ids = t.String({ pattern: "^\\d{1,9}(,\\d{1,9}){0,199}$" });
const widest = { ...narrowing, username: text, channel: integerField() };
const allOverview = t.Object({ ...rangeQuery, ...widest, ...comparing });
const allSeries = t.Object({
  ...rangeQuery,
  ...widest,
  ...stepping,
  by: t.Optional(t.Union([...ownDimension, t.Literal("user"), t.Literal("channel")])),
});

/** Usage over time for charts: all users' for administrators, the caller's own under /self. */
export function dataRoutes({ reads }: Readonly<{ reads: Reads }>, guarded: ReturnType<typeof guard>) {
  const series = async (db: Db, input: typeof allSeries.static, filter: LogFilter & Range) => {
    const { by = "model", step = "day", most } = input;
    return ok(await readSeries(db, filter, { by, step, ...clockOf(input), ...(most && { most }) }));
  };
  return new Elysia({ prefix: "/api/data", name: "console/data" })
    .use(guarded)
    .get(
      "/",
      ({ query: { username, ...period } }) =>
        reads.read(async (db) => {
          const range = rangeOf(period);
          if (!username) return okText(await readQuotaData(db, range, "model"));
          const { userId } = await resolveFilter(db, { username });
          const whose = userId === undefined ? { username } : { userId };
          return okText(await readQuotaData(db, { ...range, ...whose }, "model and user"));
        }),
      { role: "admin", query: dataQuery },
    )
    .get(
      "/users",
      async ({ query: period }) => okText(await reads.read((db) => readQuotaData(db, rangeOf(period), "user"))),
      {
        role: "admin",
        query: rangeOnly,
      },
    )
    .get(
      "/self",
      async ({ actor, query: period }) => {
        const range = rangeOf(period);
        if (range.end - range.start > OWN_SPAN_S) throw new OperationError("data_span_too_long");
        return okText(await reads.read((db) => readQuotaData(db, { ...range, userId: actor.id }, "model and user")));
      },
      { account: "usage.read", query: rangeOnly },
    )
    .get(
      "/overview",
      ({ query: period }) =>
        reads.read(async (db) =>
          ok(
            await readOverview(
              db,
              { ...(await resolveFilter(db, widestOf(period))), ...rangeOf(period) },
              compareStartOf(period),
            ),
          ),
        ),
      { role: "admin", query: allOverview },
    )
    .get(
      "/self/overview",
      ({ actor, query: period }) =>
        reads.read(async (db) => {
          const filter = await resolveFilter(db, narrowingOf(period));
          const own = { ...filter, ...rangeOf(period), userId: actor.id };
          return ok(await readOverview(db, own, compareStartOf(period)));
        }),
      { account: "usage.read", query: ownOverview },
    )
    .get(
      "/series",
      ({ query: period }) =>
        reads.read(async (db) =>
          series(db, period, { ...(await resolveFilter(db, widestOf(period))), ...rangeOf(period) }),
        ),
      { role: "admin", query: allSeries },
    )
    .get(
      "/self/series",
      ({ actor, query: period }) =>
        reads.read(async (db) => {
          const filter = await resolveFilter(db, narrowingOf(period));
          return series(db, period, { ...filter, ...rangeOf(period), userId: actor.id });
        }),
      { account: "usage.read", query: ownSeries },
    )
    .get(
      "/latency",
      ({ query: { by = "model", ...period } }) =>
        reads.read(async (db) => {
          const filter = await resolveFilter(db, widestOf(period));
          return ok(await readLatency(db, { ...filter, ...rangeOf(period) }, by));
        }),
      {
        role: "admin",
        query: t.Object({
          ...rangeQuery,
          ...widest,
          by: t.Optional(t.Union([t.Literal("model"), t.Literal("channel")])),
        }),
      },
    )
    .get(
      "/margins",
      ({ query: { by = "channel", channel, model_name: modelName, ...period } }) => {
        const channelId = numberOrUndefined(channel);
        const narrowed = { ...(channelId && { channelId }), ...(modelName && { modelName }) };
        return reads.read(async (db) => ok(await readMargins(db, { ...rangeOf(period), ...narrowed }, by)));
      },
      {
        role: "admin",
        query: t.Object({
          ...rangeQuery,
          ...{ model_name: text, channel: integerField() },
          by: t.Optional(t.Union([t.Literal("model"), t.Literal("channel")])),
        }),
      },
    )
    .get(
      "/mcp-server",
      ({ query: { server, ...period } }) => {
        const { start: since, end: now } = rangeOf(period);
        return reads.read(async (db) => ok(await readMcpUsage(db, server, { since, now })));
      },
      { role: "admin", query: t.Object({ ...rangeQuery, server: t.String({ pattern: "^[a-z0-9-]{1,32}$" }) }) },
    )
    .get("/marks", async ({ query }) => ok(await reads.read((db) => readChannelMarks(db, rangeOf(query)))), {
      role: "admin",
      query: rangeOnly,
    })
    .get("/pace", async ({ query }) => ok(await reads.read((db) => pace(db, "user", numbersOf(query.ids)))), {
      role: "admin",
      query: t.Object({ ids }),
    })
    .get(
      "/self/pace",
      async ({ actor, query: { keys } }) =>
        ok(
          await reads.read((db) =>
            keys ? pace(db, "token", numbersOf(keys), actor.id) : pace(db, "user", [actor.id]),
          ),
        ),
      { account: "usage.read", query: t.Object({ keys: t.Optional(ids) }) },
    )
    .get("/running-out", async () => ok(await reads.read(readRunningOut)), { role: "admin" });
}

const numbersOf = (list: string): number[] => list.split(",").map(Number);

/** Quota units of an average day, by the id of the users or of API keys of one of them. */
async function pace(
  db: Db,
  dimension: "user" | "token",
  of: readonly number[],
  owner = 0,
): Promise<Record<number, number>> {
  const subjects = dimension === "user" ? { dimension, ids: of } : { dimension, ids: of, userIds: [owner] };
  return Object.fromEntries(await readPace(db, subjects));
}

const compareStartOf = ({ compare_start: start }: typeof ownOverview.static): number | undefined =>
  start ? Math.trunc(start) : undefined;

type Range = Readonly<{ start: number; end: number }>;

/** The requested time range; the last day by default. */
function rangeOf(input: typeof rangeOnly.static): Range {
  const end = Math.trunc(input.end_timestamp || nowSeconds());
  return { end, start: input.start_timestamp ? Math.trunc(input.start_timestamp) : end - DAY_S };
}

function narrowingOf(input: Omit<typeof ownSeries.static, "by">): LogFilter {
  const tokenId = numberOrUndefined(input.token_id);
  return {
    ...(input.model_name && { modelName: input.model_name }),
    ...(input.group && { group: input.group }),
    ...(tokenId !== undefined && { tokenId }),
    ...(input.tag && { tag: input.tag }),
    ...(input.end_user && { endUser: input.end_user }),
    ...(input.project && { projectId: input.project }),
    ...(input.member && { memberId: input.member }),
  };
}

/** The narrowing of administrators, who see every user and channel. */
function widestOf(input: Omit<typeof allOverview.static, "start_timestamp" | "end_timestamp">): LogFilter {
  const channelId = numberOrUndefined(input.channel);
  return {
    ...narrowingOf(input),
    ...(input.username && { username: input.username }),
    ...(channelId && { channelId }),
  };
}
