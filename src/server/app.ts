import { type AnyElysia, Elysia } from "elysia";
import { describeLostJournal } from "../billing/ledger/processes/lost-journals.ts";
import { organizationRoutes } from "../console/accounts/organizations.ts";
import { apiKeyRoutes } from "../console/api-keys/api-keys.ts";
import { channelExplainRoutes, type Explain } from "../console/channels/channel-explain.ts";
import { channelKeyRoutes } from "../console/channels/channel-keys.ts";
import { channelTransferRoutes } from "../console/channels/channel-transfer.ts";
import { channelUpstreamRoutes } from "../console/channels/channel-upstream.ts";
import { channelRoutes } from "../console/channels/channels.ts";
import { docsSite } from "../console/docs-site.ts";
import { bodyLimit } from "../console/http/body-limit.ts";
import { compressed } from "../console/http/compressed.ts";
import { envelope } from "../console/http/envelope.ts";
import { guard } from "../console/http/guard.ts";
import { rateLimit } from "../console/http/rate-limit.ts";
import { sameOrigin } from "../console/http/same-origin.ts";
import { auditRoutes } from "../console/logs/audit.ts";
import { liveRoutes } from "../console/logs/live.ts";
import { logRoutes } from "../console/logs/logs.ts";
import { taskRoutes } from "../console/logs/tasks.ts";
import { dataRoutes } from "../console/logs/usage-data.ts";
import { catalogRoutes } from "../console/models/catalog.ts";
import { modelStatusRoutes } from "../console/models/model-status.ts";
import { modelRoutes } from "../console/models/models.ts";
import { pricingRoutes } from "../console/models/pricing.ts";
import { modelRouteRoutes } from "../console/models/routes.ts";
import { identityRoutes } from "../console/sign-in/identity.ts";
import { doctorRoutes } from "../console/system/diagnostics.ts";
import { firstStepsRoutes } from "../console/system/first-steps.ts";
import { jobRoutes } from "../console/system/jobs.ts";
import { bookRoutes } from "../console/system/ledger-check.ts";
import { type PageLimit, webAssets } from "../console/system/web-assets.ts";
import { redemptionRoutes } from "../console/wallet/redemptions.ts";
import { walletRoutes } from "../console/wallet/wallet.ts";
import { identifyUser } from "../domain/accounts/authenticate.ts";
import { sessionAccount } from "../domain/accounts/organizations/acting.ts";
import { readStanding } from "../domain/api-keys/budget/read-standing.ts";
import { renewBudgets } from "../domain/api-keys/budget/renew-budgets.ts";
import { createRecheckKey, type RecheckKey } from "../domain/api-keys/directory/recheck-key.ts";
import { CHANNEL_STATUS, storedKeyOf } from "../domain/channels/entry.ts";
import { disableChannelKey } from "../domain/channels/keys/key-status.ts";
import type { ReadLive } from "../domain/channels/live.ts";
import { setChannelStatus } from "../domain/channels/status/set-status.ts";
import type { DiagnosticsContext, Overhead, RelayBenchmark } from "../domain/diagnostics/diagnostics-context.ts";
import { channelDisabled } from "../domain/notifications/notices/channel-notices.ts";
import {
  createGateway,
  createObjectStore,
  createResponseStore,
  type GatewayServices,
  type SocketSession,
} from "../gateway/http/create-gateway.ts";
import type { Explanation } from "../gateway/routing/explain.ts";
import { nowSeconds } from "../lib/clock.ts";
import { limitKeyOf } from "../lib/http/client-ip.ts";
import { REQUEST_ID_HEADER, requestIdOf } from "../lib/http/request-id.ts";
import { createRateLimiter } from "../lib/limits/rate-limiter.ts";
import { createAddressPolicy } from "../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../lib/outbound/safe-fetch.ts";
import { sayReason } from "../lib/reason.ts";
import { runBenchmark } from "./benchmark/run-benchmark.ts";
import { registerHealthMetrics } from "./health/metrics.ts";
import { health, type Readiness } from "./health/routes.ts";
import { openApiDocument } from "./openapi.ts";
import { consoleRoot, docsRoot, type Services } from "./services.ts";
import { commit, version } from "./version.ts";

