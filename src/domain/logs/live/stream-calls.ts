import { and, asc, eq, gt, gte, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import type { Database, Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";
import { readChannelNames } from "../log-view.ts";
import { LOG_TYPE } from "../write-log.ts";
import type { CallFeed, LiveCall } from "./call-feed.ts";

/** Calls of a quarter of a second, and how many more there were than are shown. */
export type LiveCalls = Readonly<{ calls: readonly LiveCall[]; skipped: number }>;

const TICK_MS = 250;
/** Nobody reads more. */
const MOST_A_TICK = 100;
/** Events that may wait for a slow reader. */
const MOST_UNREAD = 20;
/** Ticks after which the log is asked what other replicas did. */
const TICKS_A_LOOK = 6;
/** Ticks after which a silent stream says that it lives, well within the time after which proxies close it. */
const TICKS_A_PING = 60;
/** Calls of this process that are remembered, so that their rows are not sent again. */
const MOST_KNOWN = 20_000;

/**
 * Calls as they begin and end in this process, and as they end in others: server-sent events of `LiveCalls`.
 */
export function streamCalls({
  database,
  feed,
  log,
}: Readonly<{ database: Database; feed: CallFeed; log: Logger }>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let waiting: LiveCall[] = [];
  let skipped = 0;
  let stop = () => {};
  const take = (call: LiveCall) => {
    if (waiting.length < MOST_A_TICK) waiting.push(call);
    else skipped += 1;
  };
  return new ReadableStream({
    start(controller) {
      const known = recentEntries<string, true>(MOST_KNOWN);
      const look =
        database.kind === "server" ? followLog(database, (call) => !known.has(call.request_id) && take(call)) : null;
      let ticks = 0;
      const tick = () => {
        ticks += 1;
        if (look && ticks % TICKS_A_LOOK === 0)
          look().catch((error) => log.warn({ error }, "the log could not be followed"));
        if (waiting.length > 0 && (controller.desiredSize ?? 0) < -MOST_UNREAD) {
          skipped += waiting.length;
          waiting = [];
        } else if (waiting.length > 0) {
          const reported: LiveCalls = { calls: waiting, skipped };
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(reported)}\n\n`));
          waiting = [];
          skipped = 0;
        } else if (ticks % TICKS_A_PING === 0) controller.enqueue(encoder.encode(":\n\n"));
      };
      const timer = setInterval(tick, TICK_MS);
      const end = feed.watch(
        (call) => {
          if (look) known.set(call.request_id, true);
          take(call);
        },
        () => {
          stop();
          controller.close();
        },
      );
      stop = () => {
        clearInterval(timer);
        end();
      };
      // The headers go out with the first byte.
      controller.enqueue(encoder.encode(":\n\n"));
    },
    cancel: () => stop(),
  });
}

/** Returns a function that publishes the calls logged since its last run; it does not run twice at the same time. */
function followLog({ db: main }: Database, publish: (call: LiveCall) => void): () => Promise<void> {
  const db = logOf(main);
  let lastId: number | null = null;
  let isBusy = false;
  return async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      if (lastId === null) {
        lastId = await newestLogId(db);
        return;
      }
      const found = await readNewCalls(db, lastId);
      lastId = found.lastId;
      found.calls.forEach(publish);
    } finally {
      isBusy = false;
    }
  };
}

/** Calls that began longer ago are not news, however late their rows come. */
const SPAN_S = 600;
const MOST_ROWS = 200;

/** Where a tail begins: behind all rows there are. */
async function newestLogId(db: Db): Promise<number> {
  const row = requireRow(
    await db
      .select({ id: sql<number>`coalesce(max(${logs.id}), 0)::bigint` })
      .from(logs)
      .where(gte(logs.createdAt, nowSeconds() - SPAN_S)),
  );
  return Number(row.id);
}

/** The calls whose rows came after the row `afterId`, whichever replica made them, oldest row first; at most 200. */
async function readNewCalls(db: Db, afterId: number): Promise<{ calls: LiveCall[]; lastId: number }> {
  const rows = await db
    .select()
    .from(logs)
    .where(and(gte(logs.createdAt, nowSeconds() - SPAN_S), gt(logs.id, afterId), eq(logs.type, LOG_TYPE.consumption)))
    .orderBy(asc(logs.id))
    .limit(MOST_ROWS);
  const names = await readChannelNames(db, rows);
  const calls = rows.map((row) => ({
    request_id: row.requestId ?? "",
    is_over: true,
    created_at: row.createdAt,
    user_id: row.userId,
    username: row.username,
    token_name: row.tokenName,
    model_name: row.modelName,
    channel: row.channelId,
    channel_name: names.get(row.channelId) ?? "",
    group: row.group,
    is_stream: row.isStream,
    failed: row.failed,
    status: row.failed ? 0 : 200,
    error: "",
    error_reason: null,
    elapsed_ms: row.elapsedMs,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    quota: row.quota,
    ip: row.ip,
  }));
  return { calls, lastId: rows.at(-1)?.id ?? afterId };
}
