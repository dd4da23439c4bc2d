import { and, desc, eq, gt, isNotNull, isNull } from "drizzle-orm";
import { tokens } from "../../../db/schema/api-keys.ts";
import { channels as channelRows } from "../../../db/schema/channels/channels.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { logOf } from "../../../db/server/log-database.ts";
import type { Db } from "../../../db/types.ts";
import { servedModels } from "../channels/routing/abilities.ts";
import { LOG_TYPE } from "../logs/write-log.ts";
import { type PricedChannels, unpricedModels } from "./unpriced-models.ts";

/** How far a new gateway is on the way to its first call, read from what is stored. */
export type FirstSteps = Readonly<{
  /** The newest channel; null: there is none. */
  channel: Readonly<{ id: number; name: string }> | null;
  /** A test or a call through some channel succeeded. */
  is_tested: boolean;
  /** Number of models that enabled channels serve. */
  models: number;
  /** Served models whose calls are rejected because they have no price. */
  unpriced: readonly string[];
  /** The user has an API key. */
  has_key: boolean;
  /** The user's newest successful call; null: there is none. */
  request_id: string | null;
}>;

/** Reads the first steps of a user who runs the gateway. */
export async function readFirstSteps(deps: PricedChannels & Readonly<{ db: Db }>, userId: number): Promise<FirstSteps> {
  const { db, channels } = deps;
  const newest = db
    .select({ id: channelRows.id, name: channelRows.name })
    .from(channelRows)
    .orderBy(desc(channelRows.id))
    .limit(1);
  const tested = db.select({ id: channelRows.id }).from(channelRows).where(gt(channelRows.responseTime, 0)).limit(1);
  const key = db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.userId, userId), isNull(tokens.deletedAt)))
    .limit(1);
  const call = logOf(db)
    .select({ id: logs.requestId })
    .from(logs)
    .where(
      and(
        eq(logs.userId, userId),
        eq(logs.type, LOG_TYPE.consumption),
        eq(logs.failed, false),
        isNotNull(logs.requestId),
      ),
    )
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(1);
  const [[channel], testedRows, keyRows, [lastCall]] = await Promise.all([newest, tested, key, call]);
  const served = servedModels(channels);
  return {
    channel: channel ?? null,
    is_tested: testedRows.length > 0 || lastCall !== undefined,
    models: served.length,
    unpriced: unpricedModels(deps),
    has_key: keyRows.length > 0,
    request_id: lastCall?.id ?? null,
  };
}
