import { sql } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { CARRY_BUDGETS } from "../../../db/maintenance/carried-balances.ts";
import { ensurePartitions } from "../../../db/maintenance/partitions.ts";
import { createDatabaseTidier } from "../../../db/maintenance/upkeep.ts";
import { requireRow } from "../../../db/require-row.ts";
import { logDatabaseOf } from "../../../db/server/log-database.ts";
import type { Database } from "../../../db/types.ts";
import type { Billing } from "../../billing/billing.ts";
import { UNLOGGED_MEMORY_S } from "../../billing/journal/apply/apply-batch.ts";
import { renewOrganizationBudgets } from "../../domain/accounts/organizations/budgets/renew-organization-budgets.ts";
import { ensureSearchIndex } from "../../domain/accounts/users/list-users.ts";
import type { Alerter } from "../../domain/alerts/alerter.ts";
import { evaluateRules } from "../../domain/alerts/evaluate.ts";
import type { KeyNetworks } from "../../domain/alerts/leaks/key-networks.ts";
import { forgetEndedGrants } from "../../domain/api-keys/authorization/grants.ts";
import { renewBudgets } from "../../domain/api-keys/budget.ts";
import { checkDueChannels } from "../../domain/channels/authenticity/check-channel.ts";
import type { CountTokens } from "../../domain/channels/authenticity/collect-evidence.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { OnDisabled } from "../../domain/channels/status/set-status.ts";
import { refreshAllModelLists } from "../../domain/channels/upstream/model-list.ts";
import { recoverKeys } from "../../domain/channels/upstream/recover-keys.ts";
import type { ChannelTester } from "../../domain/channels/upstream/test-all.ts";
import { type BalanceReading, updateAllBalances } from "../../domain/channels/upstream/update-balance.ts";
import { applyRetention } from "../../domain/logs/archive/apply-retention.ts";
import type { PlaceDeps } from "../../domain/logs/archive/place.ts";
import { foldSessions } from "../../domain/logs/sessions/fold-sessions.ts";
import { exportCalls } from "../../domain/logs/sinks/export-calls.ts";
import type { SinkDeps } from "../../domain/logs/sinks/sink-type.ts";
import { foldUsage } from "../../domain/logs/usage/totals/fold-usage.ts";
import { deleteOldDaySums } from "../../domain/logs/usage/totals/read-day-sums.ts";
import { deleteOldResults } from "../../domain/models/experiments/store.ts";
import type { McpFetches } from "../../domain/models/mcp/credentials.ts";
import { revokeDeleted } from "../../domain/models/mcp/sign-ins/revoke-deleted.ts";
import { refreshAllTools } from "../../domain/models/mcp/tools/pin-tools.ts";
import type { Replays } from "../../domain/models/replays/run-evaluations.ts";
import type { Broadcasts } from "../../domain/notifications/broadcasts/broadcast.ts";
import { keyEnabled } from "../../domain/notifications/notices.ts";
import type { Notifier } from "../../domain/notifications/notifier.ts";
import { pollTasks } from "../../domain/tasks/polling/poll-tasks.ts";
import type { TaskDeps } from "../../domain/tasks/task.ts";
import { chargeDueTopUps } from "../../domain/wallet/orders/automatic/charge-due.ts";
import { pollCharges } from "../../domain/wallet/orders/automatic/poll-charges.ts";
import { pollSavedCards } from "../../domain/wallet/orders/automatic/saved-card.ts";
import { expireOrders, pollCheckouts } from "../../domain/wallet/orders/poll-checkouts.ts";
import { continueRefunds } from "../../domain/wallet/orders/refund-order.ts";
import { pollPayments } from "../../domain/wallet/orders/reports/poll-payments.ts";
import { advanceSubscriptions } from "../../domain/wallet/plans/advance-subscriptions.ts";
import { pollCards } from "../../domain/wallet/plans/card/poll-cards.ts";
import { remindOfService, remindSubscribers } from "../../domain/wallet/plans/renewal/remind.ts";
import { issueStatements } from "../../domain/wallet/statements/issue-statements.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { Settings } from "../../settings/settings.ts";
import { createCatalogUpdate } from "./catalog-update.ts";
import { warnLowBalances } from "./low-balance.ts";
import { createPriceChangeWatch } from "./price-changes.ts";
import type { Job, LeaderJob } from "./start-jobs.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const MINUTE_S = 60;
const HOUR_S = 3600;

