import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "../../../../db/types.ts";
import { tryReadRecord } from "../apply/record-text.ts";
import { findUnwritten, isInUse, linesOf, listProcesses } from "../inspect-journal.ts";
import { SET_ASIDE_REASON } from "../pump.ts";
import { RejectedRecords } from "../rejected/rejected.ts";
import { claimDirectory } from "../segments/adopt-orphans.ts";
import { readLines, segmentPaths } from "../segments/segment.ts";
import { SetAsideOrders } from "./set-aside-orders.ts";

/** A record in a journal's file that is not in the database. */
export type PendingRecord = Readonly<{
  process: string;
  /** The process runs: it writes its records itself. */
  inUse: boolean;
  requestId: string;
  /** Epoch seconds. */
  createdAt: number;
  userId: number;
  username: string;
  modelName: string;
  quota: number;
}>;

/** So many are listed. */
export const MOST_LISTED = 1000;

/**
 * The first records below a journal's root that are not in the database, in the order of each process. Without `sql` all that are
 * in the files. Changes nothing. Rejects when the database does not answer.
 */
export async function listPending(sql: Sql | null, root: string): Promise<PendingRecord[]> {
  const pending: PendingRecord[] = [];
  for (const process of await listProcesses(root)) {
    const directory = join(root, process);
    const inUse = isInUse(directory);
    for (const path of await segmentPaths(directory).catch(() => [])) {
      for await (const { texts } of linesOf(path, inUse)) {
        for (const text of sql ? await findUnwritten(sql, texts) : texts) {
          const record = tryReadRecord(text);
          if (!record) continue;
          const { requestId, createdAt, userId, username, modelName, quota } = record;
          pending.push({ process, inUse, requestId, createdAt, userId, username, modelName, quota });
          if (pending.length === MOST_LISTED) return pending;
        }
      }
    }
  }
  return pending;
}

/** How long a running process gets to put a record aside: longer than it waits between two tries. */
const ORDER_WAIT_MS = 15_000;
const ORDER_POLL_MS = 100;

/**
 * Puts a pending record aside, among the rejected ones. A running process is asked to, which does so when it fails to write its
 * records; answers false when it did not (it has written the record, most likely), or when there is no such record.
 */
export async function setPendingAside(root: string, requestId: string, waitMs = ORDER_WAIT_MS): Promise<boolean> {
  let isOrdered = false;
  for (const process of await listProcesses(root)) {
    const directory = join(root, process);
    const claim = claimDirectory(directory);
    try {
      for (const path of await segmentPaths(directory).catch(() => [])) {
        if (!(await hasRecord(path, requestId))) continue;
        if (claim) return await takeOut(root, process, path, requestId);
        isOrdered = true;
      }
    } finally {
      claim?.release();
    }
  }
  return isOrdered && (await orderOf(new SetAsideOrders(root), requestId, waitMs));
}

async function orderOf(orders: SetAsideOrders, requestId: string, waitMs: number): Promise<boolean> {
  await orders.add(requestId);
  for (let leftMs = waitMs; leftMs > 0; leftMs -= ORDER_POLL_MS) {
    await Bun.sleep(ORDER_POLL_MS);
    if (!orders.isOpen(requestId)) return true;
  }
  await orders.remove(requestId);
  return false;
}

async function hasRecord(path: string, requestId: string): Promise<boolean> {
  for await (const { texts } of linesOf(path, true)) if (texts.some((text) => isOf(text, requestId))) return true;
  return false;
}

const isOf = (text: string | null, requestId: string): boolean =>
  text !== null && tryReadRecord(text)?.requestId === requestId;

/** Only for files that nobody writes: the record is kept elsewhere first, so that it is never in neither place. */
async function takeOut(root: string, process: string, path: string, requestId: string): Promise<boolean> {
  const bytes = await readFile(path);
  const rest: Buffer[] = [];
  let start = 0;
  for (const line of readLines(path, 0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)) {
    if (isOf(line.text, requestId)) {
      await new RejectedRecords(root).add(process, line, { reason: SET_ASIDE_REASON, isCharged: false });
    } else rest.push(bytes.subarray(start, line.end));
    start = line.end;
  }
  const draft = `${path}.new`;
  await writeFile(draft, Buffer.concat([...rest, bytes.subarray(start)]), { mode: 0o600, flush: true });
  await rename(draft, path);
  return true;
}