/** Everything that is answered; `attach` tells it the server it listens on. */
export type App = Readonly<{
  fetch(request: Request): Response | Promise<Response>;
  attach(server: Bun.Server<SocketSession>): void;
  /** WebSockets end: idle ones now, the others with the responses that are under way. */
  drain(): void;
  /** Ends what is still open with an error; resolves when realtime sessions are charged. */
  cutOff(): Promise<void>;
  /** What the doctor examines. */
  diagnostics: DiagnosticsContext;
  /** Whose routes the OpenAPI document lists: the data plane's, the management API's and those for monitors. */
  apis: readonly AnyElysia[];
}>;

/**
 * Joins the modules into one HTTP application; `draining` says whether the process is on its way out. The data plane has a
 * router of its own, so that nothing the console needs runs before a relayed call.
 */
export function createApp(services: Services, draining: () => boolean): App {
  const parts = relayServices(services);
  const { router, drain, cutOff, isResting, explain, readLive, readOverhead, keepTraffic } = createGateway(parts);
  const context = diagnosticsContextOf(services, readOverhead, () => runBenchmark(parts));
  const relay = new Elysia({ name: "data-plane" }).use(router.app).compile();
  const api = managementApi(services, explain, readLive, context);
  registerHealthMetrics(services.metrics, {
    version,
    commit,
    readiness: () => readiness(services, draining),
    billing: services.billing.status,
    askDatabase: () => services.database.health(),
    replica: services.reads.replica,
    askRedis: services.sharedLimits?.ping ?? null,
    channels: services.channels.all,
    isResting,
  });
  const ownReadiness = () => readiness(services, draining);
  const { host } = services;
  host?.attach({
    readiness: ownReadiness,
    metrics: services.metrics,
    backlog: () => services.billing.status().pendingRecords,
    adopt: services.billing.searchLostProcesses,
  });
  const monitors = health({
    readiness: () => host?.readiness().catch(ownReadiness) ?? ownReadiness(),
    metrics: () => host?.metricsText() ?? services.metrics.metrics(),
    version,
  });
  const apis: readonly AnyElysia[] = [relay, api, monitors];
  const document = lazily(() => openApiDocument(apis, version));
  const limitPages = pageLimit(services);
  const management = new Elysia({ name: "control-plane" })
    .onRequest(({ request, set, server }) => {
      set.headers[REQUEST_ID_HEADER] = requestIdOf(request);
      set.headers["x-content-type-options"] = "nosniff";
      // Whoever came by https once is kept to it for a year.
      if (services.clientAddress.isHttps(request, server)) set.headers["strict-transport-security"] = HSTS;
    })
    .use(monitors)
    .use(api)
    .get("/openapi.json", () => document())
    .use(docsSite(docsRoot(), limitPages))
    .use(webAssets(consoleRoot(), limitPages, scriptHosts(services)))
    .compile();
  let listening: Bun.Server<SocketSession> | null = null;
  const answer = (request: Request): Promise<Response> => {
    const path = pathOf(request.url);
    const call = router.take(request, path, listening);
    if (call) return call;
    if (router.owns(path)) return Promise.resolve(relay.fetch(request));
    return Promise.resolve(management.fetch(request)).then((made) => compressed(request, made));
  };
  return {
    fetch: (request) => (draining() ? answer(request).then(closingConnection) : answer(request)),
    attach(server) {
      listening = server;
      relay.server = server;
      management.server = server;
    },
    drain() {
      drain();
      services.feed.close();
      keepTraffic();
    },
    cutOff,
    diagnostics: context,
    apis,
  };
}

/** The client's next request needs another connection, which leads to another replica. */
function closingConnection(answer: Response): Response {
  // A request that has become a WebSocket has none.
  if (answer) answer.headers.set("connection", "close");
  return answer;
}

const HSTS = "max-age=31536000";

/** Made when first asked for. */
function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** As it stands in an absolute address, without the query. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", "https://".length);
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** The human check is a script of its provider. */
const scriptHosts =
  ({ settings, config }: Services) =>
  () =>
    settings.get("TurnstileCheckEnabled") ? [new URL(config.signInAddresses.turnstile).origin] : [];

