import { join } from "node:path";
import { type Changes, createChanges } from "../../db/changes.ts";
import { openDatabase } from "../../db/connect.ts";
import { LOG_ELSEWHERE_ROW } from "../../db/schema/logs/deliveries.ts";
import { logDatabaseOf, openLogDatabase } from "../../db/server/log-database.ts";
import { openReplica, type Reads, readFromPrimary } from "../../db/server/replica.ts";
import { type Database, DatabaseError, DatabaseUnreachable } from "../../db/types.ts";
import { type Billing, createBilling } from "../billing/billing.ts";
import { createUserDirectory, type UserDirectory } from "../domain/accounts/directory.ts";
import { type BudgetDirectory, createBudgetDirectory } from "../domain/accounts/organizations/budgets/directory.ts";
import { createPolicyDirectory, type PolicyDirectory } from "../domain/accounts/organizations/policies/directory.ts";
import { createSetup, type Setup } from "../domain/accounts/registration/setup.ts";
import { createSessions, type Sessions } from "../domain/accounts/sign-in/sessions.ts";
import { type Alerter, createAlerter } from "../domain/alerts/alerter.ts";
import { createKeyNetworks, type KeyNetworks } from "../domain/alerts/leaks/key-networks.ts";
import { type ApiKeyDirectory, createApiKeyDirectory } from "../domain/api-keys/directory/index.ts";
import { type ChannelDirectory, createChannelDirectory } from "../domain/channels/directory.ts";
import type { ChannelEntry } from "../domain/channels/entry.ts";
import { createProviderKeyDirectory, type ProviderKeyDirectory } from "../domain/channels/provider-keys/directory.ts";
import type { OnDisabled } from "../domain/channels/status/set-status.ts";
import { type ChannelTester, createChannelTester } from "../domain/channels/upstream/test-all.ts";
import type { BalanceReading } from "../domain/channels/upstream/update-balance.ts";
import { type LogDelivery, startLogDelivery } from "../domain/logs/delivery/deliver-logs.ts";
import { type CallFeed, createCallFeed } from "../domain/logs/live/call-feed.ts";
import type { SinkDeps } from "../domain/logs/sinks/sink-type.ts";
import type { McpFetches } from "../domain/models/mcp/credentials.ts";
import { createMcpDirectory, type McpDirectory } from "../domain/models/mcp/directory.ts";
import { SignInTokens } from "../domain/models/mcp/sign-ins/tokens.ts";
import { StdioSupervisor } from "../domain/models/mcp/stdio/supervisor.ts";
import { createReplays, type Replays } from "../domain/models/replays/run-evaluations.ts";
import { type Broadcasts, createBroadcasts } from "../domain/notifications/broadcasts/broadcast.ts";
import { createMailer, type Mailer } from "../domain/notifications/mail.ts";
import { channelBalanceLow, channelDisabled, channelEnabled, journalLost } from "../domain/notifications/notices.ts";
import { createNotifier, type Notifier } from "../domain/notifications/notifier.ts";
import type { TaskDeps } from "../domain/tasks/task.ts";
import { createPlanTermsDirectory, type PlanTermsDirectory } from "../domain/wallet/plans/limits/terms.ts";
import type { Telemetry } from "../gateway/call/telemetry/telemetry.ts";
import { countText } from "../gateway/money/count-tokens.ts";
import { type ClientAddress, createClientAddress } from "../lib/http/client-ip.ts";
import { createSharedLimits, type SharedLimits } from "../lib/limits/shared-limits.ts";
import { createAddressPolicy, createUserAddressPolicy } from "../lib/outbound/address-policy.ts";
import { createResolve } from "../lib/outbound/resolve.ts";
import { createCheckedFetch, createSafeFetch, type SafeFetch } from "../lib/outbound/safe-fetch.ts";
import { createSharedTexts, type SharedTexts } from "../lib/redis/shared-texts.ts";
import type { Logger } from "../lib/runtime/log.ts";
import { type CountRefusal, createMetrics, createRefusalCount } from "../lib/runtime/metrics/metrics.ts";
import { createSerial } from "../lib/runtime/serial.ts";
import { createVault, type Vault } from "../lib/security/crypto.ts";
import { createSecretReader, type SecretReader } from "../lib/security/secret-references/secret-reader.ts";
import { loadSecrets } from "../lib/security/secrets.ts";
import { checkEncryptionKey } from "../settings/key-check.ts";
import { localAddressOf } from "../settings/option/public-address.ts";
import { createSettings, type Settings } from "../settings/settings.ts";
import type { Config } from "./config.ts";
import { listJobs } from "./jobs/jobs.ts";
import { createJobRunner, type JobRunner } from "./jobs/start-jobs.ts";
import { version } from "./version.ts";
import type { HostLink } from "./workers/host-link.ts";

