import { and, eq, gte, sql } from "drizzle-orm";
import { experimentCalls } from "../../../../db/schema/models/replays.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Settings } from "../../../settings/settings.ts";
import { bucketsOf, type SeriesClock } from "../../logs/usage/series/read-series.ts";
import { bucketOf } from "../../logs/usage/totals/totals.ts";

/** Figures of one side in one period; means are of the calls that were served, null without any. */
export type ExperimentPoint = Readonly<{
  /** When the period starts, in epoch seconds. */
  start: number;
  is_trial: boolean;
  calls: number;
  failed: number;
  latency_ms: number | null;
  first_token_ms: number | null;
  /** Quota units a call. */
  cost: number | null;
}>;

/** How far each step looks back, in seconds: an hour for two days, a day for as long as results exist. */
const SPANS_S = { hour: 48 * 3600, day: 30 * 86_400 } as const;
export type ExperimentStep = keyof typeof SPANS_S;

type Deps = Readonly<{ db: Db; settings: Pick<Settings, "get"> }>;
type Question = SeriesClock & Readonly<{ route: string; step: ExperimentStep }>;

/**
 * Both sides of a route's experiment over time, oldest first. Empty when the route has no experiment.
 */
export async function readExperimentSeries(
  { db, settings }: Deps,
  { route, step, ...clock }: Question,
): Promise<readonly ExperimentPoint[]> {
  const rule = settings.get("ModelRoutes").get(route)?.experiment;
  if (!rule) return [];
  const until = nowSeconds() + 1;
  const from = until - SPANS_S[step];
  const { createdAt, isTrial, failed, latencyMs, firstTokenMs, cost } = experimentCalls;
  const start = sql<string>`${bucketOf(bucketsOf(step, clock, { from, until }), sql`${createdAt}`)}`;
  const meanOfServed = (column: typeof latencyMs | typeof firstTokenMs | typeof cost) =>
    sql<string | null>`avg(${column}) filter (where not ${failed})`;
  const rows = await db
    .select({
      start,
      isTrial,
      calls: sql<number>`count(*)::int`,
      failed: sql<number>`(count(*) filter (where ${failed}))::int`,
      latency: meanOfServed(latencyMs),
      firstToken: meanOfServed(firstTokenMs),
      cost: meanOfServed(cost),
    })
    .from(experimentCalls)
    .where(
      and(
        eq(experimentCalls.route, route),
        eq(experimentCalls.experiment, rule.key),
        gte(experimentCalls.createdAt, from),
      ),
    )
    .groupBy(sql`1`, isTrial)
    .orderBy(sql`1`, isTrial);
  return rows.map((row) => ({
    ...{ start: Number(row.start), is_trial: row.isTrial, calls: row.calls, failed: row.failed },
    ...{ latency_ms: meanOf(row.latency), first_token_ms: meanOf(row.firstToken), cost: meanOf(row.cost) },
  }));
}

const meanOf = (mean: string | null): number | null => (mean === null ? null : Number(mean));
