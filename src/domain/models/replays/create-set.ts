import { and, desc, eq, gte, inArray, lt, notExists, type SQL } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { agentSessionCalls as calls } from "../../../../db/schema/logs/sessions.ts";
import { evaluations, replayCalls, replaySets } from "../../../../db/schema/models/replays.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import type { LogOther } from "../../../billing/types.ts";
import { parseJson, recordOf } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { decimal, roundToInteger } from "../../../lib/values/decimal.ts";
import { logConditions, resolveFilter } from "../../logs/log-filter.ts";
import { LOG_TYPE } from "../../logs/write-log.ts";
import type { Replayer } from "./replayer.ts";

/** Which requests to set aside; absent: all. */
export type SetFilter = Readonly<{
  /** Epoch seconds; the end is excluded. */
  start: number;
  end: number;
  model?: string;
  username?: string;
  token_name?: string;
  group?: string;
  channel?: number;
  failed?: boolean;
  session?: string;
  /** One call, by its id. */
  request_id?: string;
}>;

export type NewSet = Readonly<{
  name: string;
  filter: SetFilter;
  maxCalls: number;
}>;

/** Why a request of the log cannot be replayed. */
export type SkipReason = "no_content" | "cut" | "acts";

type Deps = Readonly<{ db: Db; replayer: Pick<Replayer, "isRepeatable"> }>;
type LogRow = typeof logs.$inferSelect;
type NewCall = Omit<typeof replayCalls.$inferInsert, "setId" | "position">;

const MAX_SLICES = 168;
/** Rows that are read at a time, and at most. */
const PAGE = 200;
const MAX_READ = 20_000;

/**
 * Sets requests of the log aside, as far as their content is stored: spread over the time, the newest first where there are more
 * than wanted. Throws OperationError if there is none.
 */
export async function createReplaySet(
  { db, replayer }: Deps,
  createdBy: number,
  { name, filter, maxCalls }: NewSet,
): Promise<number> {
  const found = new Map<string, NewCall>();
  const seen = new Set<string>();
  const skipped: Partial<Record<SkipReason, number>> = {};
  const take = (rows: readonly LogRow[], most: number) => {
    for (const row of rows) {
      if (found.size >= most) return;
      if (row.requestId === null || seen.has(row.requestId)) continue;
      seen.add(row.requestId);
      const call = readCall(replayer, row);
      if (typeof call === "string") skipped[call] = (skipped[call] ?? 0) + 1;
      else found.set(row.requestId, call);
    }
  };
  const log = logOf(db);
  const where = await conditionsOf(log, filter);
  const slices = Math.min(MAX_SLICES, maxCalls);
  const length = (filter.end - filter.start) / slices;
  const share = Math.ceil(maxCalls / slices);
  for (let slice = slices - 1; slice >= 0; slice -= 1) {
    const [from, to] = [filter.start + slice * length, filter.start + (slice + 1) * length];
    const rows = await readRows(log, and(where, within(Math.floor(from), Math.floor(to))), share);
    take(rows, maxCalls);
  }
  for (let before = filter.end; found.size < maxCalls && seen.size < MAX_READ; ) {
    const rows = await readRows(log, and(where, within(filter.start, before)), PAGE);
    const oldest = rows.at(-1)?.createdAt;
    take(rows, maxCalls);
    if (rows.length < PAGE || oldest === undefined) break;
    // More rows of one second than a page are left out.
    before = oldest < before - 1 ? oldest + 1 : oldest;
  }
  if (found.size === 0) throw new OperationError("replay_no_requests");
  const ordered = [...found.values()].toSorted((a, b) => a.createdAt - b.createdAt);
  return db.transaction(async (tx) => {
    const rows = await tx
      .insert(replaySets)
      .values({ name, createdAt: nowSeconds(), createdBy, filter, skipped })
      .returning({ id: replaySets.id });
    const { id: setId } = requireRow(rows);
    await tx.insert(replayCalls).values(ordered.map((call, position) => ({ ...call, setId, position })));
    return setId;
  });
}

const within = (from: number, to: number): SQL | undefined => and(gte(logs.createdAt, from), lt(logs.createdAt, to));

async function conditionsOf(db: Db, filter: SetFilter): Promise<SQL | undefined> {
  const {
    model,
    username,
    token_name: tokenName,
    group,
    channel,
    failed = false,
    session,
    request_id: requestId,
  } = filter;
  const resolved = await resolveFilter(db, {
    type: LOG_TYPE.consumption,
    failed,
    ...(model && { modelName: model }),
    ...(username && { username }),
    ...(tokenName && { tokenName }),
    ...(group && { group }),
    ...(channel && { channelId: channel }),
    ...(requestId && { requestId }),
  });
  const ofSession = session
    ? inArray(logs.id, db.select({ id: calls.logId }).from(calls).where(eq(calls.sessionId, session)))
    : undefined;
  return and(logConditions(resolved), ofSession);
}

const readRows = (db: Db, where: SQL | undefined, limit: number): Promise<LogRow[]> =>
  db.select().from(logs).where(where).orderBy(desc(logs.createdAt), desc(logs.id)).limit(limit);

function readCall(replayer: Pick<Replayer, "isRepeatable">, row: LogRow): NewCall | SkipReason {
  const other = readOther(row.other);
  const exchange = other.admin_info?.exchange;
  if (!exchange?.format) return "no_content";
  const body = recordOf(parseJson(exchange.client));
  if (exchange.cut || !body) return "cut";
  if (!replayer.isRepeatable(body)) return "acts";
  const { frt = -1000 } = other;
  return {
    requestId: row.requestId ?? "",
    ...{
      createdAt: row.createdAt,
      userId: row.userId,
      tokenId: row.tokenId,
      group: row.group,
    },
    ...{
      format: exchange.format,
      isStream: row.isStream,
      body: exchange.client,
    },
    ...{ model: row.modelName, channelId: row.channelId, failed: row.failed },
    latencyMs: row.elapsedMs,
    firstTokenMs: row.isStream && frt >= 0 ? frt : null,
    cost: other.receipt ? roundToInteger(decimal(other.receipt.subtotal)) : row.quota,
    ...{
      promptTokens: row.promptTokens,
      cachedTokens: other.cache_tokens ?? 0,
    },
    completionTokens: row.completionTokens,
    text: other.output_content ?? "",
  };
}

/** Written by this program. */
const readOther = (text: string): Partial<LogOther> => recordOf(parseJson(text)) ?? {};

/** Deletes a set with its evaluations. Throws OperationError: it does not exist, or is being replayed. */
export async function deleteReplaySet(db: Db, id: number): Promise<string> {
  const running = db
    .select({ id: evaluations.id })
    .from(evaluations)
    .where(and(eq(evaluations.setId, id), eq(evaluations.status, "running")));
  const [row] = await db
    .delete(replaySets)
    .where(and(eq(replaySets.id, id), notExists(running)))
    .returning({ name: replaySets.name });
  if (!row) throw new OperationError("replay_set_missing");
  return row.name;
}