/** Everything that is made once per process and shared. */
export type Services = Readonly<{
  config: Config;
  /** The line to the supervisor of this host's workers; null: this process is the only one. */
  host: HostLink | null;
  log: Logger;
  database: Database;
  /** Brings log rows to their own database; null: they are in the same. */
  logDelivery: Pick<LogDelivery, "status"> | null;
  /** Where lists and charts are read. */
  reads: Reads;
  changes: Changes;
  vault: Vault;
  settings: Settings;
  users: UserDirectory;
  sessions: Sessions;
  setup: Setup;
  tokens: ApiKeyDirectory;
  /** Budgets of organizations. */
  budgets: BudgetDirectory;
  planTerms: PlanTermsDirectory;
  /** From which networks API keys are used. */
  keyNetworks: KeyNetworks;
  /** Policies of organizations. */
  policies: PolicyDirectory;
  channels: ChannelDirectory;
  /** Resolves references to secret managers. */
  secretReader: SecretReader;
  tester: ChannelTester;
  /** Notifies the super admin of a channel that has little left. */
  onLowBalance: (channel: ChannelEntry, reading: BalanceReading, limit: number) => void;
  onDisabled: OnDisabled;
  billing: Billing;
  clientAddress: ClientAddress;
  /** Redis or Valkey, where replicas count together; null without REDIS_URL. */
  sharedLimits: SharedLimits | null;
  /** Texts that replicas share; null without REDIS_URL. */
  sharedTexts: SharedTexts | null;
  fetch: SafeFetch;
  /** Keys of callers at providers. */
  providerKeys: ProviderKeyDirectory;
  /** MCP servers whose tools callers may use, and what reaches them. */
  mcpServers: McpDirectory;
  mcpFetches: McpFetches;
  /** Reaches the destinations of usage records. */
  sinkDeps: SinkDeps;
  /** Replays sets of requests; the gateway attaches itself. */
  replays: Replays;
  mailer: Mailer;
  notifier: Notifier;
  broadcasts: Broadcasts;
  /** Sends alerts to chats, pagers and webhooks. */
  alerter: Alerter;
  tasks: TaskDeps;
  /** Calls of this process as they happen. */
  feed: CallFeed;
  metrics: ReturnType<typeof createMetrics>;
  /** Exports traces and metrics of calls; null: no collector is configured. */
  telemetry: Telemetry | null;
  countRefusal: CountRefusal;
  /** Repeated work; `start` is for a process that serves. */
  jobs: JobRunner;
  /** Ends everything in the reverse order; charges that wait are written first. */
  close(): Promise<void>;
}>;

/**
 * Opens the database and loads what calls need. `host`: the line to the supervisor, in a worker. Throws DatabaseError,
 * SecretsError and the like, with what to do.
 */
