import { and, eq, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { experimentCalls } from "../../../../db/schema/models/replays.ts";
import type { Db } from "../../../../db/types.ts";
import { dayOf, readSpend } from "../../../billing/operator-spend.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { integer, multiply, roundToInteger } from "../../../lib/values/decimal.ts";
import type { ModelRoute, RouteExperiment } from "../../../settings/option/model-routes.ts";
import type { Settings } from "../../../settings/settings.ts";
import { type Comparison, comparePairs, compareSides, MAX_COMPARED, type Outcome, type Pair } from "./compare.ts";
import { purposeOf, readSide, readVerdicts } from "./store.ts";

/** A judge's verdict on one call. */
export type VerdictView = Readonly<{
  request_id: string;
  created_at: number;
  /** 1: the trial's response is better, −1: the other one, 0: neither. */
  verdict: number;
  reason: string;
}>;

/** A route's experiment with what is known so far. */
export type ExperimentView = Readonly<{
  route: string;
  is_enabled: boolean;
  mode: RouteExperiment["mode"];
  model: string;
  channel_tags: readonly string[];
  regions: readonly string[];
  percent: number;
  judge: string | null;
  /** Calls of each side, in the last 30 days. */
  calls: Readonly<{ control: number; trial: number }>;
  /** Quota units that copies and judge have cost the operator; null: a canary's users pay. */
  operator_cost: number | null;
  spent_today: number | null;
  budget_per_day: number | null;
  comparisons: readonly Comparison[];
  verdicts: Readonly<{ trial: number; control: number; tie: number; latest: readonly VerdictView[] }> | null;
}>;

type Deps = Readonly<{ db: Db; settings: Pick<Settings, "get"> }>;

/** All experiments of routes, by the name of the route. */
export async function listExperiments({ db, settings }: Deps): Promise<readonly ExperimentView[]> {
  const views: ExperimentView[] = [];
  const routes = [...settings.get("ModelRoutes").values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const unit = integer(settings.get("QuotaPerUnit"));
  for (const route of routes) {
    const { experiment } = route;
    if (!experiment) continue;
    const budget = roundToInteger(multiply(integer(experiment.maxUsdPerDay), unit));
    views.push(await viewOf(db, route, experiment, budget));
  }
  return views;
}

async function viewOf(db: Db, route: ModelRoute, rule: RouteExperiment, budget: number): Promise<ExperimentView> {
  const of = { route: route.name, experiment: rule.key };
  const isMirror = rule.mode === "mirror";
  const [control, trial, sums] = await Promise.all([
    readSide(db, of, false, MAX_COMPARED),
    readSide(db, of, true, MAX_COMPARED),
    readSums(db, of),
  ]);
  return {
    route: route.name,
    is_enabled: route.isEnabled,
    mode: rule.mode,
    model: rule.candidate.model,
    channel_tags: [...(rule.candidate.channelTags ?? [])],
    regions: route.definition.experiment?.candidate?.regions ?? [],
    percent: rule.percent,
    judge: rule.judge?.model ?? null,
    calls: { control: sums.control, trial: sums.trial },
    operator_cost: isMirror ? sums.cost : null,
    spent_today: isMirror ? await readSpend(db, purposeOf(route.name), dayOf(nowSeconds())) : null,
    budget_per_day: isMirror ? budget : null,
    comparisons: isMirror
      ? comparePairs(pairsOf(control, trial)).filter(({ metric }) => metric !== "judge" || rule.judge !== null)
      : compareSides(control.map(outcomeOf), trial.map(outcomeOf)),
    verdicts: rule.judge === null ? null : { ...sums.verdicts, latest: await latestVerdicts(db, of) },
  };
}

type Row = Awaited<ReturnType<typeof readSide>>[number];

const outcomeOf = ({ failed, latencyMs, firstTokenMs, cost }: Row): Outcome => ({
  ...{ failed, latency: latencyMs, firstToken: firstTokenMs, cost },
});

function pairsOf(control: readonly Row[], trial: readonly Row[]): readonly Pair[] {
  const trials = new Map(trial.map((row) => [row.requestId, row]));
  return control.flatMap((row) => {
    const other = trials.get(row.requestId);
    return other ? { control: outcomeOf(row), trial: outcomeOf(other), verdict: other.verdict } : [];
  });
}

const countIf = (condition: ReturnType<typeof sql>) => sql<number>`(count(*) filter (where ${condition}))::int`;

async function readSums(db: Db, { route, experiment }: Readonly<{ route: string; experiment: string }>) {
  const { isTrial, verdict, cost, judgeCost } = experimentCalls;
  const rows = await db
    .select({
      control: countIf(sql`not ${isTrial}`),
      trial: countIf(sql`${isTrial}`),
      cost: sql<string>`coalesce(sum(${cost} + ${judgeCost}) filter (where ${isTrial}), 0)`,
      wins: countIf(sql`${verdict} > 0`),
      losses: countIf(sql`${verdict} < 0`),
      ties: countIf(sql`${verdict} = 0`),
    })
    .from(experimentCalls)
    .where(and(eq(experimentCalls.route, route), eq(experimentCalls.experiment, experiment)));
  const { control, trial, cost: total, wins, losses, ties } = requireRow(rows);
  return { control, trial, cost: Number(total), verdicts: { trial: wins, control: losses, tie: ties } };
}

const SHOWN_VERDICTS = 20;

async function latestVerdicts(db: Db, of: Parameters<typeof readVerdicts>[1]): Promise<readonly VerdictView[]> {
  const rows = await readVerdicts(db, of, SHOWN_VERDICTS);
  return rows.map(({ requestId, createdAt, verdict, verdictReason }) => ({
    ...{ request_id: requestId, created_at: createdAt, verdict: verdict ?? 0, reason: verdictReason },
  }));
}
