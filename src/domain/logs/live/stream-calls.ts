import { LRUCache } from "lru-cache";
import type { Database } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { CallFeed, LiveCall } from "./call-feed.ts";
import { newestLogId, readNewCalls } from "./tail-calls.ts";

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
      const known = new LRUCache<string, true>({ max: MOST_KNOWN });
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
function followLog({ db }: Database, publish: (call: LiveCall) => void): () => Promise<void> {
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