/** What jobs work with. */
type JobServices = Readonly<{
  config: Readonly<{ stripeAddress: string; isOffline: boolean }> & PlaceDeps["config"];
  secretReader: PlaceDeps["secretReader"];
  database: Database;
  changes: Changes;
  vault: Vault;
  settings: Settings;
  billing: Pick<Billing, "transfer">;
  channels: ChannelDirectory;
  keyNetworks: KeyNetworks;
  tester: ChannelTester;
  notifier: Notifier;
  alerter: Alerter;
  broadcasts: Broadcasts;
  tasks: TaskDeps;
  fetch: SafeFetch;
  countTokens: CountTokens;
  sinkDeps: SinkDeps;
  mcpFetches: McpFetches;
  replays: Pick<Replays, "run">;
  onLowBalance: (channel: ChannelEntry, reading: BalanceReading, limit: number) => void;
  onDisabled: OnDisabled;
  log: Logger;
}>;

/**
 * Every job of a process: its name, how often it is started, whether every process or one for all runs it, and what it
 * does. One for all is the rule; jobs of every process share work that grows with the load by claiming rows, or keep
 * something in memory.
 */
export function listJobs(services: JobServices): readonly Job[] {
  const { database, db, settings, channels, tester, notifier, alerter } = { ...services, db: services.database.db };
  const upstreams = { ...services, db };
  const logs = logDatabaseOf(database);
  const stripe = { ...upstreams, stripeAddress: services.config.stripeAddress };
  const perMinutes = (key: "ChannelTestFrequency" | "ChannelUpdateFrequency") => () => settings.get(key) * MINUTE_S;
  const every = (name: string, intervalMs: number, run: Job["run"]): Job => ({
    name,
    intervalMs,
    runsOn: "every process",
    run,
  });
  const once = (name: string, intervalMs: number, run: Job["run"]): LeaderJob => ({
    name,
    intervalMs: Math.min(intervalMs, MINUTE_MS),
    runsOn: "leader",
    // Timers of one process come a little earlier than the claim before was written.
    periodSeconds: () => intervalMs / SECOND_MS - 1,
    isRunnable: true,
    run,
  });
  const onceBySetting = (name: string, periodSeconds: () => number, run: Job["run"]): LeaderJob => ({
    ...once(name, MINUTE_MS, run),
    periodSeconds,
    waitsAtFirst: true,
  });
  return [
    once("log retention", HOUR_MS, (signal) => applyRetention(services, signal)),
    once("user search", 6 * HOUR_MS, () => ensureSearchIndex(database)),
    once("log partitions", 6 * HOUR_MS, async () => {
      await ensurePartitions(database);
      if (logs !== database) await ensurePartitions(logs);
    }),
    // A Postgres server does this by itself.
    ...(database.kind === "embedded" ? [every("database", MINUTE_MS, createDatabaseTidier(database.sql))] : []),
    onceBySetting("channel tests", perMinutes("ChannelTestFrequency"), (signal) => testChannels(tester, signal)),
    onceBySetting("channel balances", perMinutes("ChannelUpdateFrequency"), () =>
      updateAllBalances(upstreams, channels.all()),
    ),
    onceBySetting(
      "model lists",
      () => settings.get("ChannelModelListFrequency") * HOUR_S,
      () => refreshAllModelLists(upstreams, channels.all()),
    ),
    once("disabled keys", MINUTE_MS, () =>
      recoverKeys({ ...upstreams, onKeyRecovered: (channel) => notifier.notifyRoot(keyEnabled(channel)) }),
    ),
    {
      ...once("model catalog", 10 * MINUTE_MS, createCatalogUpdate(services, nowSeconds)),
      // It fetches a document once a day, whenever it runs.
      isRunnable: false,
    },
    once("low balances", 30 * SECOND_MS, () => warnLowBalances(upstreams)),
    every("price changes", MINUTE_MS, createPriceChangeWatch(upstreams)),
    every("tasks", 15 * SECOND_MS, () => pollTasks({ ...services.tasks, channels, fetch: services.fetch })),
    every("notifications", 30 * SECOND_MS, async () => {
      await notifier.retryLater(nowSeconds());
      await alerter.retryLater(nowSeconds());
    }),
    once("alert rules", MINUTE_MS, (signal) => evaluateRules({ db, settings, alerter }, nowSeconds(), signal)),
    every("key networks", 15 * SECOND_MS, () => services.keyNetworks.save(nowSeconds())),
    once("unpaid orders", 10 * MINUTE_MS, () => expireOrders(db, nowSeconds())),
    once("statements", 6 * HOUR_MS, async (signal) => void (await issueStatements({ db, settings }, signal))),
    once("plans", 30 * SECOND_MS, async (signal) => {
      await remindSubscribers(upstreams, signal);
      await advanceSubscriptions(upstreams, signal);
      await remindOfService(upstreams, signal);
    }),
    once("card subscriptions", 10 * MINUTE_MS, async (signal) => void (await pollCards(stripe, signal))),
    once("automatic top-ups", 15 * SECOND_MS, async (signal) => void (await chargeDueTopUps(stripe, signal))),
    once("saved cards", MINUTE_MS, async (signal) => {
      await pollCharges(stripe, signal);
      await pollSavedCards(stripe, signal);
    }),
    once("direct payments", MINUTE_MS, async (signal) => {
      await pollPayments(upstreams, signal);
      await pollCheckouts(stripe, signal);
      await continueRefunds(stripe, signal);
    }),
    once("API key budgets", 30 * SECOND_MS, () => renewBudgets(upstreams)),
    once("application access", 10 * MINUTE_MS, (signal) => forgetEndedGrants(upstreams, nowSeconds(), signal)),
    once("organization budgets", 30 * SECOND_MS, () => renewOrganizationBudgets(upstreams)),
    {
      ...once("usage totals", MINUTE_MS, (signal) => foldFinishedHours(logs, signal)),
      periodSeconds: () => settings.get("DataExportInterval") * MINUTE_S - 1,
      runsAtStart: true,
    },
    once("usage exports", 10 * SECOND_MS, (signal) => exportCalls({ ...upstreams, ...services.sinkDeps }, signal)),
    once("channel checks", 10 * MINUTE_MS, (signal) => checkDueChannels(upstreams, signal)),
    once("MCP tools", 10 * MINUTE_MS, (signal) => refreshAllTools({ ...upstreams, ...services.mcpFetches }, signal)),
    once("MCP revocations", MINUTE_MS, (signal) =>
      revokeDeleted({ ...upstreams, send: services.mcpFetches.send }, nowSeconds(), signal),
    ),
    once("replays", 5 * SECOND_MS, (signal) => services.replays.run(signal)),
    once("experiment results", 6 * HOUR_MS, async () => void (await deleteOldResults(db))),
    once("daily sums", 24 * HOUR_MS, () => deleteOldDaySums(db)),
    once("agent sessions", 10 * SECOND_MS, (signal) => foldSessions(logs.db, signal)),
    once("unlogged calls", 10 * MINUTE_MS, () => forgetUnloggedCalls(database, nowSeconds())),
  ];
}

