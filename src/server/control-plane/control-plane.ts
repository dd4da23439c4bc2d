import { type AnyElysia, Elysia } from "elysia";
import type { Explain } from "../../console/channels/explain.ts";
import { compressed } from "../../console/http/compressed.ts";
import type { TryTool } from "../../console/models/mcp/trial.ts";
import { createPublicModels } from "../../console/models/public-models.ts";
import { createPageLimit } from "../../console/system/page-limit.ts";
import { createPublicPages } from "../../console/system/public-pages/public-pages.ts";
import { siteFiles } from "../../console/system/public-pages/site-files.ts";
import { docsSite } from "../../console/system/web-assets/docs-site.ts";
import { webAssets, webManifest } from "../../console/system/web-assets/web-assets.ts";
import type { ReadLive } from "../../domain/channels/current-state.ts";
import { createModelHealth } from "../../domain/models/model-health.ts";
import type { Replayer } from "../../domain/models/replays/replayer.ts";
import type { PredictOutcomes } from "../../domain/models/routes/simulation.ts";
import type { DiagnosticsContext } from "../../domain/system/diagnostics/diagnostics-context.ts";
import type { SocketSession } from "../../gateway/endpoints/create-gateway.ts";
import type { Explanation } from "../../gateway/quality/explain.ts";
import { REQUEST_ID_HEADER, requestIdOf, withOrigin } from "../../lib/http/request.ts";
import { consoleRoot, docsRoot, type Services } from "../services.ts";
import { version } from "../version.ts";
import { managementApi } from "./management-api.ts";
import { managementMcp } from "./management-mcp/routes.ts";

/** What is no relayed call: the console with its pages, its API, and what monitors ask. */
export type ControlPlane = Readonly<{
  fetch(request: Request): Promise<Response>;
  /** Passes the server that the process listens on. */
  attach(server: Bun.Server<SocketSession>): void;
  /** Whose routes the OpenAPI document lists: the data plane's and its own. */
  apis: readonly AnyElysia[];
}>;

/** What it gets of the data plane and of the process. */
type Parts = Readonly<{
  explain: Explain<Explanation>;
  readLive: ReadLive;
  predictOutcomes: PredictOutcomes;
  replayer: Replayer;
  tryTool: TryTool;
  diagnostics: DiagnosticsContext;
  refuseProgram(request: Request, path: string): Response | null;
  /** The routes of the data plane. */
  relay: AnyElysia;
  monitors: AnyElysia;
}>;

export function createControlPlane(services: Services, parts: Parts): ControlPlane {
  const { explain, readLive, diagnostics, predictOutcomes, replayer, tryTool, refuseProgram, relay, monitors } = parts;
  const modelHealth = createModelHealth(services);
  const publicModels = createPublicModels({ ...services, modelHealth });
  const models = { modelHealth, publicModels, predictOutcomes, replayer, tryTool };
  const document = lazily(async () => (await import("./api-reference/openapi.ts")).openApiDocument(apis, version));
  const plainDocument = lazily(async () =>
    (await import("./api-reference/openapi.ts")).withoutUnions(await document()),
  );
  const { basePath, rateLimits, isOffline } = services.config;
  const limit = createPageLimit({ ...services, limit: rateLimits.web, basePath });
  const render = createPublicPages({ ...services, modelHealth, publicModels });
  const app: AnyElysia = new Elysia({ name: "control-plane" })
    .onRequest(({ request, set, server }) => {
      set.headers[REQUEST_ID_HEADER] = requestIdOf(request);
      set.headers["x-content-type-options"] = "nosniff";
      // Whoever came by https once is held to it for a year.
      if (services.clientAddress.isHttps(request, server)) set.headers["strict-transport-security"] = HSTS;
    })
    .use(monitors)
    .use(managementApi(services, explain, readLive, diagnostics, models))
    .use(
      managementMcp({
        services: { ...services, db: services.database.db },
        document: plainDocument,
        respond: async (request) => app.fetch(request),
      }),
    )
    .get("/openapi.json", ({ query }) => (query.unions === "false" ? plainDocument() : document()), HIDDEN)
    .use(docsSite(docsRoot(), basePath))
    .use(webManifest(services.settings, basePath))
    .use(siteFiles({ ...services, publicModels }))
    .use(
      webAssets(consoleRoot(), {
        ...{ limit, scriptHosts: scriptHosts(services), isOffline, render, refuseProgram, basePath },
      }),
    )
    .onError(({ code, request, path }) =>
      code === "NOT_FOUND" ? (refuseProgram(request, path) ?? undefined) : undefined,
    )
    .compile();
  // Its routes are copies of the management API's, which is not kept besides.
  const apis = [relay, app];
  return {
    apis,
    attach(server) {
      app.server = server;
    },
    async fetch(request) {
      const origin = { ip: services.clientAddress.ip(request, app.server), requestId: requestIdOf(request) };
      return compressed(request, await withOrigin(origin, () => app.fetch(request)));
    },
  };
}

const HSTS = "max-age=31536000";
const HIDDEN = { detail: { hide: true } };

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
    settings.get("TurnstileCheckEnabled") && !config.isOffline
      ? [new URL(config.signInAddresses.turnstile).origin]
      : [];
