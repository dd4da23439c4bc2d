import { Elysia } from "elysia";
import { geminiClientCodec } from "../../formats/gemini/index.ts";
import { requestIdOf } from "../../lib/http/request-id.ts";
import type { GatewayContext } from "../call/context.ts";
import { errorResponse, GatewayError, PLAYGROUND_PATH } from "../call/errors.ts";
import { handleCall } from "../pipeline.ts";
import type { RealtimeSessions } from "../realtime/sessions.ts";
import { objectRoutes } from "../state/files/routes.ts";
import { refusal as refuseDrawing } from "../tasks/drawing/answers.ts";
import { drawingRoutes } from "../tasks/drawing/routes.ts";
import { refusal as refuseMusic } from "../tasks/music/music.ts";
import { musicRoutes } from "../tasks/music/routes.ts";
import { videoRoutes } from "../tasks/video/routes.ts";
import type { GatewayServer } from "./arrival.ts";
import { billingSubscription, billingUsage, tokenUsage } from "./endpoints/billing.ts";
import { messages, responses } from "./endpoints/conversations.ts";
import { countMessageTokens } from "./endpoints/count-tokens.ts";
import { embeddings } from "./endpoints/embeddings.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { handleGemini, listGeminiModels, showGeminiModel } from "./endpoints/gemini.ts";
import {
  imageEdits,
  images,
  imageVariations,
  moderations,
  rerank,
  speech,
  transcriptions,
  translations,
} from "./endpoints/media.ts";
import { codecOf, listModels, showModel } from "./endpoints/models.ts";
import { handlePlayground } from "./endpoints/playground.ts";
import { storedResponse } from "./endpoints/stored-responses.ts";
import { chatCompletions, completions } from "./endpoints/text.ts";
import { PREFLIGHT_HEADERS } from "./headers.ts";

/** The ecosystem serves every route under /hf too. */
const BASES = ["/v1", "/hf/v1"] as const;

/** Every route of the data plane. */
export function routesOf(context: GatewayContext, talks: RealtimeSessions) {
  const app = new Elysia({ name: "relay" }).onError({ as: "global" }, ({ code, error, request, path }) => {
    if (code === "NOT_FOUND") return isGatewayPath(path) ? unknownPath(context, request, path) : undefined;
    if (!isGatewayPath(path)) return;
    const requestId = requestIdOf(request);
    context.services.log.error({ requestId, method: request.method, path, error }, "a route failed unforeseen");
    return errorResponse(new GatewayError(500, "internal_error", { code: "gateway_internal" }), request);
  });
  for (const base of BASES) app.use(versionOne(context, talks, base)).use(videoRoutes(context, base));
  app.use(geminiVersions(context));
  app.use(drawingRoutes(context));
  app.use(musicRoutes(context));
  app.post("/v2/rerank", ({ request, server }) => handleCall(context, { request, server, endpoint: rerank }), {
    parse: "none",
  });
  return app
    .post(PLAYGROUND_PATH, ({ request, server }) => handlePlayground(context, request, server), {
      parse: "none",
    })
    .options("/pg/*", preflight)
    .use(billingRoutes(context, "/dashboard/billing"))
    .get("/api/usage/token", ({ request, server }) => tokenUsage(context, request, server))
    .options("/api/usage/token", preflight);
}

/** What dashboards for OpenAI's API ask of a key; with and without /v1. */
const billingRoutes = (context: GatewayContext, prefix: string) =>
  new Elysia({ name: `relay${prefix}`, prefix })
    .get("/subscription", ({ request, server }) => billingSubscription(context, request, server))
    .get("/usage", ({ request, server }) => billingUsage(context, request, server))
    .options("/*", preflight);

/** Known in OpenAI's API and never offered, with all that is below them. */
const UNSUPPORTED = [
  "/edits",
  "/fine-tunes",
  "/assistants",
  "/threads",
  "/vector_stores",
  "/containers",
  "/conversations",
  "/evals",
  "/skills",
  "/chatkit",
  "/audio/voices",
  "/audio/voice_consents",
  "/fine_tuning/alpha",
  "/videos/characters",
] as const;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Likewise, of addresses that serve other methods. */
const UNSUPPORTED_METHODS = [
  ["POST", "/responses/compact"],
  ["POST", "/responses/input_tokens"],
  ["GET", "/chat/completions"],
  ["GET", "/chat/completions/*"],
  ["POST", "/chat/completions/*"],
  ["DELETE", "/chat/completions/*"],
  ["POST", "/realtime/*"],
  ["DELETE", "/models/*"],
] as const;

