import { geminiClientCodec } from "../../../formats/gemini/index.ts";
import { interactionsClientCodec } from "../../../formats/gemini-interactions/index.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { decodePath } from "../../../lib/http/request.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { GatewayError, PLAYGROUND_PATH } from "../../call/errors.ts";
import { handleCall } from "../../pipeline/pipeline.ts";
import type { RouteMethod } from "../../request/arrival.ts";
import { compactResponse, interactions, messages, responses } from "../../request/endpoints/conversations.ts";
import { embeddings } from "../../request/endpoints/embeddings.ts";
import { imageEdits, images, imageVariations } from "../../request/endpoints/media/images.ts";
import { moderations, rerank, speech, transcriptions, translations } from "../../request/endpoints/media/media.ts";
import { elevenLabsSongs, minimaxSongs, songs } from "../../request/endpoints/media/songs.ts";
import { chatCompletions, completions } from "../../request/endpoints/text.ts";
import { errorResponse } from "../../request/error-response.ts";
import type { GatewayContext } from "../context.ts";
import { countMessageTokens, countResponseTokens } from "../count-tokens.ts";
import { handleGemini, listGeminiModels, showGeminiModel } from "../gemini.ts";
import { type BillingContext, billingSubscription, billingUsage, tokenUsage } from "../lookup/billing.ts";
import { listModels, showModel } from "../lookup/models.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { handlePlayground } from "../playground.ts";
import { geminiLive } from "../realtime/live/events.ts";
import { openaiRealtime } from "../realtime/openai/events.ts";
import type { ResponseSockets } from "../realtime/responses/sockets.ts";
import type { RealtimeSessions } from "../realtime/sessions.ts";
import { type Route, type RouteGroup, route } from "../route.ts";
import { collectionRoutes } from "../stored/collections.ts";
import { evalRoutes } from "../stored/evals.ts";
import { objectRoutes } from "../stored/files.ts";
import { storedInteraction } from "../stored/interactions.ts";
import { storedResponse } from "../stored/responses.ts";
import { refusal as refuseDrawing } from "../tasks/drawing/responses.ts";
import { drawingRoutes, openDrawingRoutes } from "../tasks/drawing/routes.ts";
import { musicRoutes, refusal as refuseMusic } from "../tasks/music.ts";
import { jimengRoutes, refuseAsJimeng } from "../tasks/video/jimeng.ts";
import { videoRoutes } from "../tasks/video/routes.ts";
import { call, refuseByHeaders } from "./router.ts";

/**
 * Every route of the data plane; path-aliases.ts has other spellings of their paths. `createRouter` derives Elysia's routes, the paths that skip its matching, the OpenAPI
 * document and the gateway's prefixes from this table.
 */
export function gatewayRoutes(
  context: GatewayContext,
  sessions: RealtimeSessions,
  sockets: ResponseSockets,
): readonly RouteGroup[] {
  const drawings = drawingRoutes(context);
  return [
    // Google's clients call the first since their version 3, the second before.
    ...["/v1/interactions", "/v1beta/interactions"].map((prefix) => ({
      prefix,
      routes: interactionRoutes(context),
      refuse: refuseAsInteractions,
    })),
    { prefix: "/v1", routes: versionOneRoutes(context, sessions, sockets), refuse: refuseByHeaders },
    { prefix: "/v1beta", routes: geminiRoutes(context), refuse: refuseAsGemini },
    { prefix: "/v1alpha", routes: [], refuse: refuseAsGemini },
    { prefix: "/ws", routes: [liveRoute(context, sessions)], refuse: refuseAsGemini },
    { prefix: "/v2", routes: [call(context, "/rerank", rerank)], refuse: refuseByHeaders },
    { prefix: "/mj", routes: [...drawings, ...openDrawingRoutes(context)], refuse: refuseDrawing },
    // A mode as prefix: /fast/mj/…, /mj-fast/mj/…
    {
      prefix: "/:mode/mj",
      routes: drawings,
      owns: /^\/(?:(?:fast|relax|turbo)\/mj|mj-[^/]+)(?:\/|$)/,
      refuse: refuseDrawing,
    },
    { prefix: "/suno", routes: musicRoutes(context), refuse: refuseMusic },
    { prefix: "/jimeng", routes: jimengRoutes(context), refuse: refuseAsJimeng },
    ...mcpRoutes(context),
    { prefix: "/pg", routes: [playgroundRoute(context)], refuse: refuseByHeaders },
    { prefix: "/dashboard/billing", routes: billingRoutes(context), refuse: refuseByHeaders },
    {
      prefix: "/api/usage/token",
      routes: [route("GET", "", ({ request, server }) => tokenUsage(context, request, server))],
      refuse: refuseByHeaders,
    },
  ];
}