export async function openServices(config: Config, log: Logger, host: HostLink | null = null): Promise<Services> {
  // What the environment says wrong is found before anything is opened.
  const clientAddress = createClientAddress(config.trustedProxies);
  const secrets = await loadSecrets(config);
  const vault = createVault(secrets);
  const database = await openDatabase({ ...config, connections: connectionsOf(config) }, (message) =>
    log.error(message),
  );
  const { db } = database;
  let logDelivery: OpenLog | null = null;
  try {
    await checkEncryptionKey(db, vault, secrets.source);
    logDelivery = await openLog(config, database, log);
    const reads = await openReads(config, logDatabaseOf(database), log);
    const changes = await createChanges(database, (error) => log.error({ error }, "a change could not be applied"));
    const settings = await createSettings({ db, changes, vault, log, basePath: config.basePath });
    const secretReader = createSecretReader(config.secretManagers);
    const large = {
      folder: config.scratchDir,
      ...(database.kind === "server" && { patienceMs: PATIENCE_MS, inTurn: createSerial() }),
    };
    const [users, tokens, budgets, policies, planTerms, channels, mcpServers, providerKeys] = await Promise.all([
      createUserDirectory({ db, changes, log, ...large }),
      createApiKeyDirectory({ db, changes, vault, log, ...large }),
      createBudgetDirectory({ db, changes, log }),
      createPolicyDirectory({ db, changes, log }),
      createPlanTermsDirectory({ db, changes, log }),
      createChannelDirectory({ db, changes, vault, log, secrets: secretReader }),
      createMcpDirectory({ db, changes, vault, log }),
      createProviderKeyDirectory({ db, changes, vault, log, addresses: config.providerKeyAddresses }),
    ]);
    const sessions = createSessions({ db: database.callDb, changes, users, secret: secrets.sessionSecret });
    const setup = await createSetup({ db, changes, vault, version });
    const keyNetworks = createKeyNetworks(db);
    const billing = await createBilling({
      database,
      changes,
      dataDir: config.dataDir,
      outageSpendRatio: config.outageSpendRatio,
      processId: Bun.randomUUIDv7(),
      redisUrl: config.redisUrl,
      logElsewhere: logDelivery !== null,
      log,
      onExhausted: (ids) => {
        log.info({ tokenIds: ids }, "API keys have used up their quota");
        void changes.publish("tokens", ids);
      },
      onWindowsOpened: (ids) => void changes.publish("subscriptions", ids),
    });
    const policy = createAddressPolicy(config.allowPrivateUpstreams);
    const fetch = createSafeFetch(policy);
    const stdio = new StdioSupervisor(config.mcpStdio);
    const send = createCheckedFetch(policy);
    const hookFetch = createSafeFetch(createUserAddressPolicy(config.allowPrivateWebhooks));
    const tasks: TaskDeps = { db, changes, settings, vault, log, hookFetch };
    const mailer = createMailer({ settings, policy, log });
    const localAddress = localAddressOf(config);
    const alerter = createAlerter({
      ...{ db, log, settings, vault, localAddress },
      fetch: hookFetch,
      addresses: config.alertAddresses,
    });
    const notifier = createNotifier({
      db,
      log,
      settings,
      vault,
      mailer,
      fetch: hookFetch,
      addresses: config.notifyAddresses,
      rootLimit: config.notifyLimit,
      localAddress,
    });
    billing.onLostJournal((lost) => notifier.notifyRoot(journalLost(lost)));
    const onDisabled: OnDisabled = (channel, isKeyOnly, reason) =>
      notifier.notifyRoot(channelDisabled(channel, isKeyOnly, reason));
    const tester = createChannelTester({
      db,
      changes,
      vault,
      directory: channels,
      settings,
      fetch,
      log,
      onDisabled,
      onEnabled: (channel) => notifier.notifyRoot(channelEnabled(channel)),
    });
    const onLowBalance: Services["onLowBalance"] = (channel, reading, limit) =>
      notifier.notifyRoot(channelBalanceLow(channel, reading, limit));
    const broadcasts = createBroadcasts({ db, notifier, log });
    const metrics = createMetrics();
    const telemetry = await openTelemetry(config, { log, metrics });
    const sharedLimits = openSharedLimits(config, log, host, () => billing.liveProcesses());
    const sharedTexts = config.redisUrl ? createSharedTexts(config.redisUrl, vault, log) : null;
    const replays = createReplays({ db, settings, log });
    const sinkDeps = { fetch, resolve: createResolve(policy) };
    const shared = {
      config,
      log,
      database,
      changes,
      vault,
      settings,
      channels,
      keyNetworks,
      tester,
      notifier,
      alerter,
      broadcasts,
      tasks,
      fetch,
      secretReader,
      sinkDeps,
      mcpServers,
      mcpFetches: {
        ...{ send, fetch, stdio },
        signIns: new SignInTokens({ db: database.callDb, vault, send, settings }),
      },
      providerKeys,
      replays,
      billing,
      onLowBalance,
      onDisabled,
    };
    const leads = host === null || host.worker === 1; // Of a host's workers, that one is there again first.
    const jobs = createJobRunner(listJobs({ ...shared, countTokens: countText }), { db, log, leads });
    return {
      ...shared,
      host,
      logDelivery,
      reads,
      users,
      sessions,
      setup,
      tokens,
      budgets,
      keyNetworks,
      policies,
      planTerms,
      clientAddress,
      sharedLimits,
      sharedTexts,
      mailer,
      feed: createCallFeed(host),
      metrics,
      telemetry,
      countRefusal: createRefusalCount(metrics),
      jobs,
      async close() {
        jobs.stop();
        tester.cancel();
        broadcasts.cancel();
        sharedLimits?.close();
        sharedTexts?.close();
        await billing.close();
        await telemetry?.close();
        const stores = [sessions, channels, mcpServers, stdio, providerKeys, budgets, policies, planTerms, tokens];
        for (const store of [...stores, users, settings]) store.close();
        await changes.close();
        await reads.close();
        await logDelivery?.close();
        await database.close();
      },
    };
  } catch (error) {
    await logDelivery?.close();
    await database.close();
    throw error;
  }
}

