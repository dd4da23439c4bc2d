import type { Database } from "./types.ts";

export type ChangeTopic = "users" | "tokens" | "channels" | "options";
export type ChangedIds = readonly (number | string)[];
type Handler = (ids: ChangedIds) => void | Promise<void>;
type Failure = (error: unknown) => void;

/** Tells every room, and every replica, which rows have changed, so that what is kept in memory stays true. */
export type Changes = {
  /** To be called after the commit. Resolves when this process's handlers have run; other replicas follow within moments. */
  publish(topic: ChangeTopic, ids: ChangedIds): Promise<void>;
  /** Handlers of a topic run one after the other. Returns what ends the subscription. */
  subscribe(topic: ChangeTopic, handler: Handler): () => void;
  close(): Promise<void>;
};

const NOTIFY_CHANNEL = "sluice_changes";
/** A notification's payload may have 7999 bytes. */
const IDS_A_NOTIFICATION = 400;

type Notice = { from: string; topic: ChangeTopic; ids: ChangedIds };

/**
 * The change feed. On a server it also speaks to the other replicas by LISTEN/NOTIFY; the embedded engine has no other
 * process to tell. `onFailure` hears of handlers and notifications that failed.
 */
export async function createChanges(database: Database, onFailure: Failure): Promise<Changes> {
  const self = Bun.randomUUIDv7();
  const handlers = new Map<ChangeTopic, Set<Handler>>();
  const deliver = async (topic: ChangeTopic, ids: ChangedIds) => {
    for (const handler of handlers.get(topic) ?? []) {
      try {
        await handler(ids);
      } catch (error) {
        onFailure(error);
      }
    }
  };
  const tell = await connectReplicas(database, self, ({ topic, ids }) => void deliver(topic, ids), onFailure);
  return {
    async publish(topic, ids) {
      if (ids.length === 0) return;
      await deliver(topic, ids);
      await tell.send(topic, ids);
    },
    subscribe(topic, handler) {
      const set = handlers.get(topic) ?? new Set();
      handlers.set(topic, set.add(handler));
      return () => set.delete(handler);
    },
    close: tell.close,
  };
}

async function connectReplicas(database: Database, self: string, receive: (notice: Notice) => void, failed: Failure) {
  if (database.kind === "embedded") return { send: async () => {}, close: async () => {} };
  const { sql } = database;
  const listening = await sql.listen(NOTIFY_CHANNEL, (payload) => {
    const notice = JSON.parse(payload) as Notice;
    if (notice.from !== self) receive(notice);
  });
  return {
    async send(topic: ChangeTopic, ids: ChangedIds) {
      try {
        for (let start = 0; start < ids.length; start += IDS_A_NOTIFICATION) {
          const notice: Notice = { from: self, topic, ids: ids.slice(start, start + IDS_A_NOTIFICATION) };
          await sql.notify(NOTIFY_CHANNEL, JSON.stringify(notice));
        }
      } catch (error) {
        failed(error);
      }
    },
    close: () => listening.unlisten(),
  };
}
