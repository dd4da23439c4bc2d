import { DatabaseUnreachable } from "../../../db/types.ts";
import { gatewaySockets } from "../../gateway/endpoints/create-gateway.ts";
import { serveBelow } from "../../lib/http/base-path.ts";
import { requireHost } from "../../lib/http/require-host.ts";
import { ensureDataDir } from "../../lib/runtime/data-dir.ts";
import { createLogger, type Logger } from "../../lib/runtime/log.ts";
import { type App, createApp } from "../../server/app.ts";
import type { Config } from "../../server/config.ts";
import { keepSnapshot } from "../../server/outage/keep-snapshot.ts";
import { type OutageGateway, startFromSnapshot } from "../../server/outage/start-from-snapshot.ts";
import { openServices, type Services } from "../../server/services.ts";
import { version } from "../../server/version.ts";
import type { HostLink } from "../../server/workers/host-link.ts";
import { startControl } from "../control/control-server.ts";
import { listen } from "./listen.ts";
import { releaseStep, releaseWhenResting } from "./start-memory.ts";

/** Far above what writing the last charges takes; what is not written then stays in the journal. */
const CLOSE_WITHIN_MS = 45_000;

/** Load balancers that look every second and believe the third answer have turned away by then. */
const USUAL_DELAY_MS = 5000;
/** Another worker has taken this one's place: clients need a moment to turn to it with their next call. */
const REPLACED_DELAY_MS = 500;
/** What calls that are cut off take to send their errors. */
const CUT_OFF_WITHIN_MS = 3000;

/**
 * Runs the gateway in this process until a signal ends it. `host`: the line to the supervisor, in a worker, which is ended by
 * the supervisor's orders. Returns the exit code.
 */
export async function runGateway(config: Config, host: HostLink | null): Promise<number> {
  const log = createLogger(config, host?.worker);
  // A stream whose client left may fail after everybody stopped listening: that must not end the process.
  process.on("unhandledRejection", (error) => log.error({ error }, "a failure nobody waited for"));

  await ensureDataDir(config.dataDir, config.databaseUrl === null);
  if (host) await releaseStep();
  let isDraining = false;
  const opened = await openGateway(config, log, host, () => isDraining);
  const { gateway } = opened;
  const server = await listen(config, () =>
    Bun.serve({
      hostname: config.host,
      port: config.port,
      reusePort: host !== null,
      idleTimeout: config.idleTimeoutSeconds,
      maxRequestBodySize: Math.max(config.maxRequestBodyBytes, config.maxUploadBytes),
      fetch: requireHost(serveBelow(config.basePath, gateway.fetch), config.basePath),
      websocket: gatewaySockets,
    }),
  ).catch(async (error) => {
    // What it has registered and locked does not outlive it.
    await opened.close();
    throw error;
  });
  gateway.attach(server);
  const address = `http://${config.host === "0.0.0.0" ? "localhost" : config.host}:${server.port}${config.basePath}`;
  log.info({ address, version, database: config.databaseUrl === null ? "embedded" : "server" }, "sluice is ready");

  const callsUnderWay = () => server.pendingRequests + server.pendingWebSockets;
  host?.ready(callsUnderWay);
  releaseWhenResting(callsUnderWay);

  const signals = host ? listenForOrders(host) : listenForSignals();
  const { reason, siblings } = await signals.next();
  isDraining = true;
  const hasReplicas = opened.liveProcesses() > siblings;
  const usualDelayMs = config.shutdownDelayMs ?? (hasReplicas ? USUAL_DELAY_MS : 0);
  const delayMs = reason === "orphaned" ? 0 : reason === "reload" ? REPLACED_DELAY_MS : usualDelayMs;
  log.info({ reason, delayMs, withinMs: config.shutdownTimeoutMs }, "shutting down: open calls may finish");
  // Load balancers need a while to see that this replica is not ready: until then calls are taken as before.
  if (delayMs > 0) await within(signals.next(), delayMs);
  gateway.drain();
  // Stops listening at once and resolves when the last open answer is out.
  const stopped = server.stop(false);
  const ended = Promise.race([stopped.then(() => true), signals.next().then(() => false)]);
  if (!(await within(ended, config.shutdownTimeoutMs))) {
    log.warn("open calls are cut off");
    await gateway.cutOff();
    await within(stopped, CUT_OFF_WITHIN_MS);
    await server.stop(true);
  }
  // The supervisor keeps the counters of workers that have ended.
  await host?.report();
  if (!(await within(opened.close(), CLOSE_WITHIN_MS))) log.error("not everything could be closed in time");
  log.info("stopped");
  return 0;
}

