import type { Changes, ChangeTopic } from "../../../../db/changes.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { createSerial } from "../../../lib/runtime/serial.ts";
import { findRemoved } from "../../../lib/values/find-removed.ts";

/** A safety net: changes arrive by events. */
const REREAD_MS = 300_000;

type Source<Row> = Readonly<{
  changes: Changes;
  log: Logger;
  topic: ChangeTopic;
  /** Reads all rows, or those of these ids that exist. */
  read: (ids?: readonly number[]) => Promise<readonly Row[]>;
}>;

/**
 * Keeps the rows of a small table in memory, indexed by `createIndex`, which gets them in the order of their ids. They are
 * read again after events and every five minutes; a reading that misses far more than changes is doubted, see `findRemoved`.
 * Returns how to get the current index. Rejects when the first reading fails.
 */
export async function keepRows<Row extends Readonly<{ id: number }>, Index>(
  { changes, log, topic, read }: Source<Row>,
  createIndex: (rows: readonly Row[]) => Index,
): Promise<Readonly<{ index: () => Index; close: () => void }>> {
  const inOrder = createSerial();
  let byId: ReadonlyMap<number, Row> = new Map();
  let index = createIndex([]);
  /** Takes over rows that were read, without those that were removed. */
  const take = (found: readonly Row[], removed: Iterable<number>) => {
    const next = new Map(byId);
    for (const id of removed) next.delete(id);
    for (const row of found) next.set(row.id, row);
    byId = next;
    index = createIndex([...next.values()].toSorted((a, b) => a.id - b.id));
  };
  const readAll = () =>
    inOrder(async () => {
      let found: readonly Row[] = [];
      const readMissing = async () => {
        found = await read();
        const ids = new Set(found.map(({ id }) => id));
        return new Set([...byId.keys()].filter((id) => !ids.has(id)));
      };
      const removed = await findRemoved(readMissing, () => byId.size, topic, log);
      take(found, removed);
    });
  const refresh = (ids: readonly number[]) => inOrder(async () => take(await read(ids), ids));
  await readAll();
  const reread = () => readAll().catch((error: unknown) => log.warn({ error }, `${topic} could not be read again`));
  const timer = setInterval(reread, REREAD_MS);
  timer.unref();
  const unsubscribe = [
    changes.subscribe(topic, (ids) => refresh(ids.map(Number).filter(Number.isSafeInteger))),
    changes.onGap(reread),
  ];
  return {
    index: () => index,
    close() {
      clearInterval(timer);
      for (const end of unsubscribe) end();
    },
  };
}
