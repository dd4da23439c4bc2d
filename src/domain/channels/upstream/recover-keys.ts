import { and, asc, eq, lte } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { channelKeys } from "../../../../db/schema/channels/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { ChannelDirectory } from "../directory.ts";
import { CHANNEL_STATUS, type ChannelEntry, storedKeyOf } from "../entry.ts";
import { enableChannelKey } from "../keys/key-status.ts";
import { modelOfRoutineTest, testChannel } from "./test-channel.ts";

type Deps = Readonly<{
  db: Db;
  changes: Changes;
  vault: Vault;
  fetch: SafeFetch;
  settings: SettingsReader;
  channels: Pick<ChannelDirectory, "get">;
  /** Called for each channel of which a key works again. */
  onKeyRecovered: (channel: ChannelEntry) => void;
}>;

/** Tried in one round; the others' turn comes with the next. */
const MOST_A_ROUND = 20;

/**
 * Tries keys that were switched off automatically a while ago (`ChannelKeyProbeMinutes`), and switches those on that work
 * again. Channels that are off themselves are left alone, unless they may come back by themselves. Returns how many work.
 */
export async function recoverKeys(deps: Deps): Promise<number> {
  const { db, vault, channels, settings } = deps;
  const periodS = settings.get("ChannelKeyProbeMinutes") * 60;
  if (periodS <= 0) return 0;
  const before = nowSeconds() - periodS;
  const isDue = and(
    eq(channelKeys.status, CHANNEL_STATUS.autoDisabled),
    lte(channelKeys.statusTime, before),
    lte(channelKeys.probedTime, before),
  );
  const due = await db.select().from(channelKeys).where(isDue).orderBy(asc(channelKeys.probedTime)).limit(MOST_A_ROUND);
  let recovered = 0;
  for (const { channelId, keyHash } of due) {
    // Whoever writes the time first is the one that tries, of all processes.
    const claimed = await db
      .update(channelKeys)
      .set({ probedTime: nowSeconds() })
      .where(and(eq(channelKeys.channelId, channelId), eq(channelKeys.keyHash, keyHash), isDue))
      .returning({ keyHash: channelKeys.keyHash });
    const channel = channels.get(channelId);
    const key = channel?.keys.find((candidate) => vault.keyedHash(storedKeyOf(channel, candidate)) === keyHash);
    if (claimed.length === 0 || !channel || key === undefined || !mayRecover(channel, settings)) continue;
    const { success } = await testChannel(deps, channel, modelOfRoutineTest(channel) ?? "", key);
    if (!success) continue;
    if (!(await enableChannelKey(deps, channelId, storedKeyOf(channel, key), CHANNEL_STATUS.autoDisabled))) continue;
    recovered += 1;
    deps.onKeyRecovered(channel);
  }
  return recovered;
}

function mayRecover(channel: ChannelEntry, settings: SettingsReader): boolean {
  const { status } = channel;
  if (modelOfRoutineTest(channel) === null) return false;
  if (status === CHANNEL_STATUS.enabled) return true;
  return status === CHANNEL_STATUS.autoDisabled && settings.get("AutomaticEnableChannelEnabled");
}