/** What is called at an address without anything variable. */
const CALLS: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  ["/chat/completions", chatCompletions],
  ["/completions", completions],
  ["/embeddings", embeddings],
  ["/messages", messages],
  ["/responses", responses],
  ["/moderations", moderations],
  ["/rerank", rerank],
  ["/images/generations", images],
  ["/images/edits", imageEdits],
  ["/images/variations", imageVariations],
  ["/audio/speech", speech],
  ["/audio/transcriptions", transcriptions],
  ["/audio/translations", translations],
];

const endpointByPath: ReadonlyMap<string, Endpoint> = new Map(
  BASES.flatMap((base) => CALLS.map(([path, endpoint]) => [base + path, endpoint] as const)),
);

/** Takes a request that is one of these calls past the router, which such calls would pay for; null: it is another. */
export function takeCall(
  context: GatewayContext,
  request: Request,
  path: string,
  server: GatewayServer | null,
): Promise<Response> | null {
  const endpoint = endpointByPath.get(path);
  return endpoint && request.method === "POST" ? handleCall(context, { request, server, endpoint }) : null;
}

function versionOne(context: GatewayContext, talks: RealtimeSessions, base: string) {
  const unread = { parse: "none" } as const;
  const app = new Elysia({ name: `relay${base}`, prefix: base })
    .post(
      "/engines/:model/embeddings",
      ({ request, server, params }) =>
        handleCall(context, {
          request,
          server,
          endpoint: embeddings,
          path: { model: decodeURIComponent(params.model) },
        }),
      unread,
    )
    .post("/messages/count_tokens", ({ request, server }) => countMessageTokens(context, request, server), unread)
    .get("/responses/:id", ({ request, server, params }) =>
      storedResponse(context, request, server, params.id, "retrieve"),
    )
    .delete("/responses/:id", ({ request, server, params }) =>
      storedResponse(context, request, server, params.id, "delete"),
    )
    .get("/responses/:id/input_items", ({ request, server, params }) =>
      storedResponse(context, request, server, params.id, "input_items"),
    )
    .post(
      "/responses/:id/cancel",
      ({ request, server, params }) => storedResponse(context, request, server, params.id, "cancel"),
      unread,
    )
    .post("/models/*", ({ request, server, params }) => handleGemini(context, request, server, params["*"]), unread)
    .get("/realtime", ({ request, server }) => talks.start(request, server))
    .get("/models", ({ request, server }) => listModels(context, request, server))
    .get("/models/*", ({ request, server, params }) =>
      showModel(context, request, server, decodeURIComponent(params["*"])),
    );
  app.use(billingRoutes(context, "/dashboard/billing"));
  app.use(objectRoutes(context, ""));
  for (const [path, endpoint] of CALLS) {
    app.post(path, ({ request, server }) => handleCall(context, { request, server, endpoint }), unread);
  }
  for (const path of UNSUPPORTED.flatMap((path) => [path, `${path}/*`])) {
    for (const method of METHODS) app.route(method, path, unsupported, { ...unread, detail: { hide: true } });
  }
  for (const [method, path] of UNSUPPORTED_METHODS) {
    app.route(method, path, unsupported, { ...unread, detail: { hide: true } });
  }
  return app.options("/*", preflight);
}

/** Google's own addresses; the library asks /v1 for some, which versionOne serves. */
function geminiVersions(context: GatewayContext) {
  return new Elysia({ name: "relay/v1beta", prefix: "/v1beta" })
    .get("/models", ({ request, server }) => listGeminiModels(context, request, server))
    .get("/models/*", ({ request, server, params }) =>
      showGeminiModel(context, request, server, decodeURIComponent(params["*"])),
    )
    .post("/models/*", ({ request, server, params }) => handleGemini(context, request, server, params["*"]), {
      parse: "none",
    })
    .options("/*", preflight);
}

/** Whether the path belongs to the data plane. */
export const isGatewayPath = (path: string): boolean =>
  /^\/(?:v1|v1beta|v1alpha|v2|pg|hf|dashboard\/billing|api\/usage\/token|(?:fast\/|relax\/|turbo\/)?mj|mj-[^/]+|suno)(?:\/|$)/.test(
    path,
  );

const preflight = () => new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });

const unsupported = ({ request }: { request: Request }) =>
  errorResponse(new GatewayError(501, "api_not_implemented", { code: "gateway_not_offered" }), request);

/** Says in the shape of the API that the path belongs to that there is nothing at it. */
function unknownPath(context: GatewayContext, request: Request, path: string): Response {
  const error = new GatewayError(
    404,
    "unknown_url",
    { code: "gateway_unknown_url", params: { method: request.method, path } },
    {
      type: "invalid_request_error",
    },
  );
  if (path === "/suno" || path.startsWith("/suno/")) return refuseMusic(context, request, error);
  if (/^(\/[^/]+)?\/mj(-[^/]+)?(\/|$)/.test(path)) return refuseDrawing(context, request, error);
  return errorResponse(error, request, /^\/v1(beta|alpha)/.test(path) ? geminiClientCodec : codecOf(request));
}
