import { and, asc, eq, lte, sql } from "drizzle-orm";
import { usageSinks } from "../../../../db/schema/logs/sinks.ts";
import { OWN_LOG_IDS, ownLogOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { keepReason, reasonOf } from "../../../lib/reason.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { decryptConfig } from "./destination-config.ts";
import { readCalls, readLogEnd } from "./read-calls.ts";
import type { SinkDeps } from "./sink-type.ts";
import { isSinkType, sinkType } from "./types/index.ts";

export type ExportDeps = SinkDeps & Readonly<{ db: Db; vault: Vault; log: Logger }>;
type SinkRow = typeof usageSinks.$inferSelect;

/** A run ends after this time, so that destinations without a backlog are not kept waiting by one with. */
const RUN_MS = 8000;
const [FIRST_RETRY_S, LONGEST_RETRY_S] = [5, 300];

/**
 * Sends every enabled destination the calls that it lacks: at least once, in the order of the log, a batch at a time. A
 * destination's position moves only after it has accepted a batch. The log is the queue, so one that is away costs no memory.
 */
export async function exportCalls(deps: ExportDeps, signal: AbortSignal): Promise<void> {
  const due = and(eq(usageSinks.enabled, true), lte(usageSinks.nextAt, nowSeconds()));
  const sinks = await deps.db.select().from(usageSinks).where(due).orderBy(asc(usageSinks.id));
  if (sinks.length === 0) return;
  const ownLog = ownLogOf(deps.db);
  if (!ownLog) {
    const source = { read: (place: Place) => readCalls(deps.db, place), end: await readLogEnd(deps.db) };
    await Promise.all(sinks.map((sink) => exportTo(deps, source, sink, signal)));
    return;
  }
  const earlier = await earlierCalls(deps.db, ownLog);
  const own = { read: (place: Place) => readCalls(ownLog, place), end: await readLogEnd(ownLog) };
  const exportFrom = async (sink: SinkRow) => {
    if (sink.position >= (earlier?.end ?? 0)) {
      await exportTo(deps, own, { ...sink, position: Math.max(sink.position, OWN_LOG_IDS) }, signal);
    } else if (earlier) await exportTo(deps, earlier, sink, signal);
  };
  await Promise.all(sinks.map(exportFrom));
}

/** Where calls are read in the order of their ids, up to the id \`end\`. */
type Source = Readonly<{ read(place: Place): ReturnType<typeof readCalls>; end: number }>;
type Place = Parameters<typeof readCalls>[1];

/**
 * Calls that were logged before the log had a database of its own, wherever they are now: their ids are smaller than all others. Null
 * while some are on the way from one to the other.
 */
async function earlierCalls(main: Db, ownLog: Db): Promise<Source | null> {
  const [moving] = await main.execute(sql`select from log_deliveries where kind = 'moved' limit 1`);
  if (moving) return null;
  return {
    end: await readLogEnd(main),
    async read(place) {
      const parts = [await readCalls(main, place), await readCalls(ownLog, place)];
      const until = Math.min(...parts.map((part) => part.until));
      const calls = parts.flatMap((part) => part.calls).filter(({ log_id: id }) => id <= until);
      return { calls: calls.toSorted((one, other) => one.log_id - other.log_id), until };
    },
  };
}

async function exportTo(deps: ExportDeps, { read, end }: Source, sink: SinkRow, signal: AbortSignal): Promise<void> {
  const { db, vault } = deps;
  if (!isSinkType(sink.type)) return;
  const type = sinkType(sink.type);
  const stopAt = performance.now() + RUN_MS;
  let { position, exported } = sink;
  while (position < end && !signal.aborted && performance.now() < stopAt) {
    const { calls, until } = await read({ position, end, limit: type.maxCalls });
    try {
      // Inside: a configuration that can't be decrypted is a failure of this destination alone.
      const batch = { id: `usage-${sink.id}-${position + 1}-${until}`, calls };
      if (calls.length > 0) await type.send(decryptConfig(vault, sink.configCipher), batch, deps);
    } catch (error) {
      return recordFailure(deps, sink, error);
    }
    [position, exported] = [until, exported + calls.length];
    await recordProgress(db, sink.id, {
      position,
      exported,
      hasSent: calls.length > 0,
      pauseSeconds: position >= end ? (type.pauseSeconds ?? 0) : 0,
    });
  }
}

async function recordProgress(
  db: Db,
  id: number,
  progress: Readonly<{ position: number; exported: number; hasSent: boolean; pauseSeconds: number }>,
): Promise<void> {
  const { position, exported, hasSent, pauseSeconds } = progress;
  const now = nowSeconds();
  const success = { failures: 0, lastError: "", lastSuccessAt: now, nextAt: now + pauseSeconds };
  await db
    .update(usageSinks)
    .set({ position, exported, ...(hasSent && success) })
    // A process that lost its turn must not move the position back.
    .where(and(eq(usageSinks.id, id), lte(usageSinks.position, position)));
}

async function recordFailure({ db, log }: ExportDeps, { id, name, failures }: SinkRow, error: unknown): Promise<void> {
  log.warn({ error, sink: name }, "usage records could not be exported and are sent again later");
  const waitSeconds = Math.min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** Math.min(failures, 10));
  await db
    .update(usageSinks)
    .set({ failures: failures + 1, lastError: keepReason(reasonOf(error)), nextAt: nowSeconds() + waitSeconds })
    .where(eq(usageSinks.id, id));
}
