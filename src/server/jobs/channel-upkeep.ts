import { lte, sql } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { jobTurns } from "../../../db/schema/settings.ts";
import type { Db } from "../../../db/types.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { recoverKeys } from "../../domain/channels/keys/recover-keys.ts";
import type { OnDisabled } from "../../domain/channels/status/set-status.ts";
import { refreshAllModelLists } from "../../domain/channels/upstream/model-list.ts";
import type { ChannelTester } from "../../domain/channels/upstream/test-all.ts";
import { type BalanceReading, updateAllBalances } from "../../domain/channels/upstream/update-balance.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { every } from "./every.ts";

type JobDeps = Readonly<{
  db: Db;
  changes: Changes;
  vault: Vault;
  settings: SettingsReader;
  channels: ChannelDirectory;
  tester: Pick<ChannelTester, "testAll" | "progress">;
  fetch: SafeFetch;
  onLowBalance: (channel: ChannelEntry, reading: BalanceReading, limit: number) => void;
  onDisabled: OnDisabled;
  onKeyRecovered: (channel: ChannelEntry) => void;
  log: Logger;
}>;

const LOOK_EVERY_MS = 60_000;
const MINUTE_S = 60;
const HOUR_S = 3600;

/**
 * What is asked of upstreams now and then: tests, balances and lists of models, each as often as the settings say, by one
 * process for all; and whether keys that were switched off work again. Returns what ends it.
 */
export function startChannelJobs(deps: JobDeps): () => void {
  const { log } = deps;
  const jobs = [
    ["tests", () => testChannels(deps)],
    ["balances", () => pollBalances(deps)],
    ["model lists", () => pollModelLists(deps)],
    ["keys", () => recoverKeys(deps)],
  ] as const;
  const ends = jobs.map(([job, work]) =>
    every(LOOK_EVERY_MS, work, (error) => log.warn({ error, job }, "channels could not be looked after")),
  );
  return () => {
    for (const end of ends) end();
  };
}

async function testChannels({ db, settings, tester }: JobDeps): Promise<void> {
  if (!(await takeTurn(db, "channel tests", settings.get("ChannelTestFrequency") * MINUTE_S))) return;
  if (!tester.progress().running) tester.testAll();
}

/** Asks for the balances of all channels where that is due. */
export async function pollBalances(
  deps: Pick<JobDeps, "db" | "changes" | "settings" | "channels" | "fetch" | "onLowBalance" | "onDisabled">,
): Promise<void> {
  const periodS = deps.settings.get("ChannelUpdateFrequency") * MINUTE_S;
  if (await takeTurn(deps.db, "channel balances", periodS)) await updateAllBalances(deps, deps.channels.all());
}

/** Compares the models of all channels with what their upstreams offer, where that is due. */
export async function pollModelLists(deps: Pick<JobDeps, "db" | "settings" | "channels" | "fetch">): Promise<void> {
  const periodS = deps.settings.get("ChannelModelListFrequency") * HOUR_S;
  if (await takeTurn(deps.db, "model lists", periodS)) await refreshAllModelLists(deps, deps.channels.all());
}

/**
 * Whether it is this process's turn to do a job that is due every `periodS` seconds (0: never). The period begins when the
 * job is first asked for: a start is no reason to do everything at once.
 */
export async function takeTurn(db: Db, job: string, periodS: number, now = nowSeconds()): Promise<boolean> {
  if (periodS <= 0) return false;
  const rows = await db
    .insert(jobTurns)
    .values({ job, begunAt: now })
    .onConflictDoUpdate({ target: jobTurns.job, set: { begunAt: now }, setWhere: lte(jobTurns.begunAt, now - periodS) })
    .returning({ isFirst: sql<boolean>`xmax = 0` });
  return rows.length > 0 && !rows[0]?.isFirst;
}
