import type { AnyElysia } from "elysia";
import type { DiagnosticsContext, Overhead, RelayBenchmark } from "../domain/system/diagnostics/diagnostics-context.ts";
import { createGateway, type SocketSession } from "../gateway/endpoints/create-gateway.ts";
import { pathOf } from "../lib/http/request.ts";
import { createAddressPolicy } from "../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../lib/outbound/safe-fetch.ts";
import { runBenchmark } from "./benchmark/run-benchmark.ts";
import { createControlPlane } from "./control-plane/control-plane.ts";
import { gatewayServices } from "./gateway-services.ts";
import { registerHealthMetrics } from "./health/metrics.ts";
import { createReadiness } from "./health/readiness.ts";
import { health } from "./health/routes.ts";
import type { Services } from "./services.ts";
import { commit, version } from "./version.ts";

/** Everything that is answered; `attach` passes it the server it listens on. */
export type App = Readonly<{
  fetch(request: Request): Promise<Response>;
  attach(server: Bun.Server<SocketSession>): void;
  /** WebSockets end: idle ones now, the others with the responses that are under way. */
  drain(): void;
  /** Ends what is still open with an error; resolves when realtime sessions are charged. */
  cutOff(): Promise<void>;
  /** What the doctor examines. */
  diagnostics: DiagnosticsContext;
  /** Whose routes the OpenAPI document lists: the data plane's and the control plane's. */
  apis: readonly AnyElysia[];
}>;

/**
 * Joins the modules into one HTTP application; `draining` says whether the process is on its way out. The data plane has a
 * router of its own, so that nothing the console needs runs before a relayed call.
 */
export function createApp(services: Services, draining: () => boolean): App {
  const parts = gatewayServices(services);
  const {
    router,
    drain,
    cutOff,
    isResting,
    explain,
    predictOutcomes,
    replayer,
    readLive,
    readOverhead,
    keepTraffic,
    tryTool,
  } = createGateway(parts);
  services.replays.attach(replayer);
  const diagnostics = diagnosticsContextOf(services, readOverhead, () => runBenchmark(parts));
  const relay = router.app.compile();
  const ownReadiness = createReadiness(services, draining);
  registerHealthMetrics(services.metrics, {
    version,
    commit,
    readiness: ownReadiness,
    billing: services.billing.status,
    askDatabase: () => services.database.health(),
    replica: services.reads.replica,
    logDelivery: services.logDelivery,
    askRedis: services.sharedLimits?.ping ?? null,
    channels: services.channels.all,
    isResting,
  });
  const { host } = services;
  host?.attach({
    readiness: ownReadiness,
    metrics: services.metrics,
    backlog: () => services.billing.status().pendingRecords,
    adopt: services.billing.searchLostProcesses,
  });
  const controlPlane = createControlPlane(services, {
    ...{ explain, readLive, predictOutcomes, replayer, tryTool, diagnostics, relay },
    refuseProgram: router.refuseProgram,
    monitors: health({
      readiness: () => host?.readiness().catch(ownReadiness) ?? ownReadiness(),
      metrics: () => host?.metricsText() ?? services.metrics.metrics(),
      settings: services.settings,
      version,
    }),
  });
  let listening: Bun.Server<SocketSession> | null = null;
  const respond = (request: Request, path: string): Promise<Response> =>
    router.owns(path) ? Promise.resolve(relay.fetch(request)) : controlPlane.fetch(request);
  return {
    fetch(request) {
      const path = pathOf(request.url);
      const response = router.take(request, path, listening) ?? respond(request, router.resolve(request, path));
      return draining() ? response.then(closingConnection) : response;
    },
    attach(server) {
      listening = server;
      relay.server = server;
      controlPlane.attach(server);
    },
    drain() {
      drain();
      services.feed.close();
      keepTraffic();
    },
    cutOff,
    diagnostics,
    apis: controlPlane.apis,
  };
}

/** The client's next request needs another connection, which leads to another replica. */
function closingConnection(answer: Response): Response {
  // A request that has become a WebSocket has none.
  if (answer) answer.headers.set("connection", "close");
  return answer;
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
