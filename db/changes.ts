import { DEADLINES_MS, withDeadline } from "./server/deadlines.ts";
import { checkListener } from "./server/driver.ts";
import type { Database } from "./types.ts";

/** `ledger`: messages of processes about balances they set aside; the others name rows that changed. */
export type ChangeTopic = "users" | "tokens" | "budgets" | "policies" | "channels" | "options" | "ledger";
export type ChangedIds = readonly (number | string)[];
type Handler = (ids: ChangedIds) => void | Promise<void>;
type Failure = (error: unknown) => void;

/** Publishes which rows have changed to every subscriber of this process and every replica, so that caches stay current. */
export type Changes = {
  /** To be called after the commit. Resolves when this process's handlers have run; other replicas follow within moments. */
  publish(topic: ChangeTopic, ids: ChangedIds): Promise<void>;
  /** Handlers of a topic run one after the other. Returns what ends the subscription. */
  subscribe(topic: ChangeTopic, handler: Handler): () => void;
  /**
   * Called when the connection to the other replicas was lost and is back: whatever is kept in memory may have changed
   * unheard and should be read again. Returns what ends the subscription.
   */
  onGap(handler: () => void | Promise<void>): () => void;
  close(): Promise<void>;
};

/** How often the listening connection is asked for a sign of life. */
const CHECK_MS = 10_000;
/** The connection is closed soon after: a server that does not answer need not be waited for. */
const UNLISTEN_MS = 1000;
const NOTIFY_CHANNEL = "sluice_changes";
/** A notification's payload may have 7999 bytes, of which the rest of the notice takes some. */
const BYTES_OF_IDS = 7000;

type Notice = { from: string; topic: ChangeTopic; ids: ChangedIds };

/**
 * The change feed. On a server it also speaks to the other replicas by LISTEN/NOTIFY; the embedded engine has no other
 * process to notify. `onFailure` is called for handlers and notifications that failed.
 */
export async function createChanges(database: Database, onFailure: Failure): Promise<Changes> {
  const self = Bun.randomUUIDv7();
  const handlers = new Map<ChangeTopic, Set<Handler>>();
  const gapHandlers = new Set<() => void | Promise<void>>();
  const deliver = async (topic: ChangeTopic, ids: ChangedIds) => {
    for (const handler of handlers.get(topic) ?? []) {
      try {
        await handler(ids);
      } catch (error) {
        onFailure(error);
      }
    }
  };
  const handleGap = async () => {
    for (const handler of gapHandlers) await Promise.resolve(handler()).catch(onFailure);
  };
  const replicas = await connectReplicas(database, {
    self,
    receive: ({ topic, ids }) => void deliver(topic, ids),
    onGap: () => void handleGap(),
    onFailure,
  });
  return {
    async publish(topic, ids) {
      if (ids.length === 0) return;
      await deliver(topic, ids);
      await replicas.send(topic, ids);
    },
    subscribe(topic, handler) {
      const set = handlers.get(topic) ?? new Set();
      handlers.set(topic, set.add(handler));
      return () => set.delete(handler);
    },
    onGap(handler) {
      gapHandlers.add(handler);
      return () => gapHandlers.delete(handler);
    },
    close: replicas.close,
  };
}

type Replicas = Readonly<{
  self: string;
  receive: (notice: Notice) => void;
  onGap: () => void;
  onFailure: Failure;
}>;

async function connectReplicas(database: Database, { self, receive, onGap, onFailure }: Replicas) {
  if (database.kind === "embedded") return { send: async () => {}, close: async () => {} };
  const { sql, sessionSql } = database;
  let isFirst = true;
  const onMessage = (payload: string) => {
    const notice = JSON.parse(payload) as Notice;
    if (notice.from !== self) receive(notice);
  };
  // The driver listens again by itself after a lost connection, and says so.
  const listening = await sessionSql.listen(NOTIFY_CHANNEL, onMessage, () => {
    if (!isFirst) onGap();
    isFirst = false;
  });
  // A connection that went silent would deliver no change and report no loss. One that fails is opened again by the driver.
  const check = () => withDeadline(DEADLINES_MS.call, () => checkListener(sessionSql)).catch(() => {});
  const timer = setInterval(() => void check(), CHECK_MS);
  timer.unref();
  return {
    async send(topic: ChangeTopic, ids: ChangedIds) {
      try {
        for (const part of inParts(ids)) {
          await sql.notify(NOTIFY_CHANNEL, JSON.stringify({ from: self, topic, ids: part } satisfies Notice));
        }
      } catch (error) {
        onFailure(error);
      }
    },
    async close() {
      clearInterval(timer);
      await withDeadline(UNLISTEN_MS, () => listening.unlisten()).catch(onFailure);
    },
  };
}

function inParts(ids: ChangedIds): (number | string)[][] {
  const parts: (number | string)[][] = [];
  let left = 0;
  for (const id of ids) {
    const size = Buffer.byteLength(JSON.stringify(id)) + 1;
    if (size > left) {
      parts.push([]);
      left = BYTES_OF_IDS;
    }
    parts.at(-1)?.push(id);
    left -= size;
  }
  return parts;
}