type Gateway = Pick<App, "fetch" | "attach" | "drain" | "cutOff">;
type Opened = Readonly<{ gateway: Gateway; liveProcesses(): number; close(): Promise<void> }>;

/** What calls are served from: the database, or a snapshot where it does not answer. Throws DatabaseError and the like. */
async function openGateway(
  config: Config,
  log: Logger,
  host: HostLink | null,
  isDraining: () => boolean,
): Promise<Opened> {
  const worker = host?.worker ?? 1;
  try {
    const services = await openServices(config, log, host);
    if (host) await releaseStep();
    const app = createApp(services, isDraining);
    if (host) await releaseStep();
    const endControl = await startControl(services, app.diagnostics);
    const background = startBackground(services, worker);
    return {
      gateway: app,
      liveProcesses: () => services.billing.status().liveProcesses,
      async close() {
        await endControl();
        await background.close();
      },
    };
  } catch (error) {
    const outage = error instanceof DatabaseUnreachable ? await startFromSnapshot(config, log, isDraining, host) : null;
    if (!outage) throw error;
    return untilJoined(outage, worker);
  }
}

/** The gateway of an outage and, once the database answers, the one that follows it. */
function untilJoined(outage: OutageGateway, worker: number): Opened {
  let following: Readonly<{ services: Services; app: App; background: Background }> | null = null;
  void outage.joined.then((joined) => {
    if (joined) following = { ...joined, background: startBackground(joined.services, worker) };
  });
  return {
    gateway: {
      fetch: outage.fetch,
      attach: outage.attach,
      drain() {
        outage.drain();
        following?.app.drain();
      },
      async cutOff() {
        await Promise.all([outage.cutOff(), following?.app.cutOff()]);
      },
    },
    liveProcesses: () => following?.services.billing.status().liveProcesses ?? 1,
    async close() {
      await outage.close();
      if (following) await following.background.close();
    },
  };
}

type Background = Readonly<{ close(): Promise<void> }>;

/** Starts the jobs and keeps a snapshot. `close` ends these and the services. */
function startBackground(services: Services, worker: number): Background {
  services.jobs.start();
  const snapshots = keepSnapshot(services, worker);
  return {
    async close() {
      await services.close();
      // The last snapshot has the balances that the last charges have left.
      await snapshots.close();
    },
  };
}

/** Why the process is to end, and how many processes of this host, itself included, end at the same time. */
type Order = Readonly<{ reason: string; siblings: number }>;
type Orders = Readonly<{ next(): Promise<Order> }>;

/** The supervisor's orders. Signals go to all processes of a terminal or a service: the supervisor acts on them. */
function listenForOrders(host: HostLink): Orders {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  return { next: () => host.nextStop().then(({ reason, workers }) => ({ reason, siblings: workers })) };
}

/** SIGTERM and SIGINT, one after the other. */
function listenForSignals(): Orders {
  let next = Promise.withResolvers<Order>();
  const receive = (signal: NodeJS.Signals) => {
    next.resolve({ reason: signal, siblings: 1 });
    next = Promise.withResolvers();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, receive);
  return { next: () => next.promise };
}

/** What the work resolves with, or true where that is nothing; false when it takes longer. */
async function within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), limitMs);
  const finished = await Promise.race([work.then((result) => result !== false), timeout.promise]);
  clearTimeout(timer);
  return finished;
}
