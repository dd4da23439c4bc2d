import { randomInt } from "node:crypto";
import { eq } from "drizzle-orm";
import { openDatabase } from "../../../db/connect.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import type { Sql } from "../../../db/types.ts";
import { applyBatch } from "../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../billing/journal/apply/record-text.ts";
import type { LogOther, UsageRecord } from "../../billing/types.ts";
import { LOG_TYPE } from "../../domain/logs/write-log.ts";
import { OF_PLANS } from "../../domain/wallet/statements/movements/read-movements.ts";
import { nowSeconds } from "../../lib/clock.ts";

const DAY_S = 86_400;
const DAYS = 45;
const BATCH = 1000;
/** Of the last day; the first had half as many. */
const CALLS_A_DAY = 1600;
const WEEKEND_SHARE = 0.4;
/** Hours in which calls come, most of them in the middle: the time of the day at which somebody looks. */
const BUSY_HOURS = 14;
/** A part of the calls comes at any time. */
const ANY_TIME_ONE_IN = 6;
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
    await openAccounts(database.sql, nowSeconds() - (DAYS + 1) * DAY_S);
  } finally {
    await database.close();
  }
}

/** Moves the beginning of the accounts, and what was given to them, before their first call: statements begin with nothing. */
async function openAccounts(sql: Sql, at: number): Promise<void> {
  await sql`update users set created_at = ${at}`;
  await sql`update logs set created_at = ${at} where type <> ${LOG_TYPE.consumption} and other not like ${OF_PLANS}`;
}

/** When calls came, in epoch seconds: more from week to week, fewer on weekends and few at night. */
function pastTimes(now: number): number[] {
  return Array.from({ length: DAYS }, (_, daysAgo) => {
    const middle = now - daysAgo * DAY_S;
    const isWeekend = [0, 6].includes(new Date(middle * 1000).getUTCDay());
    const calls = CALLS_A_DAY * (1 - daysAgo / DAYS / 2) * (isWeekend ? WEEKEND_SHARE : 1);
    return Array.from({ length: Math.round((calls * randomInt(80, 121)) / 100) }, () => middle + secondsFromMiddle());
  })
    .flat()
    .filter((time) => time < now - LAST_S)
    .sort((one, other) => one - other);
}

const secondsFromMiddle = (): number => {
  if (randomInt(ANY_TIME_ONE_IN) === 0) return randomInt(DAY_S) - DAY_S / 2;
  const half = (BUSY_HOURS * 3600) / 2;
  return randomInt(half) + randomInt(half) - half;
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
