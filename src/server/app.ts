import { type AnyElysia, Elysia } from "elysia";
import { compressed } from "../console/http/compressed.ts";
import { createPublicModels } from "../console/models/public-models.ts";
import { createPageLimit } from "../console/system/page-limit.ts";
import { createPublicPages } from "../console/system/public-pages/public-pages.ts";
import { siteFiles } from "../console/system/public-pages/site-files.ts";
import { docsSite } from "../console/system/web-assets/docs-site.ts";
import { webAssets, webManifest } from "../console/system/web-assets/web-assets.ts";
import { createModelHealth } from "../domain/models/model-health.ts";
import type { DiagnosticsContext, Overhead, RelayBenchmark } from "../domain/system/diagnostics/diagnostics-context.ts";
import { createGateway, type SocketSession } from "../gateway/endpoints/create-gateway.ts";
import { pathOf, REQUEST_ID_HEADER, requestIdOf, withOrigin } from "../lib/http/request.ts";
import { createAddressPolicy } from "../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../lib/outbound/safe-fetch.ts";
import { runBenchmark } from "./benchmark/run-benchmark.ts";
import { gatewayServices } from "./gateway-services.ts";
import { registerHealthMetrics } from "./health/metrics.ts";
import { createReadiness } from "./health/readiness.ts";
import { health } from "./health/routes.ts";
import { managementApi } from "./management-api.ts";
import { consoleRoot, docsRoot, type Services } from "./services.ts";
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
  /** Whose routes the OpenAPI document lists: the data plane's, the management API's and those for monitors. */
  apis: readonly AnyElysia[];
}>;

/**
 * Joins the modules into one HTTP application; `draining` says whether the process is on its way out. The data plane has a
 * router of its own, so that nothing the console needs runs before a relayed call.
 */
export function createApp(services: Services, draining: () => boolean): App {
  const parts = gatewayServices(services);
  const { router, drain, cutOff, isResting, explain, predictOutcomes, replayer, readLive, readOverhead, keepTraffic } =
    createGateway(parts);
  services.replays.attach(replayer);
  const context = diagnosticsContextOf(services, readOverhead, () => runBenchmark(parts));
  const { refuseProgram } = router;
  const relay = new Elysia({ name: "data-plane" }).use(router.app).compile();
  const modelHealth = createModelHealth(services);
  const publicModels = createPublicModels({ ...services, modelHealth });
  const api = managementApi(services, explain, readLive, context, {
    modelHealth,
    publicModels,
    predictOutcomes,
    replayer,
  });
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
  const monitors = health({
    readiness: () => host?.readiness().catch(ownReadiness) ?? ownReadiness(),
    metrics: () => host?.metricsText() ?? services.metrics.metrics(),
    settings: services.settings,
    version,
  });
  const apis: readonly AnyElysia[] = [relay, api, monitors];
  const document = lazily(async () => (await import("./openapi.ts")).openApiDocument(apis, version));
  const { basePath, rateLimits } = services.config;
  const limit = createPageLimit({ ...services, limit: rateLimits.web, basePath });
  const render = createPublicPages({ ...services, modelHealth, publicModels });
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
    .use(docsSite(docsRoot(), basePath))
    .use(webManifest(services.settings, basePath))
    .use(siteFiles({ ...services, publicModels }))
    .use(webAssets(consoleRoot(), { limit, scriptHosts: scriptHosts(services), render, refuseProgram, basePath }))
    .onError(({ code, request, path }) =>
      code === "NOT_FOUND" ? (refuseProgram(request, path) ?? undefined) : undefined,
    )
    .compile();
  let listening: Bun.Server<SocketSession> | null = null;
  const originOf = (request: Request) => ({
    ip: services.clientAddress.ip(request, listening),
    requestId: requestIdOf(request),
  });
  const respond = (request: Request, path: string): Promise<Response> =>
    router.owns(path)
      ? Promise.resolve(relay.fetch(request))
      : Promise.resolve(withOrigin(originOf(request), () => management.fetch(request))).then((made) =>
          compressed(request, made),
        );
  return {
    fetch(request) {
      const path = pathOf(request.url);
      const response = router.take(request, path, listening) ?? respond(request, router.resolve(request, path));
      return draining() ? response.then(closingConnection) : response;
    },
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

/** The human check is a script of its provider. */
const scriptHosts =
  ({ settings, config }: Services) =>
  () =>
    settings.get("TurnstileCheckEnabled") ? [new URL(config.signInAddresses.turnstile).origin] : [];

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
