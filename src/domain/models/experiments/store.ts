import { and, desc, eq, lt, sql } from "drizzle-orm";
import { experimentCalls } from "../../../../db/schema/models/replays.ts";
import type { Db } from "../../../../db/types.ts";
import { dayOf, reserveSpend, type SpendReservation, settleSpend } from "../../../billing/operator-spend.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/runtime/log.ts";

/** One call of an experiment. */
export type ExperimentCall = typeof experimentCalls.$inferInsert;

type Spent = Readonly<{ reservation: SpendReservation; spent: number }>;

/** Keeps the results of experiments, and what they cost the operator. */
export type ExperimentStore = {
  /** Keeps a call that its user pays for; written within a second, together with others. */
  keep(call: ExperimentCall): void;
  /** Reserves quota units for a call that the operator pays for; null: the day's budget is used up. */
  reserve(route: string, amount: number, limit: number): Promise<SpendReservation | null>;
  /** Replaces what was reserved by what was spent, and keeps the calls; all of it or nothing. */
  settle(spent: readonly Spent[], calls: readonly ExperimentCall[]): Promise<void>;
};

/** The purpose of what copies and their judge cost. */
export const purposeOf = (route: string): string => `mirror/${route}`;

const FLUSH_MS = 1000;
/** More is dropped: then the database is slow or away, and results are a sample anyway. */
const MAX_WAITING = 1000;

/** Writes the calls of experiments to the database, in batches. */
export function createExperimentStore(db: Db, log: Logger): ExperimentStore {
  let waiting: ExperimentCall[] = [];
  let timer: Timer | null = null;
  const flush = async () => {
    timer = null;
    const calls = waiting;
    waiting = [];
    try {
      await db.insert(experimentCalls).values(calls);
    } catch (error) {
      log.warn({ error, calls: calls.length }, "results of experiments could not be stored");
    }
  };
  return {
    keep(call) {
      if (waiting.length >= MAX_WAITING) return;
      waiting.push(call);
      if (timer) return;
      timer = setTimeout(flush, FLUSH_MS);
      timer.unref();
    },
    reserve: (route, amount, limit) =>
      reserveSpend(db, { purpose: purposeOf(route), day: dayOf(nowSeconds()), amount }, limit),
    settle: (all, calls) =>
      db.transaction(async (tx) => {
        for (const { reservation, spent } of all) await settleSpend(tx, reservation, spent);
        await tx.insert(experimentCalls).values([...calls]);
      }),
  };
}

const LIFE_S = 30 * 86_400;

/** Deletes results after 30 days. */
export const deleteOldResults = (db: Db) =>
  db.delete(experimentCalls).where(lt(experimentCalls.createdAt, nowSeconds() - LIFE_S));

/** The latest calls of one side, and its first ones in the order in which they came. */
export const readSide = (
  db: Db,
  of: Readonly<{ route: string; experiment: string }>,
  isTrial: boolean,
  limit: number,
) =>
  db
    .select()
    .from(experimentCalls)
    .where(
      and(
        eq(experimentCalls.route, of.route),
        eq(experimentCalls.experiment, of.experiment),
        eq(experimentCalls.isTrial, isTrial),
      ),
    )
    .orderBy(experimentCalls.id)
    .limit(limit);

/** The latest calls that a judge compared. */
export const readVerdicts = (db: Db, of: Readonly<{ route: string; experiment: string }>, limit: number) =>
  db
    .select()
    .from(experimentCalls)
    .where(
      and(
        eq(experimentCalls.route, of.route),
        eq(experimentCalls.experiment, of.experiment),
        sql`${experimentCalls.verdict} is not null`,
      ),
    )
    .orderBy(desc(experimentCalls.id))
    .limit(limit);

/** Deletes the results of a route. */
export const deleteResults = (db: Db, route: string) =>
  db.delete(experimentCalls).where(eq(experimentCalls.route, route));