const LIVE_SERVICE = /^google\.ai\.generativelanguage\.v1\w*\.GenerativeService\.BidiGenerateContent$/;

/** Google's Live API. */
const liveRoute = (context: unknown, sessions: RealtimeSessions): Route =>
  route("GET", "/:service", async ({ request, server, param }) => {
    if (LIVE_SERVICE.test(param("service"))) return sessions.start(request, server, geminiLive);
    const params = { method: request.method, path: new URL(request.url).pathname };
    const unknown = new GatewayError(404, "unknown_url", { code: "gateway_unknown_url", params });
    return refuseAsGemini(context, request, unknown);
  });

const refuseAsInteractions: RouteGroup["refuse"] = (_context, request, error) =>
  errorResponse(error, request, interactionsClientCodec);
const refuseAsGemini: RouteGroup["refuse"] = (_context, request, error) =>
  errorResponse(error, request, geminiClientCodec);

const playgroundRoute = (context: GatewayContext): Route =>
  route("POST", PLAYGROUND_PATH.slice("/pg".length), ({ request, server }) =>
    handlePlayground(context, request, server),
  );

/** Endpoints for OpenAI billing dashboards, with and without /v1. */
const billingRoutes = (context: BillingContext): readonly Route[] => [
  route("GET", "/subscription", ({ request, server }) => billingSubscription(context, request, server)),
  route("GET", "/usage", ({ request, server }) => billingUsage(context, request, server)),
];

/** Endpoints of OpenAI's API that the gateway does not offer, with all paths below them. */
const UNSUPPORTED = [
  "/edits",
  "/fine-tunes",
  "/assistants",
  "/threads",
  "/skills",
  "/chatkit",
  "/audio/voices",
  "/audio/voice_consents",
  "/fine_tuning/alpha",
  "/videos/characters",
] as const;
const METHODS: readonly RouteMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The same for single methods of paths that have others. */
const UNSUPPORTED_METHODS = [
  ["GET", "/chat/completions"],
  ["GET", "/chat/completions/*"],
  ["POST", "/chat/completions/*"],
  ["DELETE", "/chat/completions/*"],
  ["POST", "/realtime/*"],
  ["DELETE", "/models/*"],
] as const;

/** Model calls at fixed paths. */
const CALLS: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  ["/chat/completions", chatCompletions],
  ["/completions", completions],
  ["/embeddings", embeddings],
  ["/messages", messages],
  ["/responses", responses],
  ["/responses/compact", compactResponse],
  ["/moderations", moderations],
  ["/rerank", rerank],
  ["/images/generations", images],
  ["/images/edits", imageEdits],
  ["/images/variations", imageVariations],
  ["/audio/speech", speech],
  ["/audio/transcriptions", transcriptions],
  ["/audio/translations", translations],
  ["/audio/music", songs],
  ["/music_generation", minimaxSongs],
];

/** ElevenLabs's clients name the format of the audio in the query. */
const elevenLabsRoute = (context: GatewayContext, path: string, stream: boolean): Route =>
  route("POST", path, ({ request, server }) => {
    const outputFormat = new URL(request.url).searchParams.get("output_format");
    return handleCall(context, { request, server, endpoint: elevenLabsSongs(outputFormat, stream) });
  });