type OpenLog = Pick<LogDelivery, "status" | "close">;

/** A first start waits so long for the tables of the log's database. */
const LOG_PREPARED_WITHIN_MS = 5000;

/**
 * Opens the log's own database, which may be away, and begins to bring it what it lacks; null: the log is in the same. Throws
 * DatabaseError where it can't be the log's.
 */
async function openLog(
  { logDatabaseUrl, workers }: Pick<Config, "logDatabaseUrl" | "workers">,
  main: Database,
  log: Logger,
): Promise<OpenLog | null> {
  const { sql } = main;
  if (logDatabaseUrl === null) {
    const [elsewhere] = await sql`select from options where key = ${LOG_ELSEWHERE_ROW}`;
    if (elsewhere) throw new DatabaseError("the log of this database is in another one: set LOG_DATABASE_URL again");
    return null;
  }
  const logs = openLogDatabase(logDatabaseUrl, main, connectionsOf({ workers }));
  try {
    await Promise.race([logs.prepare(), Bun.sleep(LOG_PREPARED_WITHIN_MS)]);
  } catch (error) {
    if (error instanceof DatabaseError && !(error instanceof DatabaseUnreachable)) {
      await logs.close();
      throw error;
    }
    log.error({ error }, "the log's database does not answer: log rows wait in the other one");
  }
  await sql`insert into options (key, value) values (${LOG_ELSEWHERE_ROW}, 'LOG_DATABASE_URL') on conflict (key) do nothing`;
  const delivery = startLogDelivery({ main, logs, log });
  return {
    status: delivery.status,
    async close() {
      await delivery.close();
      await logs.close();
    },
  };
}

/** Where lists and charts are read: the replica where one is configured. */
export async function openReads(
  { databaseReplicaUrl, maxReplicaLagSeconds }: Pick<Config, "databaseReplicaUrl" | "maxReplicaLagSeconds">,
  { listDb }: Pick<Database, "listDb">,
  log: Logger,
): Promise<Reads> {
  if (databaseReplicaUrl === null) return readFromPrimary(listDb);
  return openReplica({
    primary: listDb,
    url: databaseReplicaUrl,
    maxLagSeconds: maxReplicaLagSeconds,
    onChange(isUsed, reason) {
      if (isUsed) log.info({ reason }, "lists and charts are read from the replica again");
      else log.warn({ reason }, "lists and charts are read from the primary: the replica can't be used");
    },
  });
}

/** Starts exporting traces and metrics where a collector is configured. Its libraries are loaded only then. */
async function openTelemetry(
  { telemetry }: Config,
  deps: Pick<Services, "log" | "metrics">,
): Promise<Telemetry | null> {
  const { endpoint } = telemetry;
  if (endpoint === null) return null;
  const { startTelemetry } = await import("../gateway/call/telemetry/telemetry.ts");
  return startTelemetry({ ...telemetry, endpoint, version, instanceId: Bun.randomUUIDv7() }, deps);
}

/** A start waits so long for all users and keys. After that calls ask the database for those that are not there yet. */
const PATIENCE_MS = 1000;

/** Workers of a host share so many connections, as far as each has what it needs. */
const HOST_CONNECTIONS = 48;
const [FEWEST_CONNECTIONS, MOST_CONNECTIONS] = [4, 12];

const connectionsOf = ({ workers }: Pick<Config, "workers">): number =>
  Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, Math.floor(HOST_CONNECTIONS / (workers ?? 1))));

/**
 * Where limits are counted for several processes: in Redis, else by the supervisor; null: each counts for itself. `replicas`: how
 * many count together, this process included.
 */
export const openSharedLimits = (
  { redisUrl }: Pick<Config, "redisUrl">,
  log: Logger,
  host: HostLink | null,
  replicas: () => number,
): SharedLimits | null =>
  redisUrl === null ? (host?.limits ?? null) : createSharedLimits(redisUrl, log, { replicas });

/** Where the built console is: embedded in the executable under its last name, in the sources under ui/dist. */
export const consoleRoot = (): string =>
  Bun.isStandaloneExecutable ? "/$bunfs/root/dist" : join(import.meta.dir, "../../ui/dist");

/** The folder of the built documentation site: inside the executable, or where the build leaves it. */
export const docsRoot = (): string =>
  Bun.isStandaloneExecutable ? "/$bunfs/root/docs" : join(import.meta.dir, "../../dist/docs");