/** Limits page loads by address, where the configuration says so. */
function pageLimit({ config, clientAddress, countRefusal }: Services): PageLimit {
  const limiter = config.rateLimits.web && createRateLimiter(config.rateLimits.web);
  return (request, server) => {
    const ip = clientAddress.ip(request, server);
    const seconds = limiter && ip !== "" ? limiter.take(limitKeyOf(ip)) : 0;
    if (seconds > 0) countRefusal("console_pages");
    return seconds;
  };
}

/** What the doctor examines; the site's own address may be a private one. */
function diagnosticsContextOf(
  services: Services,
  readOverhead: () => Overhead,
  benchmark: () => Promise<RelayBenchmark>,
): DiagnosticsContext {
  const { billing } = services;
  return {
    ...services,
    ownFetch: createSafeFetch(createAddressPolicy(true)),
    benchmark,
    running: { billing, readOverhead },
  };
}

/**
 * Everything under /api. The console takes the types of each group of routes from its own function (ui/api/groups.ts): all
 * of them together are too many for the compiler.
 */
function managementApi(
  services: Services,
  explain: Explain<Explanation>,
  readLive: ReadLive,
  context: DiagnosticsContext,
): AnyElysia {
  const { database, changes, vault, channels, config } = services;
  const shared = {
    ...services,
    signInAddresses: config.signInAddresses,
    updateCheckUrl: config.updateCheckUrl,
    projectUrl: config.projectUrl,
    generateDefaultToken: config.generateDefaultToken,
    stripeAddress: config.stripeAddress,
    db: database.db,
    databaseKind: database.kind,
    notifyAddresses: config.notifyAddresses,
    localAddress: `http://localhost:${config.port}`,
    version,
    commit,
    startedAt: nowSeconds(),
  };
  const operations = { db: database.db, changes, vault, channels, readLive };
  const guarded = guard({ ...services, db: database.db });
  const limits = rateLimit({
    ...services,
    rateLimits: config.rateLimits,
    identify: (request) => identifyUser({ ...services, db: database.db }, request),
  });
  return new Elysia({ name: "management" })
    .use(envelope(services))
    .use(limits)
    .use(bodyLimit(config.maxRequestBodyBytes))
    .use(sameOrigin(services))
    .use(identityRoutes(shared, guarded, limits))
    .use(organizationRoutes(shared, guarded, limits))
    .use(pricingRoutes(shared, (request) => sessionAccount(shared, request, "organization.read")))
    .use(modelStatusRoutes(shared, (request) => sessionAccount(shared, request, "organization.read")))
    .use(channelExplainRoutes(explain, guarded))
    .use(channelUpstreamRoutes(shared, guarded))
    .use(modelRoutes(services, guarded))
    .use(catalogRoutes(shared, guarded))
    .use(modelRouteRoutes(shared, guarded))
    .use(channelRoutes(operations, guarded))
    .use(channelTransferRoutes({ ...operations, version }, guarded))
    .use(channelKeyRoutes({ ...operations, fetch: services.fetch }, guarded))
    .use(taskRoutes(shared, guarded))
    .use(apiKeyRoutes(shared, guarded))
    .use(redemptionRoutes(shared, guarded))
    .use(auditRoutes(shared, guarded))
    .use(bookRoutes(shared, guarded))
    .use(jobRoutes(shared, guarded))
    .use(firstStepsRoutes(shared, guarded))
    .use(doctorRoutes(context, guarded))
    .use(walletRoutes(shared, guarded))
    .use(dataRoutes(shared, guarded))
    .use(logRoutes(services, guarded))
    .use(liveRoutes(services, guarded));
}

/** Only replicas can know of a key that memory doesn't. */
function recheckKeyOf({ database, vault, tokens, users }: Services): RecheckKey {
  if (database.kind === "embedded") return async () => false;
  return createRecheckKey({
    hash: vault.keyedHash,
    async reread(key) {
      const token = await tokens.reread(key);
      if (token) await users.reread(token.userId);
    },
  });
}

