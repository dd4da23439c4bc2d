import { openaiResponsesClientCodec } from "../../../../formats/openai-responses/index.ts";
import { requestIdOf } from "../../../../lib/http/request.ts";
import { GatewayError, shuttingDown } from "../../../call/errors.ts";
import { authenticateInTurn } from "../../../pipeline/authenticate-in-turn.ts";
import { errorResponse } from "../../../request/error-response.ts";
import { refuse } from "../../../request/refuse.ts";
import type { GatewayContext } from "../../context.ts";
import { NO_WEBSOCKET, type UpgradingServer } from "../sockets.ts";
import { ResponseSocket, type SocketLimits } from "./socket.ts";
import { createTurns, type SocketOrigin } from "./turn.ts";

/** The connections in this process whose clients use the Responses API over WebSocket. */
export type ResponseSockets = Readonly<{
  /** GET /v1/responses: resolves undefined if the request became a WebSocket. */
  start(request: Request, server: UpgradingServer | null): Promise<Response | undefined>;
  /** Closes idle connections now, the others after the turns in progress. */
  drain(): void;
  /** Closes all connections; resolves when their turns have ended. */
  cut(): Promise<void>;
}>;

/** The lifetime is that of OpenAI's connections. */
const LIFETIME_MS = 3_600_000;
const IDLE_MS = 1_200_000;
const MAX_LANES = 8;
const MAX_WAITING = 16;
/** Maximum open connections per user in this process. */
const MAX_SOCKETS = 256;

/** Headers that belong to the handshake, not to the requests of the connection. */
const HANDSHAKE_HEADERS =
  /^(?:connection|upgrade|content-|transfer-encoding|sec-websocket-(?!protocol)|x-request-id|expect)/;
const KEY_PROTOCOL = "openai-insecure-api-key.";

/** Opens connections; `limits` apply to each. */
export function createResponseSockets(context: GatewayContext, limits: Partial<SocketLimits> = {}): ResponseSockets {
  const { services } = context;
  const { config } = services;
  const bounds: SocketLimits = {
    lifetimeMs: LIFETIME_MS,
    idleMs: IDLE_MS,
    slowMs: config.streamingTimeoutMs,
    lanes: MAX_LANES,
    waiting: MAX_WAITING,
    waitingCharacters: config.maxRequestBodyBytes,
    connections: MAX_SOCKETS,
    ...limits,
  };
  const sockets = new Map<ResponseSocket, number>();
  let isDraining = false;
  const admit = (userId: number): void => {
    if (isDraining) throw shuttingDown();
    const count = sockets.values().reduce((sum, owner) => sum + Number(owner === userId), 0);
    if (count >= bounds.connections) throw tooMany(bounds.connections);
  };
  return {
    async start(request, server) {
      const upgrade = request.headers.get("upgrade")?.toLowerCase();
      if (upgrade !== "websocket" || !server) return errorResponse(NO_WEBSOCKET, request, openaiResponsesClientCodec);
      try {
        const origin = originOf(request, server);
        const { user } = await authenticateInTurn(context, request, services.clientAddress.ip(request, server));
        admit(user.id);
        const id = requestIdOf(request);
        const socket = new ResponseSocket(createTurns(context, origin), bounds, id, (ended) => sockets.delete(ended));
        const headers = { "x-request-id": id, ...protocolOf(request) };
        sockets.set(socket, user.id);
        if (server.upgrade(request, { data: socket, headers })) return undefined;
        sockets.delete(socket);
        throw NO_WEBSOCKET;
      } catch (error) {
        return refuse(context, request, error, openaiResponsesClientCodec);
      }
    },
    drain() {
      isDraining = true;
      for (const socket of sockets.keys()) socket.drain();
    },
    async cut() {
      await Promise.all(sockets.keys().map((socket) => socket.cut()));
    },
  };
}

/** Copies the request, because the server's own object ends with the handshake. */
function originOf(request: Request, server: UpgradingServer): SocketOrigin {
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (HANDSHAKE_HEADERS.test(name)) headers.delete(name);
  headers.set("content-type", "application/json");
  return { url: request.url, headers, address: server?.requestIP(request)?.address ?? "" };
}

/** The first offered subprotocol that is no secret. */
function protocolOf({ headers }: Request): Record<string, string> {
  const offered = headers.get("sec-websocket-protocol")?.split(",") ?? [];
  const chosen = offered.map((item) => item.trim()).find((item) => item !== "" && !item.startsWith(KEY_PROTOCOL));
  return chosen === undefined ? {} : { "sec-websocket-protocol": chosen };
}

const tooMany = (count: number): GatewayError =>
  new GatewayError(
    429,
    "too_many_connections",
    { code: "gateway_sockets_many", params: { count } },
    { type: "rate_limit_error", retryAfterSeconds: 60 },
  );
