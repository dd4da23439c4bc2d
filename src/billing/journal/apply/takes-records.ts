import type { Sql } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { UsageRecord } from "../../types.ts";
import { applyBatch } from "./apply-batch.ts";
import { recordText } from "./record-text.ts";

/** Ends the transaction of a trial. */
class Undone extends Error {
  override name = "Undone";
}

/** Whether the database takes a record of nobody that costs nothing, in a transaction that is undone. Never rejects. */
export async function takesRecords(sql: Sql): Promise<boolean> {
  const record = recordText(recordOfNobody());
  try {
    await sql.begin(async (tx) => {
      await applyBatch(tx, "", [record], { areNew: true });
      throw new Undone();
    });
    return false;
  } catch (error) {
    return error instanceof Undone;
  }
}

function recordOfNobody(): UsageRecord {
  const requestId = Bun.randomUUIDv7();
  return {
    ...{ requestId, createdAt: nowSeconds(), userId: 0, username: "", tokenId: 0, tokenName: "", tokenLimited: false },
    ...{ modelName: "", channelId: 0, group: "", isStream: false, failed: true, elapsedMs: 0 },
    ...{ promptTokens: 0, completionTokens: 0, quota: 0, ip: "", content: "", other: { request_id: requestId } },
  };
}
