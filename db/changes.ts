import { CONFIRM_WITHIN_MS, type Confirmation, Confirmations, RESEND_MS } from "./server/confirmations.ts";
import { DEADLINES_MS, withDeadline } from "./server/deadlines.ts";
import { checkListener } from "./server/driver.ts";
import type { Database } from "./types.ts";

/** `ledger`: messages between processes about balances that they reserved; `mcp`: of clients of MCP about calls; the other topics carry ids of changed rows. */
export type ChangeTopic =
  | "users"
  | "tokens"
  | "budgets"
  | "subscriptions"
  | "policies"
  | "channels"
  | "mcp_servers"
  | "provider_keys"
  | "options"
  | "ledger"
  | "mcp";
export type ChangedIds = readonly (number | string)[];
type Handler = (ids: ChangedIds) => void | Promise<void>;
type Failure = (error: unknown) => void;

/** Publishes which rows have changed to every subscriber of this process and every replica, so that caches stay current. */
export type Changes = {
  /** Call after the commit. Resolves when this process's handlers have run; other replicas receive the ids shortly after. */
  publish(topic: ChangeTopic, ids: ChangedIds): Promise<void>;
  /**
   * The same for what was lowered or taken away: resolves when the handlers of every live process have run without a
   * failure, or its lease ran out.
   */
  enforce(topic: ChangeTopic, ids: ChangedIds): Promise<void>;
  /** This process, as registered in the database, confirms what others enforce. Returns the function that ends it. */
  confirmAs(processId: string): () => void;
  /** Handlers of a topic run one after the other. Returns the function that unsubscribes. */
  subscribe(topic: ChangeTopic, handler: Handler): () => void;
  /**
   * Called when the connection to the other replicas is back after a loss: changes may have been missed, so caches should
   * be read again. Returns the function that unsubscribes.
   */
  onGap(handler: () => void | Promise<void>): () => void;
  close(): Promise<void>;
};

/** How often the listening connection is pinged. */
const CHECK_MS = 10_000;
/** How long closing waits for UNLISTEN; the server may not answer. */
const UNLISTEN_MS = 1000;
const NOTIFY_CHANNEL = "sluice_changes";
/** NOTIFY accepts 7999 bytes of payload; the rest is for the topic and the sender. */
const BYTES_OF_IDS = 7000;

/** `round`: the sender waits for it to be confirmed. */
type Notice = { from: string; topic: ChangeTopic; ids: ChangedIds; round?: number };

/**
 * The change feed. On a Postgres server it also reaches the other replicas by LISTEN/NOTIFY; the embedded engine has no
 * other process to notify. `onFailure` is called for handlers and notifications that failed.
 */
export async function createChanges(database: Database, onFailure: Failure): Promise<Changes> {
  const self = Bun.randomUUIDv7();
  const handlers = new Map<ChangeTopic, Set<Handler>>();
  const gapHandlers = new Set<() => void | Promise<void>>();
  const processes = new Set<string>();
  /** Answers whether all handlers succeeded. */
  const deliver = async (topic: ChangeTopic, ids: ChangedIds): Promise<boolean> => {
    let isDone = true;
    for (const handler of handlers.get(topic) ?? []) {
      try {
        await handler(ids);
      } catch (error) {
        isDone = false;
        onFailure(error);
      }
    }
    return isDone;
  };
  const deliverUntilDone = async (topic: ChangeTopic, ids: ChangedIds) => {
    for (const deadline = performance.now() + CONFIRM_WITHIN_MS; !(await deliver(topic, ids)); ) {
      if (performance.now() > deadline) return;
      await Bun.sleep(RESEND_MS);
    }
  };
  const handleGap = async () => {
    for (const handler of gapHandlers) await Promise.resolve(handler()).catch(onFailure);
  };
  const replicas = await connectReplicas(database, {
    ...{ self, processes, receive: deliver },
    onGap: () => void handleGap(),
    onFailure,
  });
  return {
    async publish(topic, ids) {
      if (ids.length === 0) return;
      await deliver(topic, ids);
      await replicas.send(topic, ids);
    },
    async enforce(topic, ids) {
      if (ids.length === 0) return;
      await Promise.all([deliverUntilDone(topic, ids), replicas.enforce(topic, ids)]);
    },
    confirmAs(processId) {
      processes.add(processId);
      return () => processes.delete(processId);
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
  /** The processes that this one stands for. */
  processes: ReadonlySet<string>;
  /** Answers whether the change is known here now. */
  receive: (topic: ChangeTopic, ids: ChangedIds) => Promise<boolean>;
  onGap: () => void;
  onFailure: Failure;
}>;

async function connectReplicas(database: Database, { self, processes, receive, onGap, onFailure }: Replicas) {
  if (database.kind === "embedded") return { send: async () => {}, enforce: async () => {}, close: async () => {} };
  const { sql, sessionSql } = database;
  const confirmations = new Confirmations({ sql, own: processes, onFailure });
  const notify = (message: Notice | Confirmation) => sql.notify(NOTIFY_CHANNEL, JSON.stringify(message));
  const take = async ({ from, topic, ids, round }: Notice) => {
    const isDone = await receive(topic, ids);
    if (!isDone || round === undefined || processes.size === 0) return;
    await notify({ from: self, to: from, round, processes: [...processes] }).catch(onFailure);
  };
  let isFirst = true;
  const onMessage = (payload: string) => {
    const message = JSON.parse(payload) as Notice | Confirmation;
    if (message.from === self) return;
    if ("topic" in message) void take(message);
    else if (message.to === self) confirmations.receive(message);
  };
  // The driver reconnects and listens again by itself, and calls this.
  const listening = await sessionSql.listen(NOTIFY_CHANNEL, onMessage, () => {
    if (!isFirst) onGap();
    isFirst = false;
  });
  // A silent connection delivers no change and reports no loss. The ping makes it fail, and the driver then reconnects.
  const check = () => withDeadline(DEADLINES_MS.call, () => checkListener(sessionSql)).catch(() => {});
  const timer = setInterval(() => void check(), CHECK_MS);
  timer.unref();
  const send = async (topic: ChangeTopic, ids: ChangedIds, round?: number) => {
    try {
      for (const part of inParts(ids)) await notify({ from: self, topic, ids: part, ...(round && { round }) });
    } catch (error) {
      onFailure(error);
    }
  };
  return {
    send,
    async enforce(topic: ChangeTopic, ids: ChangedIds) {
      const sendPart = (part: ChangedIds) => confirmations.collect((round) => send(topic, part, round));
      await Promise.all(inParts(ids).map(sendPart));
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