const TEST_CHECK_MS = 200;

/** Tests all channels, unless somebody began that already; resolves when all are tested. */
async function testChannels(tester: ChannelTester, signal: AbortSignal): Promise<void> {
  if (tester.progress().running) return;
  tester.testAll();
  while (tester.progress().running && !signal.aborted) await Bun.sleep(TEST_CHECK_MS);
  if (signal.aborted) tester.cancel();
}

/** Calls of an hour that go on into the next are mostly over by then. */
const LATE_S = 600;
/** Between two steps other queries run. */
const STEP_PAUSE_MS = 200;

/** Adds the hours that are over to the totals that charts of long ranges read; ends early when `signal` is aborted. */
async function foldFinishedHours(database: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await foldUsage(database, lastHour()))) await Bun.sleep(STEP_PAUSE_MS);
}

function lastHour(): number {
  const time = nowSeconds() - LATE_S;
  return time - (time % HOUR_S);
}

const ROWS_PER_STEP = 2000;
/** Calls that plans included stand on the statement of their month, which is issued a day after its end, or some days late. */
const INCLUDED_MEMORY_S = 45 * 86_400;

/** Forgets charges of calls that were not logged, once nothing can ask for them any more. `now`: epoch seconds. */
async function forgetUnloggedCalls(database: Pick<Database, "db">, now: number): Promise<void> {
  while ((await forgetUnlogged(database, now)) === ROWS_PER_STEP);
}

/** One short step; resolves with how many were forgotten. `now`: epoch seconds. */
export async function forgetUnlogged({ db }: Pick<Database, "db">, now: number): Promise<number> {
  const removed = await db.execute<{ rows: number }>(sql`
    with gone as (
      delete from unlogged_calls where (request_id, created_at) in (
        select request_id, created_at from unlogged_calls
        where created_at < ${now - UNLOGGED_MEMORY_S} and (included is null or created_at < ${now - INCLUDED_MEMORY_S}) limit ${ROWS_PER_STEP})
      returning created_at, quota, budgets
    ),
    budget_rows as (
      select b.id, sum(g.quota)::bigint as quota from gone g cross join string_to_table(g.budgets, ',') as x(id)
        join budgets b on b.id = x.id::int and b.deleted_at is null and g.created_at >= b.period_start
      where g.budgets <> '' group by b.id
    ),
    ${CARRY_BUDGETS}
    select count(*)::int as rows from gone`);
  return requireRow(removed).rows;
}
