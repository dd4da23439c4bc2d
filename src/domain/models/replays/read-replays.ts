import { and, asc, desc, eq, sql } from "drizzle-orm";
import {
  type EvaluationStatus,
  evaluationResults,
  evaluations,
  type ReplayJudge,
  type ReplayTarget,
  replayCalls,
  replaySets,
} from "../../../../db/schema/models/replays.ts";
import type { Db } from "../../../../db/types.ts";
import { readSpend } from "../../../billing/operator-spend.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { type Comparison, comparePairs, type Outcome, type Pair } from "../experiments/compare.ts";
import { ALL_DAYS, evaluationPurpose } from "./manage-evaluations.ts";

/** A set with its evaluations. */
export type ReplaySetView = Readonly<{
  id: number;
  name: string;
  created_at: number;
  filter: Readonly<Record<string, unknown>>;
  /** Requests that were left out, by reason. */
  skipped: Readonly<Record<string, number>>;
  calls: number;
  evaluations: readonly EvaluationView[];
}>;

export type EvaluationView = Readonly<{
  id: number;
  set_id: number;
  name: string;
  created_at: number;
  target: ReplayTarget;
  judge: ReplayJudge | null;
  status: EvaluationStatus;
  /** Requests of the set, those replayed, and those of them that failed. */
  calls: number;
  done: number;
  failed: number;
  /** What it has cost the operator, in quota units, and the most that it may. */
  spent: number;
  max_cost: number;
}>;

/** All sets, newest first. */
export async function listReplaySets(db: Db): Promise<readonly ReplaySetView[]> {
  const [sets, counts, all, done] = await Promise.all([
    db.select().from(replaySets).orderBy(desc(replaySets.id)),
    db.select({ id: replayCalls.setId, calls: COUNT }).from(replayCalls).groupBy(replayCalls.setId),
    db.select().from(evaluations).orderBy(asc(evaluations.id)),
    db
      .select({
        id: evaluationResults.evaluationId,
        done: COUNT,
        failed: FAILED,
      })
      .from(evaluationResults)
      .groupBy(evaluationResults.evaluationId),
  ]);
  const callsOf = new Map(counts.map(({ id, calls }) => [id, calls]));
  const doneOf = new Map(done.map((each) => [each.id, each]));
  const views: ReplaySetView[] = [];
  for (const { id, name, createdAt, filter, skipped } of sets) {
    const calls = callsOf.get(id) ?? 0;
    const own: EvaluationView[] = [];
    for (const row of all.filter(({ setId }) => setId === id)) {
      own.push(viewOf(row, calls, doneOf.get(row.id), await readSpend(db, evaluationPurpose(row.id), ALL_DAYS)));
    }
    views.push({
      id,
      name,
      created_at: createdAt,
      filter,
      skipped,
      calls,
      evaluations: own,
    });
  }
  return views;
}

const COUNT = sql<number>`count(*)::int`;
const FAILED = sql<number>`(count(*) filter (where ${evaluationResults.failed}))::int`;

const viewOf = (
  row: typeof evaluations.$inferSelect,
  calls: number,
  counts: Readonly<{ done: number; failed: number }> | undefined,
  spent: number,
): EvaluationView => ({
  ...{
    id: row.id,
    set_id: row.setId,
    name: row.name,
    created_at: row.createdAt,
    target: row.target,
  },
  ...{
    judge: row.judge,
    status: row.status,
    calls,
    done: counts?.done ?? 0,
    failed: counts?.failed ?? 0,
  },
  ...{ spent, max_cost: row.maxCost },
});

/** A request of an evaluation: as it was, and as it is now. */
export type ReplayedCall = Readonly<{
  position: number;
  request_id: string;
  created_at: number;
  before: ReplaySide;
  after: ReplaySide & Readonly<{ error: string }>;
  verdict: number | null;
  is_sure: boolean | null;
  verdict_reason: string;
}>;

export type ReplaySide = Readonly<{
  model: string;
  channel_id: number;
  failed: boolean;
  latency_ms: number;
  first_token_ms: number | null;
  cost: number;
  prompt_tokens: number;
  completion_tokens: number;
  text: string;
}>;

