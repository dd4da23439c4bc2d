import { randomInt } from "node:crypto";
import { eq } from "drizzle-orm";
import { openDatabase } from "../../../db/connect.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { applyBatch } from "../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../billing/journal/apply/record-text.ts";
import type { LogOther, UsageRecord } from "../../billing/types.ts";
import { LOG_TYPE } from "../../domain/logs/write-log.ts";
import { nowSeconds } from "../../lib/clock.ts";

const DAY_S = 86_400;
const DAYS = 45;
const BATCH = 1000;
/** Of the last day; the first had half as many. */
const CALLS_A_DAY = 240;
const WEEKEND_SHARE = 0.4;
/** Hours of the day (UTC) between which calls come, most of them in the middle. */
const [FIRST_HOUR, LAST_HOUR] = [6, 20];
/** The gateway's own calls follow. */
const LAST_S = 3600;

/**
 * Repeats the calls of a gateway that does not run on the days before, so that its charts have a course: charged like calls
 * that arrived then, so that the books add up. `dataDir`: the folder of its embedded database.
 */
export async function fillHistory(dataDir: string): Promise<void> {
  const database = await openDatabase({ databaseUrl: null, dataDir });
  try {
    const calls = await database.db.select().from(logs).where(eq(logs.type, LOG_TYPE.consumption));
    const records = pastTimes(nowSeconds()).flatMap((createdAt) => {
      const call = calls[randomInt(Math.max(1, calls.length))];
      return call ? [recordText(repeatAt(call, createdAt))] : [];
    });
    for (let done = 0; done < records.length; done += BATCH) {
      await applyBatch(database.sql, "demo", records.slice(done, done + BATCH));
    }
  } finally {
    await database.close();
  }
}

/** When calls came, in epoch seconds: more from week to week, fewer on weekends and none at night. */
function pastTimes(now: number): number[] {
  const today = now - (now % DAY_S);
  return Array.from({ length: DAYS }, (_, daysAgo) => {
    const day = today - daysAgo * DAY_S;
    const isWeekend = [0, 6].includes(new Date(day * 1000).getUTCDay());
    const calls = CALLS_A_DAY * (1 - daysAgo / DAYS / 2) * (isWeekend ? WEEKEND_SHARE : 1);
    return Array.from({ length: Math.round((calls * randomInt(80, 121)) / 100) }, () => day + secondOfDay());
  })
    .flat()
    .filter((time) => time < now - LAST_S)
    .sort((one, other) => one - other);
}

const secondOfDay = (): number => {
  const half = ((LAST_HOUR - FIRST_HOUR) * 3600) / 2;
  return FIRST_HOUR * 3600 + randomInt(half) + randomInt(half);
};

function repeatAt(call: typeof logs.$inferSelect, createdAt: number): UsageRecord {
  const { userId, username, tokenId, tokenName, modelName, channelId, group, isStream, failed } = call;
  const requestId = Bun.randomUUIDv7("hex", createdAt * 1000);
  const other: LogOther = { ...(JSON.parse(call.other) as LogOther), request_id: requestId };
  // A run of an agent is over, and what was said is long.
  for (const name of ["agent_session", "context", "input_content", "output_content", "system_prompt"] as const)
    delete other[name];
  delete other.admin_info?.exchange;
  return {
    ...{ requestId, createdAt, userId, username, tokenId, tokenName, tokenLimited: false, modelName, channelId, group },
    ...{ isStream, failed, elapsedMs: call.elapsedMs, quota: call.quota, ip: call.ip, content: call.content, other },
    ...{ promptTokens: call.promptTokens, completionTokens: call.completionTokens },
  };
}