function relayServices(services: Services): GatewayServices {
  const { database, changes, vault, log, notifier } = services;
  const deps = { db: database.db, changes, vault };
  return {
    ...services,
    config: { ...services.config, dataDir: services.config.scratchDir },
    tasks: { ...services.tasks, db: database.callDb },
    responses: createResponseStore(database.callDb, log),
    objects: createObjectStore(database.callDb),
    resolveSession: (request) => sessionAccount({ ...services, db: database.db }, request, "playground.use"),
    recheckKey: recheckKeyOf(services),
    readStanding: (subject) => readStanding(database.callDb, subject),
    renewBudget: async (tokenId) => {
      await renewBudgets({ ...deps, db: database.callDb, settings: services.settings }, [tokenId]);
    },
    disableChannel(channel, key, reason, status = CHANNEL_STATUS.autoDisabled) {
      const change =
        key === null
          ? setChannelStatus(deps, channel.id, status, reason, CHANNEL_STATUS.enabled)
          : disableChannelKey(deps, channel.id, storedKeyOf(channel, key), reason, status);
      change.then(
        (changed) => {
          if (!changed) return;
          const reported = {
            channelId: channel.id,
            reason: sayReason(reason, "en"),
            affectsWholeChannel: key === null,
          };
          log.warn(reported, "disabled automatically");
          notifier.tellRoot(channelDisabled(channel, key !== null, reason));
        },
        (error) => log.error({ error, channelId: channel.id }, "a channel could not be disabled"),
      );
    },
  };
}

/** Charges are written within seconds; older ones mean that the database does not take them. */
const OLD_CHARGE_S = 30;
const LEDGER_SILENT_MS = 5000;
/** Another replica may do better once this one could not answer a single call for so long. */
const REFUSING_MS = 10_000;
/** A database that does not answer within this is not there. */
const HEALTH_TIMEOUT_MS = 2000;

async function readiness(
  { database, reads, billing, sharedLimits }: Services,
  draining: () => boolean,
): Promise<Readiness> {
  const { databaseDown, diskRefused, pendingRecords, rejectedRecords, lostJournals, journalCopy, ...status } =
    billing.status();
  const { oldestSeconds, ledgerUnansweredMs, refusingCallsMs } = status;
  const degraded: string[] = [];
  const answers = await Promise.race([
    database.health().then(
      () => true,
      () => false,
    ),
    Bun.sleep(HEALTH_TIMEOUT_MS).then(() => false),
  ]);
  if (!answers) degraded.push("database: does not answer");
  const replica = reads.replica();
  if (replica?.isUsed === false) {
    const why = replica.lagSeconds === null ? "does not answer" : `is ${replica.lagSeconds} s behind`;
    degraded.push(`database replica: ${why}, lists are read from the primary`);
  }
  if (databaseDown) degraded.push(`journal: ${pendingRecords} charges wait for the database`);
  else if ((oldestSeconds ?? 0) > OLD_CHARGE_S) {
    degraded.push(`journal: ${pendingRecords} charges wait for the database, the oldest for ${oldestSeconds} s`);
  }
  if (ledgerUnansweredMs > LEDGER_SILENT_MS) {
    degraded.push(`ledger: the database has not answered for ${Math.round(ledgerUnansweredMs / 1000)} s`);
  }
  const isRefusing = refusingCallsMs > REFUSING_MS;
  if (isRefusing) degraded.push("ledger: calls are refused, their balances can't be checked");
  if (diskRefused) degraded.push("journal: the disk refuses it, charges are in memory only");
  if (journalCopy === "behind")
    degraded.push("journal: redis has no complete copy, unwritten charges are on this disk alone");
  if (rejectedRecords > 0) degraded.push(`journal: ${rejectedRecords} rejected charges, see sluice journal inspect`);
  for (const lost of lostJournals) degraded.push(`journal: ${describeLostJournal(lost)}`);
  if (sharedLimits && !sharedLimits.isAnswering()) degraded.push("redis: does not answer, limits are per process");
  if (draining()) degraded.push("shutting down");
  return { ready: !draining() && !diskRefused && !isRefusing, degraded };
}
