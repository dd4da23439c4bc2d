import type { Changes } from "../../../db/changes.ts";
import { ensurePartitions } from "../../../db/maintenance/partitions.ts";
import { createDatabaseTidier } from "../../../db/maintenance/upkeep.ts";
import type { Database } from "../../../db/types.ts";
import { renewBudgets } from "../../domain/api-keys/budget/renew-budgets.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { recoverKeys } from "../../domain/channels/keys/recover-keys.ts";
import type { OnDisabled } from "../../domain/channels/status/set-status.ts";
import { refreshAllModelLists } from "../../domain/channels/upstream/model-list.ts";
import type { ChannelTester } from "../../domain/channels/upstream/test-all.ts";
import { type BalanceReading, updateAllBalances } from "../../domain/channels/upstream/update-balance.ts";
import type { Broadcasts } from "../../domain/notifications/broadcast.ts";
import { keyEnabled } from "../../domain/notifications/channel-notices.ts";
import type { Notifier } from "../../domain/notifications/notifier.ts";
import { pollTasks } from "../../domain/tasks/polling/poll-tasks.ts";
import type { TaskDeps } from "../../domain/tasks/task.ts";
import { expireOrders } from "../../domain/wallet/orders/expire-orders.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { Settings } from "../../settings/settings.ts";
import { createCatalogUpdate } from "./catalog-update.ts";
import { createUsageFold } from "./fold-usage.ts";
import { warnLowBalances } from "./low-balance.ts";
import { createPriceChangeWatch } from "./price-changes.ts";
import type { Job } from "./start-jobs.ts";
import { forgetUnloggedCalls } from "./unlogged-calls.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const MINUTE_S = 60;
const HOUR_S = 3600;

/** What jobs work with. */
export type JobServices = Readonly<{
  database: Database;
  changes: Changes;
  vault: Vault;
  settings: Settings;
  channels: ChannelDirectory;
  tester: ChannelTester;
  notifier: Notifier;
  broadcasts: Broadcasts;
  tasks: TaskDeps;
  fetch: SafeFetch;
  onLowBalance: (channel: ChannelEntry, reading: BalanceReading, limit: number) => void;
  onDisabled: OnDisabled;
  log: Logger;
}>;

/**
 * Every job of a process: its name (in the log, and for a leader's jobs in the database), how often it is started, whether
 * every process or one for all runs it, and what it does. Jobs of every process share their work by claiming rows.
 */
export function listJobs(services: JobServices): readonly Job[] {
  const { database, db, settings, channels, tester, notifier } = { ...services, db: services.database.db };
  const upstreams = { ...services, db };
  const perMinutes = (key: "ChannelTestFrequency" | "ChannelUpdateFrequency") => () => settings.get(key) * MINUTE_S;
  const every = (name: string, intervalMs: number, run: Job["run"]): Job => ({
    name,
    intervalMs,
    runsOn: "every process",
    run,
  });
  const leader = (name: string, intervalMs: number, periodSeconds: () => number, run: Job["run"]): Job => ({
    name,
    intervalMs,
    runsOn: "leader",
    periodSeconds,
    run,
  });
  return [
    every("log partitions", 6 * HOUR_MS, () => ensurePartitions(database)),
    // A Postgres server does this by itself.
    ...(database.kind === "embedded" ? [every("database", MINUTE_MS, createDatabaseTidier(database.sql))] : []),
    leader("channel tests", MINUTE_MS, perMinutes("ChannelTestFrequency"), async () => {
      if (!tester.progress().running) tester.testAll();
    }),
    leader("channel balances", MINUTE_MS, perMinutes("ChannelUpdateFrequency"), () =>
      updateAllBalances(upstreams, channels.all()),
    ),
    leader(
      "model lists",
      MINUTE_MS,
      () => settings.get("ChannelModelListFrequency") * HOUR_S,
      () => refreshAllModelLists(upstreams, channels.all()),
    ),
    every("disabled keys", MINUTE_MS, () =>
      recoverKeys({ ...upstreams, onKeyRecovered: (channel) => notifier.tellRoot(keyEnabled(channel)) }),
    ),
    every("model catalog", 10 * MINUTE_MS, createCatalogUpdate(services, nowSeconds)),
    every("low balances", 30 * SECOND_MS, () => warnLowBalances(upstreams)),
    every("price changes", MINUTE_MS, createPriceChangeWatch(upstreams)),
    every("tasks", 15 * SECOND_MS, () => pollTasks({ ...services.tasks, channels, fetch: services.fetch })),
    every("notifications", 30 * SECOND_MS, () => notifier.retryLater(nowSeconds())),
    every("unpaid orders", 10 * MINUTE_MS, () => expireOrders(db, nowSeconds())),
    every("API key budgets", 30 * SECOND_MS, () => renewBudgets(upstreams)),
    { ...every("usage totals", MINUTE_MS, createUsageFold(services)), runsAtStart: true },
    every("unlogged calls", 10 * MINUTE_MS, () => forgetUnloggedCalls(database, nowSeconds())),
  ];
}