/** An evaluation with its figures, and a page of its requests. */
export type EvaluationResult = Readonly<{
  evaluation: EvaluationView;
  comparisons: readonly Comparison[];
  verdicts: Readonly<{
    after: number;
    before: number;
    tie: number;
    unsure: number;
  }> | null;
  calls: readonly ReplayedCall[];
}>;

const PAGE = 20;

/** An evaluation; `page` of its requests, from 0. Throws OperationError if it does not exist. */
export async function readEvaluation(db: Db, id: number, page: number): Promise<EvaluationResult> {
  const [row] = await db.select().from(evaluations).where(eq(evaluations.id, id));
  if (!row) throw new OperationError("replay_evaluation_status");
  const joined = and(eq(replayCalls.setId, row.setId), eq(replayCalls.position, evaluationResults.position));
  const [[count], figures, rows, spent] = await Promise.all([
    db.select({ calls: COUNT }).from(replayCalls).where(eq(replayCalls.setId, row.setId)),
    db
      .select({
        before: figuresOf(replayCalls),
        after: figuresOf(evaluationResults),
        ...VERDICT,
      })
      .from(evaluationResults)
      .innerJoin(replayCalls, joined)
      .where(eq(evaluationResults.evaluationId, id))
      .orderBy(asc(evaluationResults.position)),
    db
      .select({ before: replayCalls, after: evaluationResults })
      .from(evaluationResults)
      .innerJoin(replayCalls, joined)
      .where(eq(evaluationResults.evaluationId, id))
      .orderBy(asc(evaluationResults.position))
      .limit(PAGE)
      .offset(page * PAGE),
    readSpend(db, evaluationPurpose(id), ALL_DAYS),
  ]);
  const pairs = figures.map(
    ({ before, after, verdict }): Pair => ({
      control: outcomeOf(before),
      trial: outcomeOf(after),
      verdict,
    }),
  );
  const counts = {
    done: pairs.length,
    failed: pairs.filter(({ trial }) => trial.failed).length,
  };
  return {
    evaluation: viewOf(row, count?.calls ?? 0, counts, spent),
    comparisons: comparePairs(pairs, row.status === "complete" ? "final" : "incomplete").filter(
      ({ metric }) => metric !== "judge" || row.judge !== null,
    ),
    verdicts: row.judge && countVerdicts(figures),
    calls: rows.map(({ before, after }) => ({
      ...{
        position: before.position,
        request_id: before.requestId,
        created_at: before.createdAt,
      },
      before: sideOf(before),
      after: { ...sideOf(after), error: after.error },
      ...{
        verdict: after.verdict,
        is_sure: after.isSure,
        verdict_reason: after.verdictReason,
      },
    })),
  };
}

const figuresOf = (table: typeof replayCalls | typeof evaluationResults) => ({
  ...{
    failed: table.failed,
    latencyMs: table.latencyMs,
    firstTokenMs: table.firstTokenMs,
    cost: table.cost,
  },
});
const VERDICT = {
  verdict: evaluationResults.verdict,
  isSure: evaluationResults.isSure,
};

type Figures = Readonly<{
  failed: boolean;
  latencyMs: number;
  firstTokenMs: number | null;
  cost: number;
}>;

const outcomeOf = ({ failed, latencyMs, firstTokenMs, cost }: Figures): Outcome => ({
  ...{ failed, latency: latencyMs, firstToken: firstTokenMs, cost },
});

function countVerdicts(all: readonly Readonly<{ verdict: number | null; isSure: boolean | null }>[]) {
  const count = (matches: (each: (typeof all)[number]) => boolean) => all.filter(matches).length;
  return {
    after: count(({ verdict }) => verdict === 1),
    before: count(({ verdict }) => verdict === -1),
    tie: count(({ verdict, isSure }) => verdict === 0 && isSure === true),
    unsure: count(({ isSure }) => isSure === false),
  };
}

type SideRow = Figures &
  Readonly<{
    model: string;
    channelId: number;
    promptTokens: number;
    completionTokens: number;
    text: string;
  }>;

const sideOf = (row: SideRow): ReplaySide => ({
  ...{
    model: row.model,
    channel_id: row.channelId,
    failed: row.failed,
    latency_ms: row.latencyMs,
  },
  ...{
    first_token_ms: row.firstTokenMs,
    cost: row.cost,
    prompt_tokens: row.promptTokens,
  },
  ...{ completion_tokens: row.completionTokens, text: row.text },
});
