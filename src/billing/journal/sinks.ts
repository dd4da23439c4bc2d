import type { Sql } from "../../../db/types.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { UsageRecord } from "../types.ts";
import { applyOrphanBatch, TOO_OLD } from "./apply/apply-batch.ts";
import { tryReadRecord } from "./apply/record-text.ts";
import { takesRecords } from "./apply/takes-records.ts";
import { SetAsideOrders } from "./pending/set-aside-orders.ts";
import { type RecordSink, type Rejection, SET_ASIDE_REASON } from "./pump.ts";
import type { RejectedRecords } from "./rejected/rejected.ts";
import type { SegmentLine } from "./segments/segment.ts";

type Parts = Readonly<{
  sql: Sql;
  /** The journal's root directory. */
  root: string;
  processId: string;
  rejected: RejectedRecords;
  /** Brings records of this process into the database, and the balances after them into memory. */
  applyOwn(records: readonly string[], areNew: boolean): Promise<void>;
  /** In turn with the other statements of this process. */
  inTurn<Result>(statement: () => Promise<Result>): Promise<Result>;
  /** A record of this process has left the journal without being charged. */
  forgetCharge(record: UsageRecord): void;
  windowsOpened(subscriptionIds: readonly number[]): void;
  log: Logger;
}>;

/** Where the records of this process's journal go, and those of processes that ended. */
export function createSinks(parts: Parts) {
  const { sql, root, processId, rejected, applyOwn, inTurn, forgetCharge, windowsOpened, log } = parts;
  const orders = new SetAsideOrders(root);
  const takesOthers = () => takesRecords(sql);
  const findSetAside = () => orders.find();

  const reject = async (process: string, line: SegmentLine, rejection: Rejection) => {
    const { reason, isCharged } = rejection;
    const what = isCharged ? "a call is charged without its row in the log" : "a charge could not be made";
    log.error({ reason, process }, `${what}: it is kept in journal/rejected.jsonl`);
    await rejected.add(process, line, rejection);
    const record = reason === SET_ASIDE_REASON && line.text !== null ? tryReadRecord(line.text) : null;
    if (record) await orders.remove(record.requestId);
  };

  const own: RecordSink = {
    apply: applyOwn,
    applyWithoutRow: (record) => applyOwn([record], false),
    takesOthers: () => inTurn(takesOthers),
    findSetAside,
    async reject(line, rejection) {
      await reject(processId, line, rejection);
      const record = line.text === null || rejection.isCharged ? null : tryReadRecord(line.text);
      if (record) forgetCharge(record);
    },
  };

  const ofProcess = (dead: string): RecordSink => ({
    async apply(records) {
      const { tooOld, openedWindows } = await applyOrphanBatch(sql, dead, records);
      windowsOpened(openedWindows);
      for (const text of tooOld) await reject(dead, { text, end: 0 }, { reason: TOO_OLD, isCharged: false });
    },
    async applyWithoutRow(record) {
      // Whether it is too old was decided with its row.
      const { openedWindows } = await applyOrphanBatch(sql, dead, [record], { force: true });
      windowsOpened(openedWindows);
    },
    takesOthers,
    findSetAside,
    reject: (line, rejection) => reject(dead, line, rejection),
  });
  return { own, ofProcess, takesOthers };
}