/** OpenAI's and Anthropic's paths, and those that Gemini libraries call under /v1. */
const versionOneRoutes = (
  context: GatewayContext,
  sessions: RealtimeSessions,
  sockets: ResponseSockets,
): readonly Route[] => [
  ...CALLS.map(([path, endpoint]) => call(context, path, endpoint)),
  elevenLabsRoute(context, "/music", false),
  elevenLabsRoute(context, "/music/stream", true),
  // As OpenAI's first clients and Azure's name the model.
  ...CALLS.filter(([, { codec }]) => codec === openaiChatClientCodec).map(
    ([path, endpoint]): Route => ({
      ...route("POST", `/engines/:model${path}`, ({ request, server, param }) =>
        handleCall(context, { request, server, endpoint, path: { model: decodePath(param("model")) } }),
      ),
      isHidden: true,
    }),
  ),
  route("POST", "/messages/count_tokens", ({ request, server }) => countMessageTokens(context, request, server)),
  route("POST", "/responses/input_tokens", ({ request, server }) => countResponseTokens(context, request, server)),
  ...STORED_RESPONSES.map(([method, path, action]) =>
    route(method, `/responses/:id${path}`, ({ request, server, param }) =>
      storedResponse(context, request, server, param("id"), action),
    ),
  ),
  route("POST", "/models/*", ({ request, server, param }) => handleGemini(context, request, server, param("*"))),
  route("GET", "/responses", ({ request, server }) => sockets.start(request, server)),
  route("GET", "/realtime", async ({ request, server }) => sessions.start(request, server, openaiRealtime)),
  route("GET", "/models", ({ request, server }) => listModels(context, request, server)),
  route("GET", "/models/*", ({ request, server, param }) =>
    showModel(context, request, server, decodePath(param("*"))),
  ),
  ...billingRoutes(context).map((row) => ({ ...row, path: `/dashboard/billing${row.path}` })),
  ...objectRoutes(context),
  ...collectionRoutes(context),
  ...evalRoutes(context),
  ...videoRoutes(context),
  ...UNSUPPORTED.flatMap((path) => [path, `${path}/*`]).flatMap((path) =>
    METHODS.map((method) => unsupported(method, path)),
  ),
  ...UNSUPPORTED_METHODS.map(([method, path]) => unsupported(method, path)),
];

const STORED_RESPONSES = [
  ["GET", "", "retrieve"],
  ["DELETE", "", "delete"],
  ["GET", "/input_items", "input_items"],
  ["POST", "/cancel", "cancel"],
] as const;

/** Google's Interactions API. */
const interactionRoutes = (context: GatewayContext): readonly Route[] => [
  call(context, "", interactions),
  ...STORED_INTERACTIONS.map(([method, path, action]) =>
    route(method, `/:id${path}`, ({ request, server, param }) =>
      storedInteraction(context, request, server, decodePath(param("id")), action),
    ),
  ),
];

const STORED_INTERACTIONS = [
  ["GET", "", "retrieve"],
  ["DELETE", "", "delete"],
  ["POST", "/cancel", "cancel"],
] as const;

/** Google's own paths. */
const geminiRoutes = (context: GatewayContext): readonly Route[] => [
  route("GET", "/models", ({ request, server }) => listGeminiModels(context, request, server)),
  route("GET", "/models/*", ({ request, server, param }) =>
    showGeminiModel(context, request, server, decodePath(param("*"))),
  ),
  route("POST", "/models/*", ({ request, server, param }) => handleGemini(context, request, server, param("*"))),
];

const unsupported = (method: RouteMethod, path: string): Route => ({
  ...route(method, path, async ({ request }) =>
    errorResponse(new GatewayError(501, "api_not_implemented", { code: "gateway_not_offered" }), request),
  ),
  isHidden: true,
});
