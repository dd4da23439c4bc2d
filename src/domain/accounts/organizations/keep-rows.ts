import type { Changes, ChangeTopic } from "../../../../db/changes.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { keepTable, MapCopy } from "../../../lib/values/tables/keep-table.ts";

type Source<Row> = Readonly<{
  changes: Changes;
  log: Logger;
  topic: ChangeTopic;
  /** Reads all rows, or those of these ids that exist. */
  read: (ids?: readonly number[]) => Promise<readonly Row[]>;
}>;

/**
 * Keeps the rows of a small table in memory, indexed by `createIndex`, which gets them in the order of their ids after each
 * change. The result's `index` is always the current one. Rejects when the first reading fails.
 */
export async function keepRows<Row extends Readonly<{ id: number }>, Index>(
  { changes, log, topic, read }: Source<Row>,
  createIndex: (rows: readonly Row[]) => Index,
): Promise<Readonly<{ index: Index; close: () => void }>> {
  const stored = { index: createIndex([]), close: () => {} };
  const copy: MapCopy<Row> = new MapCopy<Row>({
    applied() {
      stored.index = createIndex([...copy.byId.values()].toSorted((a, b) => a.id - b.id));
    },
  });
  const { close } = await keepTable(
    {
      ...{ changes, log, topic },
      pageRows: Number.POSITIVE_INFINITY,
      read: (selection) => ("ids" in selection ? read(selection.ids) : read()),
    },
    copy,
  );
  stored.close = close;
  return stored;
}
