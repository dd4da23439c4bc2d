import { and, eq, inArray, ne } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { operatorSpend } from "../../../../db/schema/accounts/organizations/budgets.ts";
import {
  type EvaluationStatus,
  evaluationResults,
  evaluations,
  type ReplayJudge,
  type ReplayTarget,
  replaySets,
} from "../../../../db/schema/models/replays.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { integer, multiply, roundToInteger } from "../../../lib/values/decimal.ts";

export type Evaluation = typeof evaluations.$inferSelect;

export type NewEvaluation = Readonly<{
  setId: number;
  name: string;
  target: ReplayTarget;
  judge: ReplayJudge | null;
  maxUsd: number;
  maxConcurrent: number;
}>;

/** The purpose of what an evaluation costs the operator. It has one budget for all days: that of day 0. */
export const evaluationPurpose = (id: number): string => `evaluation/${id}`;
export const ALL_DAYS = 0;

/** Begins to replay a set against a target. Throws OperationError: the set does not exist, or the target is nothing. */
export async function createEvaluation(
  db: Db,
  createdBy: number,
  quotaPerUnit: number,
  { maxUsd, judge, target, ...fields }: NewEvaluation,
): Promise<number> {
  if (target.model === undefined && (!target.prices || judge)) throw new OperationError("replay_target_required");
  const [set] = await db.select({ id: replaySets.id }).from(replaySets).where(eq(replaySets.id, fields.setId));
  if (!set) throw new OperationError("replay_set_missing");
  const maxCost = roundToInteger(multiply(integer(maxUsd), integer(quotaPerUnit)));
  const row = {
    ...fields,
    target,
    judge,
    maxCost,
    createdBy,
    createdAt: nowSeconds(),
    status: "running" as const,
  };
  const rows = await db.insert(evaluations).values(row).returning({ id: evaluations.id });
  return requireRow(rows).id;
}

/** Stops an evaluation: requests in progress end, no other is sent. Throws OperationError if it does not run. */
export const stopEvaluation = (db: Db, id: number): Promise<string> =>
  changeStatus(db, id, ["running"], { status: "stopped" });

/** Goes on with an evaluation, and retries what failed. Throws OperationError if it runs, or does not exist. */
export async function resumeEvaluation(
  db: Db,
  id: number,
  quotaPerUnit: number,
  maxUsd: number | undefined,
): Promise<string> {
  const maxCost = maxUsd && roundToInteger(multiply(integer(maxUsd), integer(quotaPerUnit)));
  return db.transaction(async (tx) => {
    const name = await changeStatus(tx, id, ["stopped", "over_budget", "complete"], {
      status: "running",
      ...(maxCost && { maxCost }),
    });
    await tx
      .delete(evaluationResults)
      .where(and(eq(evaluationResults.evaluationId, id), eq(evaluationResults.failed, true)));
    return name;
  });
}

async function changeStatus(
  db: Pick<Db, "update">,
  id: number,
  from: readonly EvaluationStatus[],
  change: Readonly<{ status: EvaluationStatus; maxCost?: number }>,
): Promise<string> {
  const [row] = await db
    .update(evaluations)
    .set(change)
    .where(and(eq(evaluations.id, id), inArray(evaluations.status, [...from])))
    .returning({ name: evaluations.name });
  if (!row) throw new OperationError("replay_evaluation_status");
  return row.name;
}

/** Deletes an evaluation with its results. Throws OperationError: it runs, or does not exist. */
export const deleteEvaluation = (db: Db, id: number): Promise<string> =>
  db.transaction(async (tx) => {
    const [row] = await tx
      .delete(evaluations)
      .where(and(eq(evaluations.id, id), ne(evaluations.status, "running")))
      .returning({ name: evaluations.name });
    if (!row) throw new OperationError("replay_evaluation_status");
    await tx.delete(operatorSpend).where(eq(operatorSpend.purpose, evaluationPurpose(id)));
    return row.name;
  });
