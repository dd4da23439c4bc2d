import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openServerLazily } from "../../../db/server/open-server.ts";
import type { Database } from "../../../db/types.ts";
import { OutageBilling } from "../../billing/outage-billing.ts";
import { createKeyLookup } from "../../domain/api-keys/directory/api-key-table.ts";
import { createRoutingIndex } from "../../domain/channels/routing/routing-index.ts";
import { createCallFeed } from "../../domain/logs/live/call-feed.ts";
import { SignInTokens } from "../../domain/models/mcp/sign-ins/tokens.ts";
import { StdioSupervisor } from "../../domain/models/mcp/stdio/supervisor.ts";
import {
  createGateway,
  createObjectStore,
  createResponseStore,
  type GatewayServices,
  type SocketSession,
} from "../../gateway/endpoints/create-gateway.ts";
import { createClientAddress } from "../../lib/http/client-ip.ts";
import { pathOf } from "../../lib/http/request.ts";
import { languageOf, say } from "../../lib/messages.ts";
import { createAddressPolicy, createUserAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createCheckedFetch, createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { createMetrics, createRefusalCount } from "../../lib/runtime/metrics/metrics.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { loadSecrets } from "../../lib/security/secrets.ts";
import { readAll, withPublicAddress } from "../../settings/settings.ts";
import { type App, createApp } from "../app.ts";
import type { Config } from "../config.ts";
import { health, type Readiness } from "../health/routes.ts";
import { openServices, openSharedLimits, type Services } from "../services.ts";
import { version } from "../version.ts";
import type { HostLink } from "../workers/host-link.ts";
import type { Snapshot } from "./snapshot.ts";
import { readSnapshot } from "./snapshot-file.ts";

type GatewayServer = Pick<App, "fetch" | "attach" | "drain" | "cutOff">;

/** A gateway that serves calls from a snapshot, until the database answers. */
export type OutageGateway = GatewayServer &
  Readonly<{
    /** What is open and made of the database, once it answers; null: the process ends before. */
    joined: Promise<Readonly<{ services: Services; app: App }> | null>;
    /** Stops waiting for the database; charges stay in the journal. Resolves when nothing is opened any more. */
    close(): Promise<void>;
  }>;

const RETRY_MS = 1000;
/** Where the gateway of an outage keeps its own files, apart from those of the gateway that follows it. */
const FOLDER = "outage";

class DatabaseAway extends Error {
  override name = "DatabaseAway";
}

/**
 * Starts without the database, which does not answer: calls are served from the snapshot in the data directory, the console
 * answers 503. Null where there is no snapshot that can be used.
 */
export async function startFromSnapshot(
  config: Config,
  log: Logger,
  draining: () => boolean,
  host: HostLink | null = null,
): Promise<OutageGateway | null> {
  const { databaseUrl } = config;
  if (databaseUrl === null) return null;
  const vault = createVault(await loadSecrets(config));
  const snapshot = await readSnapshot({ dataDir: config.dataDir, databaseUrl, vault });
  if (!snapshot) return null;
  const { balances, liveProcesses, writtenUpTo, takenAt } = snapshot;
  const billing = await OutageBilling.open({
    dataDir: config.dataDir,
    balances,
    liveProcesses,
    writtenUpTo,
    spendRatio: config.outageSpendRatio,
    log,
  });
  const database = openServerLazily(databaseUrl, 2, config.databaseDirectUrl);
  const stdio = new StdioSupervisor(config.mcpStdio);
  const parts = gatewayServices(config, log, {
    host,
    snapshot,
    billing,
    database,
    findByKey: createKeyLookup(snapshot.tokens, vault),
    vault,
    stdio,
  });
  const gateway = createGateway(parts);
  const routes = gateway.router.app.compile();
  log.warn(
    { takenAt: new Date(takenAt).toISOString() },
    "the database does not answer: calls are served from a snapshot",
  );

  let isClosed = false;
  let following: App | null = null;
  let server: Bun.Server<SocketSession> | null = null;
  const readiness = async (): Promise<Readiness> => ({
    ready: !draining(),
    degraded: [
      "database: does not answer",
      `snapshot: served from what was known ${Math.round((Date.now() - takenAt) / 1000)} s ago`,
      `journal: ${billing.pendingRecords} charges wait for the database`,
      ...(draining() ? ["shutting down"] : []),
    ],
  });
  host?.attach({
    readiness,
    metrics: parts.metrics,
    backlog: () => billing.pendingRecords,
    adopt: async () => {},
  });
  const monitors = health({
    readiness: () => host?.readiness().catch(readiness) ?? readiness(),
    metrics: () => host?.metricsText() ?? parts.metrics.metrics(),
    settings: parts.settings,
    version,
  }).compile();

  const open = async (): Promise<Readonly<{ services: Services; app: App }> | null> => {
    for (;;) {
      await Bun.sleep(RETRY_MS);
      if (isClosed) return null;
      const isBack = await database.health().then(
        () => true,
        () => false,
      );
      if (!isBack || isClosed) continue;
      billing.pause();
      try {
        const services = await openServices(config, log, host);
        billing.handOver(services.billing);
        gateway.close();
        const app = createApp(services, draining);
        if (server) app.attach(server);
        following = app;
        log.info("the database answers: calls are served from it again");
        return { services, app };
      } catch (error) {
        billing.resume();
        log.error({ error }, "the database answers, but can't be used yet");
      }
    }
  };
  const joined = open();

  return {
    joined,
    async fetch(request) {
      if (following) return following.fetch(request);
      const path = pathOf(request.url);
      const call = gateway.router.take(request, path, server);
      if (call) return call;
      if (gateway.router.owns(gateway.router.resolve(request, path))) return routes.fetch(request);
      if (path === "/healthz" || path === "/readyz" || path === "/metrics") return monitors.fetch(request);
      const message = say("database_unavailable", languageOf(request));
      return Response.json({ success: false, message, code: "database_unavailable" }, { status: 503 });
    },
    attach(listening) {
      server = listening;
      routes.server = listening;
    },
    drain: gateway.drain,
    cutOff: gateway.cutOff,
    async close() {
      isClosed = true;
      if (!following) await joined;
      if (!following) billing.close();
      gateway.close();
      stdio.close();
      parts.sharedLimits?.close();
      await database.close();
      await rm(join(config.scratchDir, FOLDER), { recursive: true, force: true });
    },
  };
}

type Parts = Readonly<{
  host: HostLink | null;
  snapshot: Snapshot;
  billing: OutageBilling;
  /** Connected to with each statement: what needs the database by itself fails until it is back. */
  database: Database;
  findByKey: GatewayServices["tokens"]["findByKey"];
  vault: GatewayServices["vault"];
  stdio: StdioSupervisor;
}>;

function gatewayServices(config: Config, log: Logger, parts: Parts): GatewayServices {
  const { host, snapshot, billing, database, findByKey, vault, stdio } = parts;
  const { users, tokens, channels } = snapshot;
  const values = withPublicAddress(readAll(snapshot.options, log).values, config.basePath);
  const settings: GatewayServices["settings"] = { values, get: (key) => values[key], version: 1 };
  const index = createRoutingIndex();
  for (const channel of channels) index.add(channel);
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  const metrics = createMetrics();
  const send = createCheckedFetch(createAddressPolicy(config.allowPrivateUpstreams));
  const away = () => Promise.reject(new DatabaseAway("the database does not answer"));
  return {
    config: { ...config, dataDir: join(config.scratchDir, FOLDER) },
    log,
    settings,
    users: { get: (id) => users.get(id), isComplete: () => true },
    tokens: { get: (id) => tokens.get(id), findByKey, setStatus() {} },
    channels: {
      get: (id) => byId.get(id),
      candidates: index.candidates,
      modelsOf: index.modelsOf,
      all: () => channels,
    },
    disableChannel: ({ id }) =>
      log.warn({ channelId: id }, "a channel would be disabled: the database does not answer"),
    billing,
    budgets: snapshot.budgets,
    policies: snapshot.policies,
    planTerms: snapshot.planTerms,
    mcpServers: snapshot.mcpServers,
    mcpFetches: { stdio, signIns: new SignInTokens({ db: database.callDb, vault, send, settings }) },
    renewOrganizationBudgets: away,
    responses: createResponseStore(database.callDb, log, vault),
    objects: createObjectStore(database.callDb),
    tasks: {
      db: database.callDb,
      changes: { publish: async () => {} },
      settings,
      vault,
      log,
      hookFetch: createSafeFetch(createUserAddressPolicy(config.allowPrivateWebhooks)),
    },
    // It may have been made after the snapshot was.
    recheckKey: away,
    readStanding: away,
    readSpending: away,
    renewBudget: away,
    clientAddress: createClientAddress(config.trustedProxies),
    sharedLimits: openSharedLimits(config, log, host, () => snapshot.liveProcesses),
    resolveSession: async () => null,
    host,
    vault,
    feed: createCallFeed(),
    metrics,
    countRefusal: createRefusalCount(metrics),
  };
}
